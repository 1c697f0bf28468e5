"""The pipes of a command that runs to its end: fed and read without blocking, in bounded memory."""

import asyncio
import subprocess
from functools import partial

from transcripts.records import Output


class Capture(asyncio.Protocol):
    """The first `limit` bytes of a stream; the rest is read and dropped, so that the writer never blocks."""

    def __init__(self, limit: int) -> None:
        self.data = bytearray()
        self.truncated = False
        self.done = asyncio.Event()
        self._limit = limit

    def data_received(self, data: bytes) -> None:
        """Keep what still fits."""
        room = self._limit - len(self.data)
        self.data += data[:room]
        self.truncated |= len(data) > room

    def connection_lost(self, _error: Exception | None) -> None:
        """The stream's end."""
        self.done.set()


class Streams:
    """The pipes of one command."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._pipes = process.stdin, process.stdout, process.stderr
        self._captures: list[Capture] = []
        self._transports: list[asyncio.BaseTransport] = []

    async def connect(self, stdin: str, limit: int) -> None:
        """Start reading both outputs, `limit` bytes of each, and feed `stdin`."""
        loop = asyncio.get_running_loop()
        for pipe in self._pipes[1:]:
            capture = Capture(limit)
            self._captures.append(capture)
            self._transports.append((await loop.connect_read_pipe(partial(_same, capture), pipe))[0])
        if self._pipes[0] is not None:
            writer, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, self._pipes[0])
            self._transports.append(writer)
            writer.write(stdin.encode("utf-8", "surrogateescape"))
            writer.write_eof()

    async def drained(self) -> None:
        """Wait for the end of both outputs."""
        for capture in self._captures:
            await capture.done.wait()

    def output(self, status: int, seconds: float) -> Output:
        """What was read, with the command's status; bytes that are no UTF-8 become replacement characters."""
        out, err = (bytes(capture.data).decode("utf-8", "replace") for capture in self._captures)
        return Output(status=status, stdout=out, stderr=err, seconds=seconds, truncated=any(c.truncated for c in self._captures))

    def close(self) -> None:
        """Close the pipes, whoever else may still hold them."""
        for transport in self._transports:
            transport.close()
        for pipe in self._pipes:
            if pipe is not None:
                pipe.close()


def _same(capture: Capture) -> Capture:
    return capture
