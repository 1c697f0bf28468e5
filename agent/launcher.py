"""The only code that starts a server: it follows the log, detects phases, hangs and readiness, and ends all that it started."""

import asyncio
import signal
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from agent.preparing import prepare
from agent.tailing import Tail
from agent.watching import End, Limits, Watch
from probes.frameworks.framework import Framework
from probes.targets.target import Target
from transcripts.journal import Clock
from transcripts.records import Attempt, Excerpt, Fix, Launch
from transcripts.redact import Vault

Scan = Callable[[BinaryIO, Framework | None], Excerpt]
Reached = Callable[[str, float], None]

MARK_PREFIX = "nostart-"
"""How every launch's mark begins."""


def mark_of(folder: Path) -> str:
    """How the marks of all launches of one run begin: by its folder's name, a later run finds what this one left."""
    return f"{MARK_PREFIX}{folder.name}-"


_NOT_EXECUTED = {"no-tool": 127, "denied": 126, "error": 126}


class Launcher:
    """Executes launches one after another on a target; the logs, without secrets, lie in ``folder/logs``.

    With `keep`, a launch that is up is left serving until `serve_until_interrupted` or `close` ends it.
    """

    def __init__(
        self, target: Target, clock: Clock, vault: Vault, folder: Path, limits: Limits | None = None, *, scan: Scan, keep: bool = False
    ) -> None:
        self._target = target
        self._clock = clock
        self._vault = vault
        self._folder = folder
        self._limits = limits or Limits()
        self._scan = scan
        self._keep = keep
        self._serving: Watch | None = None

    async def attempt(self, number: int, launch: Launch, framework: Framework | None, fix: Fix | None, reached: Reached) -> tuple[Attempt, Excerpt]:
        """Execute `launch` until it exits, hangs, answers a real request or its time is over; then end all of it.

        Raises:
            TranscriptError: the log or a file of the fix cannot be written. Everything is ended then too, as on cancellation.
        """
        await self.close()
        start = await prepare(launch, fix, f"{mark_of(self._folder)}{uuid4().hex[:12]}-{number}", self._target, self._vault, self._folder)
        name = f"logs/attempt-{number}.log"
        began = self._clock.seconds()
        started = await self._target.start(start)
        tail = Tail(self._target, started.log, self._folder / name, self._vault)
        watch = Watch(self._target, self._clock, self._limits, start, started, tail, framework, reached)
        if started.failure:
            tail.note(f"nostart: {started.reason}")
        try:
            end: End = "not-started" if started.failure else await watch.until_decided()
            if self._keep and end == "up":
                self._serving = watch
        finally:
            if self._serving is not watch:
                await watch.finish()
        attempt = Attempt(
            number=number,
            launch=launch,
            end=end,
            exit_status=_NOT_EXECUTED[started.failure] if started.failure else watch.status if end == "exited" else None,
            received=self._hidden(watch.received),
            pid=started.pid,
            phases=watch.phases.reached,
            log=name,
            log_bytes=tail.size,
            answer=self._vault.hide(watch.answer),
            seconds=round(self._clock.seconds() - began, 3),
        )
        return attempt, self._read(name, framework)

    async def serve_until_interrupted(self, show: Callable[[str], None] | None = None) -> int:
        """Leave the kept launch serving, the lines of its log given to `show`, until it exits or a signal asks to stop; returns its exit status.

        SIGINT, SIGTERM and SIGHUP are forwarded to it; what has not gone after the grace time is ended.
        """
        watch = self._serving
        if watch is None:
            return 0
        loop = asyncio.get_running_loop()
        asked = asyncio.Event()
        numbers: list[int] = []
        forwarded = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        for number in forwarded:
            loop.add_signal_handler(number, _note, number, numbers, asked)
        try:
            status = await watch.until_gone(asked, show)
            if status is None:
                await self._target.signal(watch.started, numbers[-1])
                status = await watch.until_gone(None, show)
        finally:
            # The handlers stay until all is ended: a second Ctrl-C must not cut that short.
            try:
                await self.close()
            finally:
                for number in forwarded:
                    loop.remove_signal_handler(number)
        return 0 if status is None else status

    async def close(self) -> None:
        """End a launch that was kept serving."""
        watch, self._serving = self._serving, None
        if watch is not None:
            await watch.finish()

    def _hidden(self, words: tuple[str, ...]) -> tuple[str, ...]:
        self._vault.learn_argv(words)
        return tuple(self._vault.hide(word) for word in words)

    def _read(self, name: str, framework: Framework | None) -> Excerpt:
        with (self._folder / name).open("rb") as file:
            return self._scan(file, framework)


def _note(number: int, numbers: list[int], asked: asyncio.Event) -> None:
    numbers.append(number)
    asked.set()
