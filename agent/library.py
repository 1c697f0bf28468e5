"""The library of runs: what lies in the transcripts folder, run by run, and what may be thrown away. Read as it is, without replaying anything."""

import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from transcripts.errors import TranscriptError, UsageError
from transcripts.journal import FILE_NAME, runs
from transcripts.postmortem.marks import seconds_between
from transcripts.records import Record

_NEEDED = (b'"event":"launch-understood"', b'"event":"diagnosed"', b'"event":"run-ended"', b'"probe":"versions"')
_RELEASE = re.compile(r"^\S+ (\d[\w.+!-]*)")


class Entry(Record, frozen=True, kw_only=True):
    """One run in a line. `outcome` is that of its diagnosis, ``cut off`` where it has none, ``unreadable`` where it is no transcript.

    `written` is when its transcript was last written to, in seconds of the epoch.
    """

    run: str
    started: str = ""
    verb: str = ""
    framework: str = ""
    release: str = ""
    command: str = ""
    outcome: str = "unreadable"
    cause: str = ""
    probability: float = 0.0
    confirmed: bool = False
    launches: int = 0
    probes: int = 0
    seconds: float = 0.0
    finished: bool = False
    written: float = 0.0
    size: int = 0


class Wanted(Record, frozen=True, kw_only=True):
    """Which runs: every field that is not empty must fit. A cause fits by its id or its family, times by their beginning (``2026-12``)."""

    cause: str = ""
    framework: str = ""
    release: str = ""
    outcome: str = ""
    since: str = ""
    until: str = ""

    def fits(self, entry: Entry) -> bool:
        """Whether `entry` is one of them."""
        return (
            (not self.cause or entry.cause == self.cause or entry.cause.startswith(self.cause.rstrip("/") + "/"))
            and (not self.framework or entry.framework == self.framework.lower())
            and (not self.release or entry.release == self.release or entry.release.startswith(self.release + "."))
            and (not self.outcome or entry.outcome == self.outcome)
            and (not self.since or entry.started[: len(self.since)] >= self.since)
            and (not self.until or (bool(entry.started) and entry.started[: len(self.until)] <= self.until))
        )


def entries(folder: Path, wanted: Wanted | None = None) -> Iterator[Entry]:
    """The runs under a transcripts folder, newest first."""
    for file in runs(folder):
        found = entry(file)
        if wanted is None or wanted.fits(found):
            yield found


def entry(file: Path) -> Entry:
    """One run, read as far as a line about it needs. A file that is no transcript is an ``unreadable`` entry, never an error."""
    run = file.parent.name
    try:
        data = file.read_bytes()
        written = file.stat().st_mtime
        size = sum(one.stat().st_size for one in file.parent.rglob("*") if one.is_file() and not one.is_symlink())
    except OSError:
        return Entry(run=run)
    lines = data.splitlines()
    told = [plain for line in lines[:1] + [line for line in lines[1:] if any(tag in line for tag in _NEEDED)] if (plain := _plain(line))]
    if not told or told[0].get("event") != "run-started":
        return Entry(run=run, size=size, written=written)
    return msgspec.structs.replace(_entry(run, told), size=size, written=written)


def _plain(line: bytes) -> dict[str, Any]:
    try:
        value = msgspec.json.decode(line)
    except msgspec.DecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def _entry(run: str, told: list[dict[str, Any]]) -> Entry:
    first = told[0]
    last: dict[str, dict[str, Any]] = {str(one.get("event")): one for one in told}
    diagnosed = last.get("diagnosed", {})
    diagnosis: dict[str, Any] = diagnosed.get("diagnosis", {})
    cause: dict[str, Any] = diagnosis.get("cause") or {}
    launch: dict[str, Any] = first.get("launch", {})
    return Entry(
        run=run,
        started=str(first.get("at", "")),
        verb=str(first.get("verb", "")),
        framework=str(last.get("launch-understood", {}).get("framework", "") or first.get("framework", "")),
        release=str(first.get("release", "")) or _release(told),
        command=str(launch.get("shell") or " ".join(map(str, launch.get("argv", ())))),
        outcome=str(diagnosis.get("outcome", "cut off")),
        cause=str(cause.get("hypothesis", {}).get("cause", "")),
        probability=float(cause.get("probability", 0.0)),
        confirmed=bool(cause.get("confirmed", False)),
        launches=int(diagnosis.get("launches", 0)),
        probes=int(diagnosis.get("probes", 0)),
        seconds=seconds_between(str(first.get("at", "")), str(diagnosed.get("at", ""))),
        finished="run-ended" in last,
    )


def _release(told: Iterable[dict[str, Any]]) -> str:
    """The release that the installed distribution said it is."""
    for one in told:
        reading = one.get("reading", {})
        if reading.get("question", {}).get("probe") == "versions" and (found := _RELEASE.match(str(reading.get("text", "")))):
            return found[1]
    return ""


def find(folder: Path, name: str) -> Path:
    """The folder of the run called `name`: its id, the beginning of one, ``last``, or a path.

    Raises:
        UsageError: there is none, or several begin so.
    """
    if (Path(name) / FILE_NAME).is_file() or Path(name).is_file():
        return Path(name)
    known = [file.parent for file in runs(folder)]
    if name == "last" and known:
        return known[0]
    fitting = [one for one in known if one.name == name] or [one for one in known if one.name.startswith(name) and name]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise UsageError(f"{len(fitting)} runs begin with {name}: {', '.join(one.name for one in fitting[:5])}; give more of the name")
    raise UsageError(f"no run {name} in {folder}; see: nostart runs")


def prunable(folder: Path, wanted: Wanted, keep: int, idle_since: float) -> list[Entry]:
    """The runs that fit and may go: all but the `keep` newest.

    One that is not finished may be running: it goes only if nothing was written to it since `idle_since` (seconds of the epoch).
    """
    return [one for one in list(entries(folder, wanted))[keep:] if one.finished or one.written < idle_since]


def remove(folder: Path, run: str) -> None:
    """Delete one run's folder. A link is never followed.

    Raises:
        TranscriptError: it is no run's folder, or cannot be deleted.
    """
    path = folder / run
    if path.is_symlink() or not (path / FILE_NAME).is_file() or path.parent != folder:
        raise TranscriptError(f"{path} is no run's own folder; nothing was deleted there")
    try:
        shutil.rmtree(path)
    except OSError as error:
        raise TranscriptError(f"cannot delete {path}: {error.strerror or error}") from error
