"""This machine as a target: Linux, since a launch's processes are followed through ``/proc``."""

import asyncio
import contextlib
import glob
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from probes.targets.files import private, read_part, remove_own, write_private
from probes.targets.processes import Family, marked
from probes.targets.received import Sightings
from probes.targets.spawning import environment, failure, reason, spawn
from probes.targets.streams import Streams
from probes.targets.target import Look, Polled, Start, Started
from transcripts.records import Command, Output

_COMMAND = "command-"
"""How the mark of a command that is run to its end begins."""
_PATIENCE = 5.0


class LocalTarget:
    """Runs commands and launches on this machine. What it started is ended at the latest by `close`.

    `run` names the run that it serves, so that a later one finds what it left when it was killed itself.
    """

    def __init__(self, run: str = "") -> None:
        self._run = run or str(os.getpid())
        self._folder: Path | None = None
        self._families: dict[str, Family] = {}
        self._sightings: dict[str, Sightings] = {}

    @property
    def name(self) -> str:
        """The target as the command line names it."""
        return "local"

    async def run(self, command: Command) -> Output:
        """Run `command` to its end, in a session of its own and in the C locale; whatever it started is ended with it."""
        began = time.monotonic()
        mark = f"{_COMMAND}{self._run}-{secrets.token_hex(6)}"
        env = environment({"LC_ALL": "C"}, command.env, command.unset, mark)
        stdin = subprocess.PIPE if command.stdin else subprocess.DEVNULL
        try:
            process = spawn(command.argv, env, command.cwd, stdin, subprocess.PIPE, subprocess.PIPE)
        except (OSError, ValueError) as error:
            return Output(failure="no-tool" if failure(error) == "no-tool" else "denied", stderr=reason(command.argv, command.cwd, error))
        family = self._adopt(process, mark)
        streams = Streams(process)
        try:
            async with asyncio.timeout(command.timeout):
                await streams.connect(command.stdin, command.limit)
                await _ended(process)
                family.kill()
                await streams.drained()
        except TimeoutError:
            return Output(failure="timed-out", seconds=time.monotonic() - began)
        finally:
            family.kill()
            streams.close()
            self._families.pop(mark).forget()
        return streams.output(process.returncode, time.monotonic() - began)

    async def start(self, start: Start) -> Started:
        """Start a program detached, stdout and stderr combined in one private log file."""
        log = str(self._private() / f"{start.mark}.log")
        try:
            process = _spawn_logged(start, log)
        except (OSError, ValueError) as error:
            return Started(pid=0, log=log, mark=start.mark, failure=failure(error), reason=reason(start.argv, start.cwd, error))
        family = self._adopt(process, start.mark)
        sightings = self._sightings[start.mark] = Sightings(process.pid)
        sightings.look(family.members())
        return Started(pid=process.pid, log=log, mark=start.mark)

    async def poll(self, started: Started) -> Polled:
        """Look at a started program without waiting."""
        family, sightings = self._families[started.mark], self._sightings[started.mark]
        status = family.status()
        members = family.members() if status is not None else family.recent_members()
        sightings.look(members)
        return Polled(
            status=status,
            received=sightings.received,
            processes=tuple(pid for pid, process in members.items() if process.alive),
            cpu_seconds=family.cpu_seconds,
            seen=sightings.seen,
            server=sightings.server,
            server_status=family.statuses.get(sightings.server),
        )

    async def end(self, started: Started, grace: float) -> tuple[int, ...]:
        """End the program and everything it started: SIGTERM, `grace` seconds, SIGKILL. Cancelled, it kills at once."""
        family = self._families.get(started.mark)
        if family is None:
            return ()
        try:
            await _end_politely(family, grace)
        finally:
            survivors = family.kill()
        return survivors

    async def signal(self, started: Started, number: int) -> None:
        """Send a signal to every process of the program."""
        self._families[started.mark].signal(number)

    async def read(self, path: str, offset: int = 0, limit: int = 1_000_000) -> Look:
        """Read a part of a file; never blocks."""
        return Look(**read_part(path, offset, limit)._asdict())

    async def place(self, name: str, data: bytes) -> str:
        """Put a small private file of ours here; returns its path, which ends in `name`."""
        return write_private(self._private(), name, data)

    async def remove(self, path: str) -> None:
        """Remove a file of ours; any other is left alone."""
        if self._folder is not None:
            remove_own(self._folder, path)

    async def close(self) -> None:
        """End what still runs and remove what was placed."""
        for family in self._families.values():
            family.kill()
            family.forget()
        self._families.clear()
        self._sightings.clear()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def leftovers(self, prefix: str) -> tuple[int, ...]:
        """The processes of launches whose mark begins with `prefix` that an earlier run left (it was killed itself)."""
        return marked(prefix)

    async def end_leftovers(self, run: str, prefix: str, grace: float) -> tuple[int, ...]:
        """End what a killed `run` left here and remove its private files: its commands, and its launches, whose mark begins with `prefix`.

        SIGTERM, `grace` seconds, SIGKILL; returns the pids that were found.
        """
        found = set(_left(run, prefix))
        _send(found, signal.SIGTERM)
        deadline = time.monotonic() + grace
        while (left := set(_left(run, prefix))) and time.monotonic() < deadline:
            found |= left
            await asyncio.sleep(0.05)
        deadline = time.monotonic() + _PATIENCE
        while (left := set(_left(run, prefix))) and time.monotonic() < deadline:
            found |= left
            _send(left, signal.SIGKILL)
            await asyncio.sleep(0.02)
        _clear(run)
        return tuple(sorted(found))

    def _adopt(self, process: subprocess.Popen[bytes], mark: str) -> Family:
        family = self._families[mark] = Family(process.pid, mark, process.poll)
        return family

    def _private(self) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix=f"nostart-{self._run}-"))
        return self._folder


def _left(run: str, prefix: str) -> tuple[int, ...]:
    return (*marked(prefix), *marked(f"{_COMMAND}{run}-"))


def _clear(run: str) -> None:
    for folder in Path(tempfile.gettempdir()).glob(f"nostart-{glob.escape(run)}-*"):
        if folder.is_dir() and not folder.is_symlink() and folder.stat().st_uid == os.getuid():
            shutil.rmtree(folder, ignore_errors=True)


def _send(pids: Iterable[int], number: int) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _spawn_logged(start: Start, log: str) -> subprocess.Popen[bytes]:
    with open(log, "ab", opener=private) as file:
        return spawn(start.argv, environment({}, start.env, start.unset, start.mark), start.cwd, subprocess.DEVNULL, file, subprocess.STDOUT)


async def _ended(process: subprocess.Popen[bytes]) -> None:
    pause = 0.001
    while process.poll() is None:
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, 0.02)


async def _end_politely(family: Family, grace: float) -> None:
    deadline = time.monotonic() + grace
    told: set[int] = set()
    pause = 0.005
    while time.monotonic() < deadline and (living := family.living(thorough=not told)):
        if not told.issuperset(living):
            told |= set(family.signal(signal.SIGTERM))
            family.signal(signal.SIGCONT)
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, 0.1)
