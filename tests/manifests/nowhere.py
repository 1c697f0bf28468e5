"""A world in which nothing can be asked and nothing runs: what a manifest proves is seen from its text alone."""

import asyncio
from collections.abc import Callable

from agent.loop import triage
from agent.request import Request
from probes.frameworks.framework import Framework
from transcripts.journal import Clock, Journal, MemorySink
from transcripts.records import Attempt, Command, Diagnosis, Excerpt, Fix, Launch, Output, Question


class StandingClock:
    """A clock that stands still."""

    def now(self) -> str:
        """Always the same time."""
        return "2026-12-01T16:28:20.123Z"

    def seconds(self) -> float:
        """Always the same moment."""
        return 0.0


class Nowhere:
    """The world's port: whatever is asked of it is a defect."""

    @property
    def clock(self) -> Clock:
        """A clock that stands still."""
        return StandingClock()

    async def ask(self, question: Question, command: Command) -> Output:
        """Nobody is there to answer."""
        raise AssertionError(f"a manifest is only read, and {question.probe} was asked")

    async def attempt(
        self, number: int, launch: Launch, framework: Framework | None, fix: Fix | None, reached: Callable[[str, float], None]
    ) -> tuple[Attempt, Excerpt]:
        """Nothing is launched."""
        raise AssertionError(f"a manifest is only read, and {launch.argv} was launched")

    async def read_log(self, path: str) -> Excerpt:
        """There is no log."""
        raise AssertionError(f"a manifest is only read, and the log {path} was wanted")


def checked(launch: Launch, release: str = "") -> Diagnosis:
    """What a check of the launch of a manifest tells."""
    request = Request(verb="check", launch=launch, release=release, can_ask=False)
    world = Nowhere()
    return asyncio.run(triage(request, world, Journal(MemorySink(), world.clock)))
