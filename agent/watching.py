"""One running launch, watched: what its log and its processes say, until it is decided how it ends."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from agent.progress import Phases, Progress, hang_seconds, serving_at
from agent.readiness import Answer, Endpoint, ask, ask_url, find_endpoint
from agent.tailing import Tail
from probes.frameworks.framework import Framework
from probes.targets.received import is_layer
from probes.targets.target import Polled, Start, Started, Target
from transcripts.journal import Clock
from transcripts.records import Record

End = Literal["exited", "up", "hang", "stopped", "not-started"]
_ORPHANS_SECONDS = 1.0
_ASK_PAUSES = (0.3, 2.0)


class Limits(Record, frozen=True, kw_only=True):
    """What bounds one launch, in seconds: `launch_seconds` all of it, `hang` without progress (None: by phase), `grace` to end by itself.

    `ready_url` replaces the framework's own readiness by a URL that must answer 2xx. `pause` is the time between two looks.
    """

    launch_seconds: float = 1800.0
    hang: float | None = None
    grace: float = 5.0
    ready_url: str = ""
    pause: float = 0.1


class Watch:
    """Follows one started launch. `finish` ends all of it, in every case, and completes its log."""

    def __init__(
        self,
        target: Target,
        clock: Clock,
        limits: Limits,
        start: Start,
        started: Started,
        tail: Tail,
        framework: Framework | None,
        reached: Callable[[str, float], None],
    ) -> None:
        self._target = target
        self._clock = clock
        self._limits = limits
        self._start = start
        self.started = started
        self._tail = tail
        self._framework = framework
        self._reached = reached
        self._began = self._moved = clock.seconds()
        self._said: tuple[str, str, int] | None = None
        self._progress = Progress()
        self._polled = Polled(status=None)
        self.phases = Phases(framework)
        self.status: int | None = None
        self.answer = ""

    @property
    def received(self) -> tuple[str, ...]:
        """The argv that the server program really got: of what was seen, the newest that the framework knows as its own.

        Empty where only the layers that lead to it were seen.
        """
        if self._framework is None:
            return () if is_layer(self._polled.received) else self._polled.received
        own = [argv for argv in self._polled.seen if self._framework.find_entry(argv) and not is_layer(argv)]
        return own[-1] if own else ()

    async def until_decided(self) -> End:
        """Watch until the launch has exited, hangs, is up or its time is over."""
        asking: asyncio.Task[Answer] | None = None
        ask_at = self._clock.seconds() + _ASK_PAUSES[0]
        try:
            while True:
                await self._look()
                now = self._clock.seconds()
                if await self._gone():
                    return "exited"
                if asking is not None and asking.done():
                    answer, asking = asking.result(), None
                    self.answer = answer.text
                    if answer.up and await self._lives():
                        return "up"
                    ask_at = now + min(max((now - self._began) / 10, _ASK_PAUSES[0]), _ASK_PAUSES[1])
                if now - self._moved > self._patience():
                    return "hang"
                if now - self._began > self._limits.launch_seconds:
                    return "stopped"
                if asking is None and now >= ask_at and (self._framework or self._limits.ready_url):
                    asking = asyncio.create_task(self._ask())
                await asyncio.sleep(self._limits.pause)
        finally:
            if asking is not None:
                asking.cancel()
                await asyncio.gather(asking, return_exceptions=True)

    async def until_gone(self, asked: asyncio.Event | None, show: Callable[[str], None] | None) -> int | None:
        """Watch a launch that is up: its status when it has exited; None when `asked` to stop, or without `asked` when the grace is over."""
        deadline = self._clock.seconds() + self._limits.grace
        while not (asked.is_set() if asked else self._clock.seconds() > deadline):
            text = await self._look()
            if show:
                for line in text.splitlines():
                    show(line)
            if await self._gone():
                return self.status
            await asyncio.sleep(self._limits.pause)
        return None

    async def finish(self) -> None:
        """End everything that belongs to the launch, then take in the rest of its log."""
        try:
            await self._target.end(self.started, self._limits.grace)
        finally:
            self._heed(await self._tail.finish())

    async def _look(self) -> str:
        text = await self._tail.pull()
        self._polled = await self._target.poll(self.started)
        self._heed(text)
        return text

    def _heed(self, text: str) -> None:
        if not text:
            return
        now = self._clock.seconds()
        new = self.phases.take(text)
        for phase in new:
            self._reached(phase, round(now - self._began, 3))
        if self._progress.take(text.replace("\r", "\n").splitlines()) or new:
            self._moved = now
        self._said = serving_at(text) or self._said

    async def _gone(self) -> bool:
        """Whether the launch has exited. A script that left its server running in the background, and said all was well, has not."""
        status = self._polled.status
        in_background = self._polled.server != self.started.pid and self._polled.server in self._polled.processes
        if status is None or (status == 0 and in_background):
            return False
        deadline = self._clock.seconds() + _ORPHANS_SECONDS
        while self._polled.processes and self._clock.seconds() < deadline:
            await asyncio.sleep(self._limits.pause)
            await self._look()
        self.status = status or self._polled.server_status or 0
        return True

    async def _lives(self) -> bool:
        await self._look()
        return bool(self._polled.processes) and not await self._gone()

    def _patience(self) -> float:
        return self._limits.hang if self._limits.hang is not None else hang_seconds(self.phases.last)

    async def _ask(self) -> Answer:
        interpreter = self.received[:1] if self.received and Path(self.received[0]).name.startswith("python") else ()
        if self._limits.ready_url or self._framework is None:
            return await ask_url(self._target, self._limits.ready_url, interpreter)
        endpoint = await self._endpoint(self._framework)
        return await ask(self._target, endpoint, self._framework.ready, self._polled.processes, interpreter)

    async def _endpoint(self, framework: Framework) -> Endpoint:
        argv = self.received
        entry = framework.find_entry(argv)
        options = argv[entry.options :] if entry else argv
        endpoint = await find_endpoint(self._target, framework, options, self._start.env, self._start.cwd)
        return endpoint.serving_at(self._said) if self._said else endpoint
