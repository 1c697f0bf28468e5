"""The transcript on disk: a structlog processor chain (redact, render, append) and the reader.

A run is a folder: ``transcript.jsonl``, ``blobs/HASH``, ``logs/attempt-N.log``, ``files/NAME``. Every event is flushed as it happens.
"""

import contextlib
import fcntl
import os
from collections.abc import Callable, Iterator, MutableMapping
from pathlib import Path
from typing import Any, Protocol

import msgspec
import structlog
from structlog.typing import Processor

from transcripts import codec
from transcripts.errors import TranscriptError
from transcripts.events import AnyEvent
from transcripts.redact import Vault

FILE_NAME = "transcript.jsonl"


class Clock(Protocol):
    """Where times come from: `now` is RFC 3339 in UTC for the record, `seconds` monotonic for durations."""

    def now(self) -> str:
        """The time of day, such as ``2026-12-01T16:28:20.123Z``."""
        ...

    def seconds(self) -> float:
        """Seconds since an arbitrary start."""
        ...


class Sink(Protocol):
    """Where a journal's lines and blobs go."""

    def line(self, data: bytes) -> None:
        """Append one line (with its newline) and flush it."""
        ...

    def blob(self, name: str, data: bytes) -> None:
        """Keep a long text under its hash."""
        ...


class MemorySink:
    """A sink that keeps everything in memory: for replays and tests."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self.blobs: dict[str, bytes] = {}

    def line(self, data: bytes) -> None:
        """Append one line."""
        self.lines.append(data)

    def blob(self, name: str, data: bytes) -> None:
        """Keep a blob."""
        self.blobs[name] = data


class FileSink:
    """A sink in a run's folder, made private to the user.

    Raises:
        TranscriptError: the folder or a file cannot be written (permission, full disk), with what to do.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            (folder / "blobs").mkdir(exist_ok=True, mode=0o700)
            self._file = open(folder / FILE_NAME, "ab", buffering=0, opener=_private)  # noqa: SIM115 - lives as long as the run
        except OSError as error:
            raise _unwritable(folder, error) from error
        with contextlib.suppress(OSError):  # a file system without locks: then nobody can tell a living run from a dead one
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def line(self, data: bytes) -> None:
        """Append one line; a line that the disk took only in part is cut away again, so that none is torn."""
        start = self._file.seek(0, os.SEEK_END)
        try:
            written = self._file.write(data)
            if written != len(data):
                raise OSError(28, "no space left on device")
        except OSError as error:
            os.ftruncate(self._file.fileno(), start)
            raise _unwritable(self.folder, error) from error

    def blob(self, name: str, data: bytes) -> None:
        """Keep a blob, once; it appears whole or not at all."""
        path = self.folder / "blobs" / name
        if path.exists():
            return
        partial = path.with_suffix(".partial")
        try:
            with open(partial, "wb", opener=_private) as file:
                file.write(data)
            partial.rename(path)
        except OSError as error:
            partial.unlink(missing_ok=True)
            raise _unwritable(self.folder, error) from error

    def close(self) -> None:
        """Close the transcript's file."""
        self._file.close()


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _unwritable(folder: Path, error: OSError) -> TranscriptError:
    return TranscriptError(f"cannot write the transcript in {folder}: {error.strerror or error}; name another folder with --transcripts DIR")


class Journal:
    """The one way in which an event is recorded: `emit` stamps, redacts, condenses and appends it, then tells the listeners.

    `hidden` says that the events come from a record whose secrets are hidden already (a replay).
    """

    def __init__(self, sink: Sink, clock: Clock, vault: Vault | None = None, *, hidden: bool = False) -> None:
        self._sink = sink
        self._clock = clock
        self.vault = vault or Vault()
        self._count = 0
        self._listeners: list[Callable[[AnyEvent], None]] = []
        processors: list[Processor] = [self._copy] if hidden else [self._redact, self._render]
        self._log: Any = structlog.wrap_logger(sink, processors=processors, wrapper_class=structlog.BoundLoggerBase).bind()

    def listen(self, listener: Callable[[AnyEvent], None]) -> None:
        """Call `listener` with every event after it is recorded (live view, folds)."""
        self._listeners.append(listener)

    def emit(self, event: AnyEvent) -> AnyEvent:
        """Record `event`; returns it as stamped.

        Raises:
            TranscriptError: it could not be written.
        """
        self._count += 1
        stamped = msgspec.structs.replace(event, seq=self._count, at=self._clock.now())
        self._log._proxy_to_logger("line", stamped)
        for listener in self._listeners:
            listener(stamped)
        return stamped

    def _redact(self, _logger: object, _method: str, entry: MutableMapping[str, Any]) -> dict[str, Any]:
        hidden: dict[str, Any] = self.vault.hide_all(codec.ordered(entry["event"]))
        return hidden

    def _render(self, _logger: object, _method: str, event: MutableMapping[str, Any]) -> tuple[tuple[bytes], dict[str, Any]]:
        return (codec.line(event, self._sink.blob),), {}

    def _copy(self, _logger: object, _method: str, entry: MutableMapping[str, Any]) -> tuple[tuple[bytes], dict[str, Any]]:
        return (codec.line_of(entry["event"], self._sink.blob),), {}


class Transcript:
    """A transcript as read back: its events, and whether its last line was torn by a crash."""

    def __init__(self, events: tuple[AnyEvent, ...], torn: bool, folder: Path | None, lines: tuple[bytes, ...]) -> None:
        self.events = events
        self.torn = torn
        self.folder = folder
        self.lines = lines


def locate(path: Path) -> Path:
    """The transcript file that `path` means: the file itself, or the one in a run's folder."""
    return path / FILE_NAME if path.is_dir() else path


def load(path: Path) -> Transcript:
    """Read a transcript (file or run folder). A torn last line is dropped and said so; anything else that is wrong is an error.

    Raises:
        TranscriptError: no such file, unreadable, or not a transcript.
    """
    file = locate(path)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise TranscriptError(f"cannot read the transcript {file}: {error.strerror or error}") from error

    def blob(name: str) -> bytes:
        try:
            return (file.parent / "blobs" / name).read_bytes()
        except OSError as error:
            raise TranscriptError(f"the transcript {file} lacks a part of itself: blobs/{name}: {error.strerror or error}") from error

    lines = data.splitlines(keepends=True)
    torn = bool(lines) and not lines[-1].endswith(b"\n")
    whole = lines[:-1] if torn else lines
    events = tuple(_decoded(file, number, line, blob) for number, line in enumerate(whole, 1))
    if not events:
        raise TranscriptError(f"{file} holds no event: it is not a transcript, or its run died before the first one")
    return Transcript(events, torn, file.parent, tuple(whole))


def _decoded(file: Path, number: int, line: bytes, blob: Callable[[str], bytes]) -> AnyEvent:
    try:
        return codec.decode(line, blob)
    except TranscriptError as error:
        raise TranscriptError(f"{file}, line {number}: {error}") from error


def is_being_written(path: Path) -> bool:
    """Whether a run that still lives writes this transcript (file or run folder): it holds the lock."""
    with locate(path).open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
    return False


def runs(folder: Path) -> Iterator[Path]:
    """The transcript files under a transcripts folder, newest run first (run ids sort by time)."""
    return iter(sorted(folder.glob(f"*/{FILE_NAME}"), reverse=True))
