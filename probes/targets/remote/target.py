"""A target behind a byte stream: every operation is one question to the helper there, so it costs one round trip and the work itself."""

import asyncio
import contextlib
import os
import secrets
import time
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

from probes.targets.remote.client import Client, Patience
from probes.targets.remote.stream import Transport
from probes.targets.target import Look, LookFailure, Polled, Start, Started
from transcripts.errors import TargetUnreachable
from transcripts.records import Command, Output

_SLACK = 60.0
"""Seconds beyond a command's own limit after which the helper is taken to be stuck."""
_FAREWELL = 20.0


class _Ran(Struct, frozen=True):
    status: int | None = None
    stdout: Annotated[int, Meta(ge=0)] = 0
    stderr: Annotated[int, Meta(ge=0)] = 0
    truncated: bool = False
    failure: Literal["", "no-tool", "denied", "timed-out", "unreachable"] = ""
    reason: str = ""


class _Begun(Struct, frozen=True):
    pid: Annotated[int, Meta(ge=0)]
    log: str
    failure: Literal["", "no-tool", "denied", "error"] = ""
    reason: str = ""

    def started(self, mark: str) -> Started:
        """As the target tells it."""
        return Started(pid=self.pid, log=self.log, mark=mark, failure=self.failure, reason=self.reason)


class _Found(Struct, frozen=True):
    status: int | None = None
    received: tuple[str, ...] = ()
    processes: tuple[int, ...] = ()
    cpu_seconds: float = 0.0
    seen: tuple[tuple[str, ...], ...] = ()
    server: int = 0
    server_status: int | None = None
    unknown: bool = False


class _Ended(Struct, frozen=True):
    survivors: tuple[int, ...] = ()


class _Part(Struct, frozen=True):
    size: Annotated[int, Meta(ge=0)]
    failure: LookFailure


class _Placed(Struct, frozen=True):
    path: str = ""
    failure: str = ""


class _Left(Struct, frozen=True):
    found: tuple[int, ...] = ()


Answer = TypeVar("Answer", _Ran, _Begun, _Found, _Ended, _Part, _Placed, _Left)


class RemoteTarget:
    """Runs commands and launches where `transport` leads, as the user it leads to. Linux, with a Python of 3.8 or later, is all that must be there.

    Launches outlive a lost connection, for a while; `close` ends what was started and removes what was placed. `run` names the run that is served.
    """

    def __init__(self, transport: Transport, run: str = "", patience: Patience | None = None) -> None:
        self._transport = transport
        self._run = run or str(os.getpid())
        folder = f"nostart-{self._run}-{secrets.token_hex(6)}"
        self._marks: set[str] = set()
        self._client = Client(transport, folder, patience or Patience())

    @property
    def name(self) -> str:
        """The target as the command line names it."""
        return self._transport.name

    async def run(self, command: Command) -> Output:
        """Run `command` to its end, in the C locale; whatever it started is ended with it."""
        began = time.monotonic()
        stdin = command.stdin.encode("utf-8", "surrogateescape")
        told = {name: getattr(command, name) for name in ("argv", "env", "unset", "cwd", "timeout", "limit")}
        mark = f"command-{self._run}-{secrets.token_hex(6)}"
        try:
            async with asyncio.timeout(command.timeout + _SLACK):
                ran, body = await self._asked(_Ran, "run", stdin, mark=mark, **told)
        except TimeoutError:
            return Output(failure="timed-out", seconds=time.monotonic() - began)
        seconds = time.monotonic() - began
        if ran.failure:
            return Output(failure=ran.failure, stderr=ran.reason, seconds=seconds if ran.failure == "timed-out" else 0.0)
        out, err = (part.decode("utf-8", "replace") for part in (body[: ran.stdout], body[ran.stdout :]))
        return Output(status=ran.status, stdout=out, stderr=err, seconds=seconds, truncated=ran.truncated)

    async def start(self, start: Start) -> Started:
        """Start a program detached; it outlives the connection. Asked again after a lost one, it is not started twice."""
        told = {name: getattr(start, name) for name in ("argv", "env", "unset", "cwd", "mark")}
        self._marks.add(start.mark)
        return (await self._asked(_Begun, "start", **told))[0].started(start.mark)

    async def poll(self, started: Started) -> Polled:
        """Look at a started program without waiting.

        Raises:
            TargetUnreachable: the host knows nothing of it any more (it was restarted, or our helper there was killed).
        """
        found, _ = await self._asked(_Found, "poll", mark=started.mark)
        if found.unknown:
            raise TargetUnreachable(f"{self.name}: the host has lost the launch: it was restarted, or what watched the launch there was killed")
        return Polled(**{name: getattr(found, name) for name in Polled.__struct_fields__})

    async def end(self, started: Started, grace: float) -> tuple[int, ...]:
        """End the program and everything it started: SIGTERM, `grace` seconds, SIGKILL. Cancelled, it kills at once."""
        try:
            ended, _ = await self._asked(_Ended, "end", mark=started.mark, grace=grace)
        except asyncio.CancelledError:
            await self._client.ask("end", mark=started.mark, grace=0.0)
            raise
        return ended.survivors

    async def signal(self, started: Started, number: int) -> None:
        """Send a signal to every process of the program."""
        await self._client.ask("signal", mark=started.mark, signal=number)

    async def read(self, path: str, offset: int = 0, limit: int = 1_000_000) -> Look:
        """Read a part of a file; never blocks."""
        part, data = await self._asked(_Part, "read", path=path, offset=offset, limit=limit)
        return Look(data=data, size=part.size, failure=part.failure)

    async def place(self, name: str, data: bytes) -> str:
        """Put a small private file of ours there; returns its path, which ends in `name`.

        Raises:
            TargetUnreachable: there is no room for it.
        """
        placed, _ = await self._asked(_Placed, "place", data, name=PurePosixPath(name).name)
        if placed.failure:
            raise TargetUnreachable(f"{self.name}: cannot place {name} there: {placed.failure}")
        return placed.path

    async def remove(self, path: str) -> None:
        """Remove a file of ours; any other is left alone."""
        await self._client.ask("remove", path=path)

    async def end_leftovers(self, run: str, prefix: str, grace: float) -> tuple[int, ...]:
        """End what a killed `run` left there: its commands, and its launches, whose mark begins with `prefix`. Returns the pids that were found."""
        found: list[int] = []
        for each in (prefix, f"command-{run}-"):
            found += (await self._asked(_Left, "leftovers", prefix=each, grace=grace))[0].found
        return tuple(sorted(found))

    async def _asked(self, kind: type[Answer], operation: str, body: bytes = b"", **told: Any) -> tuple[Answer, bytes]:
        """The helper's answer, held to its form: nothing that a host says is taken on trust."""
        header, data = await self._client.ask(operation, body, **told)
        try:
            return msgspec.convert(header, kind), data
        except msgspec.ValidationError as error:
            raise TargetUnreachable(f"{self.name}: what comes from there is no answer of the helper: {error}") from error

    async def close(self) -> None:
        """End what still runs, remove what was placed, let go of the connection. Of a far side that is out of reach, its own helper does that."""
        try:
            if self._client.connected:
                with contextlib.suppress(TargetUnreachable, TimeoutError):
                    async with asyncio.timeout(_FAREWELL):
                        for mark in self._marks if self._client.replaced else ():
                            await self._client.ask("end", mark=mark, grace=0.0)
                        await self._client.ask("bye")
        finally:
            await self._client.close()
