"""Our end of the stream: questions by number, asked again over a new connection when the old one is lost, until patience ends.

Faults of the transport are retried here and nowhere else; what a command or a launch does is an answer like any other.
"""

import asyncio
import contextlib
from collections.abc import Callable
from itertools import count
from typing import Any

from msgspec import Struct
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt, stop_after_delay, stop_all, wait_random_exponential

from probes.targets.remote.bundle import COMMAND, program
from probes.targets.remote.frames import READY, Frame, Unpacker, pack
from probes.targets.remote.keeper import SILENT_LEASES
from probes.targets.remote.stream import Lost, Stream, Transport
from transcripts.errors import TargetUnreachable

_TRIES = 3
_PING = 15.0
_CANCEL = 15.0
_START = 60.0
"""Seconds that a far side has to start the helper once the connection stands."""
_MOST_NOISE = 1_000_000


class Patience(Struct, frozen=True, kw_only=True):
    """In seconds: how long the `first` connection is tried, how long a lost one is tried `again`, and the `lease` for which launches there outlive
    it. The lease is the longest, so that whoever comes back finds them."""

    first: float = 5.0
    again: float = 40.0
    lease: float = 60.0


class _Waiting:
    def __init__(self, operation: str, frame: bytes) -> None:
        self.operation = operation
        self.frame = frame
        self.answer: asyncio.Future[Frame] = asyncio.get_running_loop().create_future()


class Client:
    """Asks the helper of one run on one far side. Connects with the first question; `folder` is the helper's folder there, by name."""

    def __init__(self, transport: Transport, folder: str, patience: Patience) -> None:
        self._transport = transport
        self._hello = {"number": 0, "op": "hello", "folder": folder, "lease": patience.lease, "waiting": 0}
        self._patience = patience
        self._numbers = count(1)
        self._waiting: dict[int, _Waiting] = {}
        self._stream: Stream | None = None
        self._wanted = asyncio.Event()
        self._keeping: asyncio.Task[None] | None = None
        self._lost: BaseException | None = None
        self._keeper = 0
        self._greeted = False
        self.connected = False
        self.replaced = False

    async def ask(self, operation: str, body: bytes = b"", **told: Any) -> Frame:
        """The answer of the far side. Cancelled, a command that runs there is ended first.

        Raises:
            TargetUnreachable: there is no connection, and none is to be had.
        """
        if self._lost is not None:
            raise self._lost
        number = next(self._numbers)
        told = {"number": number, "op": operation, "waiting": min(self._waiting, default=number), **told}
        waiting = self._waiting[number] = _Waiting(operation, pack(told, body))
        self._send(waiting.frame)
        try:
            return await waiting.answer
        except asyncio.CancelledError:
            if operation == "run":
                await self._cancelled(number)
            raise
        finally:
            del self._waiting[number]

    async def close(self) -> None:
        """Let go of the connection."""
        if self._keeping is not None:
            self._keeping.cancel()
            await asyncio.gather(self._keeping, return_exceptions=True)
            self._keeping = None
        self._drop()
        self.connected = False
        await self._transport.close()

    async def _cancelled(self, number: int) -> None:
        with contextlib.suppress(TargetUnreachable, TimeoutError):
            async with asyncio.timeout(_CANCEL):
                await self.ask("cancel", target=number)

    def _send(self, frame: bytes) -> None:
        if self._stream is not None:
            self._stream.write(frame)
            return
        self._wanted.set()
        if self._keeping is None:
            self._keeping = asyncio.create_task(self._keep())
            self._keeping.add_done_callback(self._kept)

    def _kept(self, task: asyncio.Task[None]) -> None:
        """The connection is given up: tell everybody who waits."""
        error = self._lost = None if task.cancelled() else task.exception()
        for waiting in self._waiting.values():
            if not waiting.answer.done():
                waiting.answer.set_exception(error or TargetUnreachable(f"{self._transport.name}: the connection is closed"))

    async def _keep(self) -> None:
        """Hold a connection while somebody wants one."""
        while True:
            await self._wanted.wait()
            stream, unpacker, rest = await self._connect()
            if self._keeper and not await self._found_again(stream, unpacker, rest):
                continue
            rest = b"" if self._keeper else rest
            self._stream = stream
            self._wanted.clear()
            for number in sorted(self._waiting):
                stream.write(self._waiting[number].frame)
            ping = asyncio.create_task(self._ping(stream))
            try:
                await self._receive(stream, unpacker, rest)
            except Lost:
                pass
            finally:
                ping.cancel()
                self._drop()
            if self._waiting:
                self._wanted.set()

    async def _found_again(self, stream: Stream, unpacker: Unpacker, data: bytes) -> bool:
        """Whether the connection stands until the helper has said who it is. Another one than before knows of no launch: none is to be made twice."""
        before = self._keeper
        try:
            await self._receive(stream, unpacker, data, until=lambda: self._greeted)
        except Lost:
            self._greeted = False
        if not self._greeted:
            stream.close()
            return False
        if self._keeper != before:
            self.replaced = True
            for waiting in self._waiting.values():
                if waiting.operation == "start" and not waiting.answer.done():
                    waiting.answer.set_exception(
                        TargetUnreachable(f"{self._transport.name}: what watched the launch there was lost while it started")
                    )
        return True

    async def _connect(self) -> tuple[Stream, Unpacker, bytes]:
        retrying = AsyncRetrying(
            retry=retry_if_exception_type(Lost),
            wait=wait_random_exponential(multiplier=0.25, max=4.0),
            # Many connections at once may wait long for their first try: some tries each has in any case.
            stop=stop_all(stop_after_delay(self._patience.again if self.connected else self._patience.first), stop_after_attempt(_TRIES)),
            retry_error_callback=self._given_up,
        )
        found: tuple[Stream, Unpacker, bytes] = await retrying(self._opened)
        self.connected = True
        return found

    def _given_up(self, state: RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome else None
        again = "lost, and not to be had again" if self.connected else "no connection"
        tries = f"{state.attempt_number} tries" if state.attempt_number > 1 else "one try"
        kept = f"; what was launched there is ended by itself within {self._patience.lease * SILENT_LEASES:.0f} s" if self.connected else ""
        raise TargetUnreachable(f"{self._transport.name}: {again} in {tries}: {error}{kept}")

    async def _opened(self) -> tuple[Stream, Unpacker, bytes]:
        """A stream behind which the helper answers."""
        self._greeted = False
        stream = await self._transport.open(COMMAND)
        stream.write(program() + pack(self._hello))
        stood = False
        try:
            async with asyncio.timeout(_START):
                rest = await self._after_noise(stream)
            stood = True
            return stream, Unpacker(), rest
        except TimeoutError as error:
            raise Lost(f"no answer within {_START:.0f} s of connecting") from error
        finally:
            if not stood:
                stream.close()

    async def _after_noise(self, stream: Stream) -> bytes:
        """What comes behind the helper's first word; a banner before it is dropped."""
        data = b""
        while READY not in data:
            if len(data) > _MOST_NOISE:
                raise TargetUnreachable(f"{self._transport.name}: prints without end instead of running a command")
            piece = await stream.read()
            if not piece:
                said = (await stream.why()).strip() or data.decode("utf-8", "replace").strip()
                if said:
                    raise TargetUnreachable(f"{self._transport.name}: cannot be asked; it says: {' '.join(said.split())[-300:]}")
                raise Lost("the session was closed before anything was said")
            data += piece
        return data.partition(READY)[2]

    async def _receive(self, stream: Stream, unpacker: Unpacker, data: bytes, until: Callable[[], bool] = lambda: False) -> None:
        while True:
            try:
                for header, body in unpacker.feed(data):
                    self._take(header, body)
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise TargetUnreachable(f"{self._transport.name}: what comes from there is no answer of the helper") from error
            if until():
                return
            data = await stream.read()
            if not data:
                return

    def _take(self, header: dict[str, Any], body: bytes) -> None:
        number = header.pop("number")
        if not number:
            self._keeper, self._greeted = header["pid"], True
        waiting = self._waiting.get(number)
        if waiting is not None and not waiting.answer.done():
            waiting.answer.set_result((header, body))

    async def _ping(self, stream: Stream) -> None:
        while True:
            await asyncio.sleep(_PING)
            number = next(self._numbers)
            stream.write(pack({"number": number, "op": "ping", "waiting": min(self._waiting, default=number)}))

    def _drop(self) -> None:
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.close()
