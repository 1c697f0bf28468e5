"""A target on which a framework's parser is asked again and again without importing the framework each time.

One process in the framework's own interpreter imports it once, in the environment and folder of the question, and forks for every question; the
child runs the very script that the probe brings. What the import said is put before what the child says, and its seconds are added to the
child's, so that an answer reads and costs as if it had been asked alone.
"""

import asyncio
import json
import os
import tempfile
import time
from pathlib import Path

from probes.frameworks.catalogue import FRAMEWORKS
from probes.targets.target import Look, Polled, Start, Started, Target
from transcripts.records import Command, Output

_IMPORTS = {
    "vllm": "import argparse, vllm.entrypoints.cli.main, vllm.entrypoints.cli.serve, vllm.entrypoints.openai.api_server, vllm.engine.arg_utils",
    "litellm": "import click, litellm, litellm.proxy.proxy_cli",
    "sglang": "import argparse, sglang.srt.server_args",
}
# Reads one JSON line a question: the script, its arguments, and the two files to which the child's streams go.
_SERVER = """
import json, os, sys
for line in sys.stdin:
    told = json.loads(line)
    child = os.fork()
    if child == 0:
        out = os.open(told["stdout"], os.O_WRONLY | os.O_CREAT)
        err = os.open(told["stderr"], os.O_WRONLY | os.O_CREAT)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.dup2(out, 1)
        os.dup2(err, 2)
        sys.argv = ["-c", *told["arguments"]]
        sys.stdin = open(0)
        exec(compile(told["script"], "<string>", "exec"), {"__name__": "__main__"})
        os._exit(0)
    _, status = os.waitpid(child, 0)
    print(json.dumps(os.waitstatus_to_exitcode(status)), flush=True)
"""


class _Warm:
    """A process that has imported a framework: `said` on its standard error while doing so, in `seconds`."""

    def __init__(self, process: asyncio.subprocess.Process, said: str, seconds: float) -> None:
        self.process = process
        self.said = said
        self.seconds = seconds


class WarmTarget:
    """`target`, with the questions to a framework's own parser answered by a warm process, one at a time."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._key = ""
        self._warm: _Warm | None = None
        self._scratch = tempfile.TemporaryDirectory(prefix="nostart-warm-")

    @property
    def name(self) -> str:
        """The target's own name."""
        return self._target.name

    async def run(self, command: Command) -> Output:
        """Run a command; the parser's script in a fork of the warm process."""
        framework = _asked(command)
        if not framework:
            return await self._target.run(command)
        warm = await self._warmed(framework, command)
        if warm is None:
            return await self._target.run(command)
        return await self._forked(warm, command)

    async def _warmed(self, framework: str, command: Command) -> _Warm | None:
        key = json.dumps([command.argv[:2], sorted(command.env.items()), command.cwd])
        if key != self._key or (self._warm is not None and self._warm.process.returncode is not None):
            await self._cooled()
            self._key = key
            self._warm = await self._started(framework, command)
        return self._warm

    async def _started(self, framework: str, command: Command) -> _Warm | None:
        began = time.monotonic()
        marker = "-- imported --"
        program = (
            f"import os, sys\nsys.stdout = sys.stderr\n{_IMPORTS[framework]}\nsys.stdout = sys.__stdout__\nprint({marker!r}, flush=True)\n{_SERVER}"
        )
        said = Path(self._scratch.name) / "said"
        with said.open("wb") as stderr:
            # In our own session: a child in another one would be taken for the orphan of a launch.
            process = await asyncio.create_subprocess_exec(
                *command.argv[:2],
                "-c",
                program,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=stderr,
                env=_environment(command),
                cwd=command.cwd,
            )
        line = await process.stdout.readline() if process.stdout else b""
        if line.decode().strip() != marker:
            await process.wait()  # its output has ended: it could not import the framework
            return None
        return _Warm(process, said.read_text(encoding="utf-8", errors="replace"), time.monotonic() - began)

    async def _forked(self, warm: _Warm, command: Command) -> Output:
        began = time.monotonic()
        out, err = Path(self._scratch.name) / "out", Path(self._scratch.name) / "err"
        for file in (out, err):
            file.unlink(missing_ok=True)
        script, arguments = command.argv[3], list(command.argv[4:])
        asked = {"script": script, "arguments": arguments, "stdout": str(out), "stderr": str(err)}
        if warm.process.stdin is None or warm.process.stdout is None:
            raise AssertionError("the warm process has pipes")
        warm.process.stdin.write(json.dumps(asked).encode() + b"\n")
        await warm.process.stdin.drain()
        status = json.loads(await warm.process.stdout.readline())
        return Output(
            status=status,
            stdout=out.read_text(encoding="utf-8", errors="replace"),
            stderr=warm.said + err.read_text(encoding="utf-8", errors="replace"),
            seconds=warm.seconds + time.monotonic() - began,
        )

    async def _cooled(self) -> None:
        warm, self._warm, self._key = self._warm, None, ""
        if warm is not None and warm.process.returncode is None:
            warm.process.kill()
            await warm.process.wait()

    async def start(self, start: Start) -> Started:
        """Start a program detached."""
        return await self._target.start(start)

    async def poll(self, started: Started) -> Polled:
        """Look at a started program."""
        return await self._target.poll(started)

    async def end(self, started: Started, grace: float) -> tuple[int, ...]:
        """End the program and everything it started."""
        return await self._target.end(started, grace)

    async def signal(self, started: Started, number: int) -> None:
        """Send a signal to every process of the program."""
        await self._target.signal(started, number)

    async def read(self, path: str, offset: int = 0, limit: int = 1_000_000) -> Look:
        """Read a part of a file."""
        return await self._target.read(path, offset, limit)

    async def place(self, name: str, data: bytes) -> str:
        """Put a small file on the target."""
        return await self._target.place(name, data)

    async def remove(self, path: str) -> None:
        """Remove what was put there."""
        await self._target.remove(path)

    async def close(self) -> None:
        """Release the target; the warm process goes on until `cool`."""
        await self._target.close()

    async def cool(self) -> None:
        """End the warm process."""
        await self._cooled()
        self._scratch.cleanup()


def _environment(command: Command) -> dict[str, str]:
    """What `probes.targets.spawning.environment` makes of a command whose environment is given whole."""
    kept = {name: value for name, value in {**os.environ, "LC_ALL": "C"}.items() if name not in command.unset}
    return {**kept, **command.env}


def _asked(command: Command) -> str:
    """The framework whose parser the command asks (empty: it asks something else)."""
    words = command.argv
    if len(words) < 4 or words[1:3] != ("-I", "-c"):
        return ""
    return next((framework.name for framework in FRAMEWORKS if framework.parser_script and framework.parser_script == words[3]), "")
