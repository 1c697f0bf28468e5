"""The ports through which the loop meets the world. The live ones act; the recorded ones answer from a transcript (`agent.replay`)."""

from collections.abc import Callable
from typing import Protocol

from probes.frameworks.framework import Framework
from transcripts.journal import Clock
from transcripts.records import Attempt, Command, Excerpt, Fix, Launch, Output, Question


class World(Protocol):
    """Everything outside the loop: asking a probe's command, executing a launch, reading a given log."""

    @property
    def clock(self) -> Clock:
        """The time of this run."""
        ...

    async def ask(self, question: Question, command: Command) -> Output:
        """Run a probe's command on the target; the output has its secrets hidden."""
        ...

    async def attempt(
        self, number: int, launch: Launch, framework: Framework | None, fix: Fix | None, reached: Callable[[str, float], None]
    ) -> tuple[Attempt, Excerpt]:
        """Execute a launch until it ends, hangs or answers a real request, and end all of it; `reached(phase, seconds)` is called on the way.

        `fix` brings the files and fresh secrets that its launch points to.
        """
        ...

    async def read_log(self, path: str) -> Excerpt:
        """Read a given log (``-`` is stdin)."""
        ...
