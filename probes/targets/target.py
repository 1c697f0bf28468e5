"""What a target is: a place where commands run and files lie, of few operations.

Probes, the launcher and readiness use these alone, so that another kind of place is one more file (`local.py`, later ssh, container, pod),
held to the same conformance suite. A look that failed is a value (`failure`); `TargetUnreachable` is raised only when nothing can be asked at all.
"""

from typing import Literal, Protocol

from msgspec import field

from probes.targets.files import LookFailure
from transcripts.records import Command, Output, Record

__all__ = ["Look", "LookFailure", "Polled", "Start", "Started", "Target"]


class Start(Record, frozen=True, kw_only=True):
    """A program to be started detached, its combined output going to a log on the target. Secrets are already revealed in it."""

    argv: tuple[str, ...]
    env: dict[str, str] = field(default_factory=dict)
    unset: tuple[str, ...] = ()
    cwd: str | None = None
    mark: str


class Started(Record, frozen=True, kw_only=True):
    """A started program: its pid, its log, and the mark in its environment by which every descendant is found again.

    `failure` is set when the target could not execute it (`pid` is 0 then): ``no-tool`` no such program, ``denied`` not executable.
    """

    pid: int
    log: str
    mark: str
    failure: Literal["", "no-tool", "denied", "error"] = ""
    reason: str = ""


class Polled(Record, frozen=True, kw_only=True):
    """How a started program is doing. `status` is None while it runs, negative for a signal.

    `received` is the argv of the newest exec in the chain that is the server program (from ``/proc``), empty where it cannot be read.
    `processes` are the pids of it and its descendants, wherever they moved; `cpu_seconds` what they used so far. `seen` holds the argv of every
    exec seen in them, oldest first. `server` is the pid that `received` belongs to; `server_status` how it ended, if as an orphan.
    """

    status: int | None
    received: tuple[str, ...] = ()
    processes: tuple[int, ...] = ()
    cpu_seconds: float = 0.0
    seen: tuple[tuple[str, ...], ...] = ()
    server: int = 0
    server_status: int | None = None


class Look(Record, frozen=True, kw_only=True):
    """A part of a file: `data` from `offset`, and the file's `size` now."""

    data: bytes = b""
    size: int = 0
    failure: LookFailure = ""


class Target(Protocol):
    """A place where launches run. All operations are coroutines; none raises for what a command or a file does."""

    @property
    def name(self) -> str:
        """The target as the command line names it (``local``, ``ssh://…``)."""
        ...

    async def run(self, command: Command) -> Output:
        """Run `command` to its end, in a session of its own, within its limits; whatever it started is ended with it."""
        ...

    async def start(self, start: Start) -> Started:
        """Start a program detached, its stdout and stderr going to one log file."""
        ...

    async def poll(self, started: Started) -> Polled:
        """Look at a started program without waiting."""
        ...

    async def end(self, started: Started, grace: float) -> tuple[int, ...]:
        """End the program and everything it started, politely first (`grace` seconds); returns the pids that would not die."""
        ...

    async def signal(self, started: Started, number: int) -> None:
        """Send a signal to every process of the program."""
        ...

    async def read(self, path: str, offset: int = 0, limit: int = 1_000_000) -> Look:
        """Read a part of a file."""
        ...

    async def place(self, name: str, data: bytes) -> str:
        """Put a small private file of ours on the target; returns its path."""
        ...

    async def remove(self, path: str) -> None:
        """Remove a file that `place` put there, or a log that `start` made."""
        ...

    async def close(self) -> None:
        """Release the connection and remove what was placed."""
        ...
