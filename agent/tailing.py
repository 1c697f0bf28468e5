"""The log of a running launch, followed as it grows: a copy without secrets in the run's folder, in bounded memory."""

import os
import re
from pathlib import Path
from typing import BinaryIO

from probes.targets.target import Target
from transcripts.errors import TranscriptError
from transcripts.redact import Vault

_STEP = 1_000_000
_MOST_HELD = 262_144
_TAIL_HELD = 4096
_KEY_BEGINS = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")
_KEY_ENDS = re.compile(r"-----END [A-Z ]*PRIVATE KEY-----")


class Redactor:
    """Hides secrets in a stream that comes in pieces: whole lines pass, and a private key that spans lines is held until its end."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._held = ""
        self._raw = b""

    def feed(self, data: bytes) -> str:
        """What can be shown after `data` has come: text whose bytes that are no UTF-8 are surrogate escapes."""
        data = self._raw + data
        cut = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
        if not cut and len(data) > _MOST_HELD:
            cut = len(data)
        self._raw = data[cut:]
        return self._shown(self._held + data[:cut].decode("utf-8", "surrogateescape"))

    def finish(self) -> str:
        """What was still held back, at the end of the stream."""
        text = self._held + self._raw.decode("utf-8", "surrogateescape")
        self._held, self._raw = "", b""
        return self._vault.hide(text)

    def _shown(self, text: str) -> str:
        cut = len(text) if text.endswith(("\n", "\r")) else max(len(text) - _TAIL_HELD, 0)
        begins = list(_KEY_BEGINS.finditer(text))
        if begins and not _KEY_ENDS.search(text, begins[-1].end()) and len(text) - begins[-1].start() < _MOST_HELD:
            cut = min(cut, begins[-1].start())
        self._held = text[cut:]
        return self._vault.hide_log(text[:cut])


class Tail:
    """Follows a log on a target and appends what is new, without secrets, to a private file here."""

    def __init__(self, target: Target, source: str, copy: Path, vault: Vault) -> None:
        self._target = target
        self._source = source
        self._offset = 0
        self._redactor = Redactor(vault)
        self._copy = copy
        self.size = 0
        self._file = _opened(copy)

    async def pull(self, most: int = 2 * _STEP) -> str:
        """The lines that are new since the last pull, `most` bytes or so of them.

        Raises:
            TranscriptError: the copy cannot be written.
        """
        shown = []
        while most > 0:
            look = await self._target.read(self._source, self._offset, _STEP)
            if not look.data:
                break
            self._offset += len(look.data)
            most -= len(look.data)
            shown.append(self._write(self._redactor.feed(look.data)))
        return "".join(shown)

    async def finish(self) -> str:
        """The rest of the log, to its end; the raw log is removed from the target whatever happens."""
        try:
            last = ""
            while text := await self.pull():
                last = text
            return last + self._write(self._redactor.finish())
        finally:
            self._file.close()
            await self._target.remove(self._source)

    def note(self, line: str) -> None:
        """Write a line of our own (the target's reason for not executing the program)."""
        self._write(line + "\n")

    def _write(self, text: str) -> str:
        data = text.encode("utf-8", "surrogateescape")
        try:
            self._file.write(data)
            self._file.flush()
        except OSError as error:
            raise _unwritable(self._copy, error) from error
        self.size += len(data)
        return text


def _opened(path: Path) -> BinaryIO:
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return open(path, "wb", opener=_private)
    except OSError as error:
        raise _unwritable(path, error) from error


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _unwritable(path: Path, error: OSError) -> TranscriptError:
    return TranscriptError(f"cannot write the log {path}: {error.strerror or error}; free some space, or name another folder with --transcripts DIR")
