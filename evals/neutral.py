"""A target seen under neutral paths: what lies in a scratch folder or a cache of ours is told as ``/srv`` and ``/opt``, both ways.

A recorded world must not tell where it was recorded, nor by the name of a folder what was done to it. Commands and launches come in with neutral
paths and are run with the real ones; outputs, argv and logs go back with the neutral ones. The environment is a given one, nobody's own.
"""

import io
import os
from collections.abc import Mapping
from typing import BinaryIO

from msgspec import structs

from agent.reading.scan import scan
from probes.frameworks.framework import Framework
from probes.targets.target import Look, Polled, Start, Started, Target
from transcripts.records import Command, Excerpt, Output


class Names:
    """Neutral path → real path; the longest is replaced first."""

    def __init__(self, real: Mapping[str, str]) -> None:
        self._out = sorted(real.items(), key=lambda pair: -len(pair[0]))
        self._in = sorted(((there, name) for name, there in real.items()), key=lambda pair: -len(pair[0]))

    def real(self, text: str) -> str:
        """`text` with the neutral paths replaced by the real ones."""
        for name, there in self._out:
            text = text.replace(name, there)
        return text

    def neutral(self, text: str) -> str:
        """`text` with the real paths replaced by the neutral ones."""
        for there, name in self._in:
            text = text.replace(there, name)
        return text

    def scan(self, file: BinaryIO, framework: Framework | None = None) -> Excerpt:
        """The excerpt of a log, its paths neutral (line numbers and offsets are those of the neutral text)."""
        data = file.read().decode("utf-8", "surrogateescape")
        return scan(io.BytesIO(self.neutral(data).encode("utf-8", "surrogateescape")), framework)


class NeutralTarget:
    """`target` under the names of `names`, in the environment `environment` alone."""

    def __init__(self, target: Target, names: Names, environment: Mapping[str, str]) -> None:
        self._target = target
        self._names = names
        self._environment = dict(environment)

    @property
    def name(self) -> str:
        """The target's own name."""
        return self._target.name

    def _environ(self, env: Mapping[str, str], unset: tuple[str, ...]) -> tuple[dict[str, str], tuple[str, ...]]:
        """What to set and what to take away so that only the given environment and the changes are there."""
        kept = {name: value for name, value in self._environment.items() if name not in unset}
        merged = {name: self._names.real(value) for name, value in (kept | dict(env)).items()}
        return merged, tuple(sorted({*unset, *os.environ} - set(merged)))

    async def run(self, command: Command) -> Output:
        """Run a command given in neutral paths."""
        env, unset = self._environ(command.env, command.unset)
        real = self._names.real
        argv = tuple(real(word) for word in command.argv)
        there = structs.replace(command, argv=argv, stdin=real(command.stdin), env=env, unset=unset, cwd=real(command.cwd or self._home))
        output = await self._target.run(there)
        return structs.replace(output, stdout=self._names.neutral(output.stdout), stderr=self._names.neutral(output.stderr))

    @property
    def _home(self) -> str:
        return self._environment.get("PWD", "/")

    async def start(self, start: Start) -> Started:
        """Start a program given in neutral paths."""
        env, unset = self._environ(start.env, start.unset)
        real = self._names.real
        argv = tuple(real(word) for word in start.argv)
        started = await self._target.start(structs.replace(start, argv=argv, env=env, unset=unset, cwd=real(start.cwd or self._home)))
        return structs.replace(started, reason=self._names.neutral(started.reason))

    async def poll(self, started: Started) -> Polled:
        """Look at a started program; what it received is told in neutral paths."""
        polled = await self._target.poll(started)
        neutral = self._names.neutral
        seen = tuple(tuple(neutral(word) for word in argv) for argv in polled.seen)
        return structs.replace(polled, received=tuple(neutral(word) for word in polled.received), seen=seen)

    async def end(self, started: Started, grace: float) -> tuple[int, ...]:
        """End the program and everything it started."""
        return await self._target.end(started, grace)

    async def signal(self, started: Started, number: int) -> None:
        """Send a signal to every process of the program."""
        await self._target.signal(started, number)

    async def read(self, path: str, offset: int = 0, limit: int = 1_000_000) -> Look:
        """Read a part of a file (a log of ours: its path is real)."""
        return await self._target.read(self._names.real(path), offset, limit)

    async def place(self, name: str, data: bytes) -> str:
        """Put a small file on the target."""
        return await self._target.place(name, self._names.real(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape"))

    async def remove(self, path: str) -> None:
        """Remove what was put there."""
        await self._target.remove(path)

    async def close(self) -> None:
        """Release the target."""
        await self._target.close()
