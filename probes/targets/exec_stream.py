"""A byte stream through a local program that runs a command elsewhere: ``docker exec -i``, ``kubectl exec -i``."""

import asyncio
import contextlib
import shutil

from probes.targets.remote.stream import Stream
from transcripts.errors import TargetUnreachable

_STEP = 262_144
_WHY = 2.0
_MOST = 4_000


class ExecStream:
    """The stdin and stdout of one such program."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def read(self) -> bytes:
        """What has come; nothing at its end."""
        stdout = self._process.stdout
        return await stdout.read(_STEP) if stdout is not None else b""

    def write(self, data: bytes) -> None:
        """Send, while the program takes it."""
        stdin = self._process.stdin
        if stdin is not None and not stdin.is_closing():
            stdin.write(data)

    async def why(self) -> str:
        """What the program said on stderr."""
        stderr = self._process.stderr
        try:
            async with asyncio.timeout(_WHY):
                return (await stderr.read(_MOST)).decode("utf-8", "replace") if stderr is not None else ""
        except TimeoutError:
            return ""

    def close(self) -> None:
        """End the program; what it started elsewhere sees the end of its stdin."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()

    async def gone(self) -> None:
        """Wait until the program has ended; one that will not is killed."""
        try:
            async with asyncio.timeout(_WHY):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()


class ExecTransport:
    """Makes streams by running `words` with a shell's command behind them; `name` is the target's URL."""

    def __init__(self, name: str, words: tuple[str, ...]) -> None:
        self._name = name
        self._words = words
        self._made: list[ExecStream] = []

    @property
    def name(self) -> str:
        """The target as the command line names it."""
        return self._name

    async def open(self, command: str) -> Stream:
        """A stream to `command`, run by ``sh`` there.

        Raises:
            TargetUnreachable: the program is not here.
        """
        if shutil.which(self._words[0]) is None:
            raise TargetUnreachable(f"{self._name}: there is no {self._words[0]} here to reach it with")
        pipe = asyncio.subprocess.PIPE
        words = (*self._words, "sh", "-c", command)
        process = await asyncio.create_subprocess_exec(*words, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
        stream = ExecStream(process)
        self._made.append(stream)
        return stream

    async def close(self) -> None:
        """End what still runs."""
        for stream in self._made:
            stream.close()
            await stream.gone()
        self._made.clear()
