"""A command run as if nobody stood between: its streams passed through untouched and apart, its signals forwarded, a copy kept while it starts."""

import asyncio
import os
import signal
from collections.abc import Callable, Mapping
from typing import BinaryIO

from msgspec import Struct

from agent.progress import Phases
from probes.frameworks.framework import Framework
from probes.targets.processes import Family
from probes.targets.spawning import spawn
from transcripts.redact import Vault

FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
_CHUNK = 1 << 16
_LONGEST = 1 << 18


class Passed(Struct, frozen=True, kw_only=True):
    """How the command ended: its status (negative for a signal), whether it was up before, whether a signal was passed to it."""

    status: int
    up: bool
    stopped: bool


class Copy:
    """The log of a command while it starts, without its secrets; it stops growing once the command is up."""

    def __init__(self, file: BinaryIO | None, framework: Framework | None, vault: Vault) -> None:
        self._file = file
        self._phases = Phases(framework)
        self._vault = vault
        self._rests: dict[int, bytes] = {}
        self._up = file is None

    @property
    def up(self) -> bool:
        """Whether the framework's log said that it serves."""
        return self._file is not None and self._up

    def take(self, stream: int, data: bytes) -> None:
        """Keep what a stream brought, by whole lines (nothing is kept once it is up); no data is its end."""
        if self._up:
            return
        if not data and self._rests.get(stream):
            self._finish(stream)
        for index, part in enumerate(data.split(b"\n")):
            if index:
                self._finish(stream)
            # Of a line without an end only its beginning is kept, so that memory stays bounded.
            held = self._rests.get(stream, b"")
            self._rests[stream] = held if len(held) >= _LONGEST else held + part

    def _finish(self, stream: int) -> None:
        self._keep(self._rests.pop(stream, b"")[:_LONGEST].decode("utf-8", "backslashreplace"))

    def _keep(self, line: str) -> None:
        self._phases.take(line)
        self._up = self._up or self._phases.last == "up"
        if self._file is not None:
            self._file.write(self._vault.hide(line).encode("utf-8", "backslashreplace") + b"\n")


async def pass_through(argv: tuple[str, ...], environment: Mapping[str, str], mark: str, copy: Copy) -> Passed:
    """Run `argv` to its end; whatever it started is ended with it.

    Raises:
        OSError, ValueError: it cannot be executed.
    """
    (out, out_end), (err, err_end) = os.pipe(), os.pipe()
    try:
        process = spawn(argv, environment, None, 0, out_end, err_end)
    except (OSError, ValueError):
        os.close(out)
        os.close(err)
        raise
    finally:
        os.close(out_end)
        os.close(err_end)
    family = Family(process.pid, mark, process.poll)
    sent = _forward(process.pid, process.poll)
    streams = [asyncio.to_thread(_pump, out, 1, copy), asyncio.to_thread(_pump, err, 2, copy)]
    pumping = asyncio.gather(*streams)
    status = await asyncio.to_thread(process.wait)
    family.kill()
    await pumping
    return Passed(status=status, up=copy.up, stopped=bool(sent))


def _pump(source: int, sink: int, copy: Copy) -> None:
    """Carry bytes from one descriptor to another until the source ends; where nobody reads any more, its writer learns so."""
    try:
        while data := os.read(source, _CHUNK):
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(sink, rest) :]
            copy.take(sink, data)
        copy.take(sink, b"")
    except BrokenPipeError:
        return
    finally:
        os.close(source)


def _forward(pid: int, poll: Callable[[], int | None]) -> list[int]:
    """Pass signals on to the command: an interrupt to its whole group, as a terminal does, the others to itself."""
    sent: list[int] = []
    loop = asyncio.get_running_loop()

    def forward(number: int) -> None:
        sent.append(number)
        if poll() is None:
            (os.killpg if number == signal.SIGINT else os.kill)(pid, number)

    for number in FORWARDED:
        loop.add_signal_handler(number, forward, number)
    return sent
