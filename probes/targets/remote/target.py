"""A target behind a byte stream: every operation is one question to the helper there, so it costs one round trip and the work itself."""

import asyncio
import contextlib
import os
import secrets
import time
from pathlib import PurePosixPath

import msgspec

from probes.targets.remote.client import Client, Patience
from probes.targets.remote.stream import Transport
from probes.targets.target import Look, Polled, Start, Started
from transcripts.errors import TargetUnreachable
from transcripts.records import Command, Output

_SLACK = 60.0
"""Seconds beyond a command's own limit after which the helper is taken to be stuck."""
_FAREWELL = 20.0


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
                header, body = await self._client.ask("run", stdin, mark=mark, **told)
        except TimeoutError:
            return Output(failure="timed-out", seconds=time.monotonic() - began)
        seconds = time.monotonic() - began
        if header.get("failure"):
            timed = seconds if header["failure"] == "timed-out" else 0.0
            return Output(failure=header["failure"], stderr=header.get("reason", ""), seconds=timed)
        out, err = body[: header["stdout"]], body[header["stdout"] :]
        return Output(
            status=header["status"],
            stdout=out.decode("utf-8", "replace"),
            stderr=err.decode("utf-8", "replace"),
            seconds=seconds,
            truncated=header["truncated"],
        )

    async def start(self, start: Start) -> Started:
        """Start a program detached; it outlives the connection. Asked again after a lost one, it is not started twice."""
        told = {name: getattr(start, name) for name in ("argv", "env", "unset", "cwd", "mark")}
        self._marks.add(start.mark)
        header, _ = await self._client.ask("start", **told)
        return Started(pid=header["pid"], log=header["log"], mark=start.mark, failure=header.get("failure", ""), reason=header.get("reason", ""))

    async def poll(self, started: Started) -> Polled:
        """Look at a started program without waiting.

        Raises:
            TargetUnreachable: the host knows nothing of it any more (it was restarted, or our helper there was killed).
        """
        header, _ = await self._client.ask("poll", mark=started.mark)
        if header.get("unknown"):
            raise TargetUnreachable(f"{self.name}: the host has lost the launch: it was restarted, or what watched the launch there was killed")
        del header["number"]
        return msgspec.convert(header, Polled)

    async def end(self, started: Started, grace: float) -> tuple[int, ...]:
        """End the program and everything it started: SIGTERM, `grace` seconds, SIGKILL. Cancelled, it kills at once."""
        try:
            header, _ = await self._client.ask("end", mark=started.mark, grace=grace)
        except asyncio.CancelledError:
            await self._client.ask("end", mark=started.mark, grace=0.0)
            raise
        return tuple(header["survivors"])

    async def signal(self, started: Started, number: int) -> None:
        """Send a signal to every process of the program."""
        await self._client.ask("signal", mark=started.mark, signal=number)

    async def read(self, path: str, offset: int = 0, limit: int = 1_000_000) -> Look:
        """Read a part of a file; never blocks."""
        header, body = await self._client.ask("read", path=path, offset=offset, limit=limit)
        return Look(data=body, size=header["size"], failure=header["failure"])

    async def place(self, name: str, data: bytes) -> str:
        """Put a small private file of ours there; returns its path, which ends in `name`.

        Raises:
            TargetUnreachable: there is no room for it.
        """
        header, _ = await self._client.ask("place", data, name=PurePosixPath(name).name)
        if header.get("failure"):
            raise TargetUnreachable(f"{self.name}: cannot place {name} there: {header['failure']}")
        return str(header["path"])

    async def remove(self, path: str) -> None:
        """Remove a file of ours; any other is left alone."""
        await self._client.ask("remove", path=path)

    async def end_leftovers(self, run: str, prefix: str, grace: float) -> tuple[int, ...]:
        """End what a killed `run` left there: its commands, and its launches, whose mark begins with `prefix`. Returns the pids that were found."""
        found: list[int] = []
        for each in (prefix, f"command-{run}-"):
            header, _ = await self._client.ask("leftovers", prefix=each, grace=grace)
            found += header["found"]
        return tuple(sorted(found))

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
