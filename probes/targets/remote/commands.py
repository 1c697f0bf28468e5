"""A command run to its end on the far side, with limits: what `probes.targets.local` does, without asyncio.

This module travels to other hosts: the standard library of Python 3.8 is enough for it.
"""

import os
import selectors
import subprocess
import time
from collections.abc import Callable
from typing import IO, Any

from probes.targets.processes import Family
from probes.targets.remote.frames import Frame
from probes.targets.spawning import environment, failure, reason, spawn

_STEP = 65536


class Streams:
    """The pipes of one command: fed and read without blocking; of each output `limit` bytes are kept and the rest is dropped."""

    def __init__(self, process: subprocess.Popen[bytes], stdin: bytes, limit: int) -> None:
        self._selector = selectors.DefaultSelector()
        self._stdin = memoryview(stdin)
        self._limit = limit
        self._pipes: dict[int, IO[bytes]] = {}
        self.outputs = (bytearray(), bytearray())
        self.truncated = False
        self.open = 2
        for number, pipe in enumerate((process.stdout, process.stderr)):
            self._watch(pipe, selectors.EVENT_READ, number)
        if process.stdin is not None:
            self._watch(process.stdin, selectors.EVENT_WRITE, 2)

    def _watch(self, pipe: IO[bytes] | None, events: int, number: int) -> None:
        if pipe is not None:
            os.set_blocking(pipe.fileno(), False)
            self._pipes[number] = pipe
            self._selector.register(pipe, events, number)

    def turn(self, seconds: float) -> None:
        """Move what can be moved now, waiting `seconds` at most for it."""
        for key, _ in self._selector.select(seconds):
            if self._feed(key.fd) if key.data == 2 else self._read(key.fd, key.data):
                self._selector.unregister(key.fileobj)
                self._pipes[key.data].close()

    def _feed(self, descriptor: int) -> bool:
        try:
            self._stdin = self._stdin[os.write(descriptor, self._stdin[:_STEP]) :]
        except BlockingIOError:
            return False
        except OSError:
            return True
        return not self._stdin

    def _read(self, descriptor: int, number: int) -> bool:
        try:
            data = os.read(descriptor, _STEP)
        except BlockingIOError:
            return False
        room = self._limit - len(self.outputs[number])
        self.outputs[number].extend(data[:room])
        self.truncated = self.truncated or len(data) > room
        self.open -= not data
        return not data

    def close(self) -> None:
        """Close the pipes, whoever else may still hold them."""
        for pipe in self._pipes.values():
            pipe.close()
        self._selector.close()


def carried_out(told: dict[str, Any], stdin: bytes, mark: str, stopped: Callable[[], bool]) -> Frame:
    """Run the command that `told` describes to its end; whatever it started is ended with it. `stopped` says that nobody wants it any more.

    The answer's body is stdout and then stderr, whose sizes stand in its header.
    """
    argv, cwd = tuple(told["argv"]), told["cwd"]
    env = environment({"LC_ALL": "C"}, told["env"], told["unset"], mark)
    try:
        process = spawn(argv, env, cwd, subprocess.PIPE if stdin else subprocess.DEVNULL, subprocess.PIPE, subprocess.PIPE)
    except (OSError, ValueError) as error:
        kind = failure(error)
        return {"failure": "no-tool" if kind == "no-tool" else "denied", "reason": reason(argv, cwd, error)}, b""
    family = Family(process.pid, mark, process.poll)
    streams = Streams(process, stdin, told["limit"])
    deadline = time.monotonic() + told["timeout"]
    try:
        in_time = _until(lambda: process.poll() is not None, streams, deadline, stopped)
        family.kill()
        if not in_time or not _until(lambda: not streams.open, streams, deadline, stopped):
            return {"failure": "timed-out"}, b""
    finally:
        family.kill()
        streams.close()
    out, err = (bytes(output) for output in streams.outputs)
    return {"status": process.returncode, "truncated": streams.truncated, "stdout": len(out), "stderr": len(err)}, out + err


def _until(done: Callable[[], bool], streams: Streams, deadline: float, stopped: Callable[[], bool]) -> bool:
    pause = 0.001
    while not done():
        if time.monotonic() > deadline or stopped():
            return False
        streams.turn(pause) if streams.open else time.sleep(pause)
        pause = min(pause * 1.5, 0.02)
    return True
