"""A line that can be cut: a TCP relay on loopback between a client and a real SSH server."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress


class Line:
    """What passes between the two sides. `delay` is the seconds that every byte needs in each direction."""

    def __init__(self, server: int, delay: float = 0.0) -> None:
        self._server = server
        self._delay = delay
        self._open: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._passing = asyncio.Event()
        self._passing.set()
        self.port = 0
        self.connections = 0

    def cut(self) -> None:
        """Reset every connection."""
        for writer in list(self._open):
            writer.transport.abort()

    def drop(self) -> None:
        """From now on nothing passes, and nobody is told: as a firewall drops packets."""
        self._passing.clear()

    def restore(self) -> None:
        """What comes from now on passes again; what was sent in between is lost with its connection."""
        self.cut()
        self._passing.set()

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Relay one connection."""
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self._open.add(writer)
        other: asyncio.StreamWriter | None = None
        try:
            await self._passing.wait()
            back, other = await asyncio.open_connection("127.0.0.1", self._server)
            self._open.add(other)
            await asyncio.gather(self._relayed(reader, other), self._relayed(back, writer))
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            for one in (writer, other):
                if one is not None:
                    self._open.discard(one)
                    one.transport.abort()

    async def _relayed(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                if self._delay:
                    asyncio.get_running_loop().call_later(self._delay, _sent, writer, data)
                    continue
                await self._passing.wait()
                writer.write(data)
                await writer.drain()
        writer.transport.abort()

    async def close(self) -> None:
        """End every connection."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0.01)


def _sent(writer: asyncio.StreamWriter, data: bytes) -> None:
    if not writer.is_closing():
        writer.write(data)


@asynccontextmanager
async def line_to(server: int, delay: float = 0.0) -> AsyncIterator[Line]:
    """A line to the server on the port `server`."""
    line = Line(server, delay)
    listening = await asyncio.start_server(line.accept, "127.0.0.1", 0)
    line.port = listening.sockets[0].getsockname()[1]
    try:
        yield line
    finally:
        listening.close()
        await line.close()
