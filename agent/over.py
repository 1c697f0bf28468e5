"""A world in which nothing can be asked or launched any more: that of a session which is over and was only recorded."""

from collections.abc import Callable

from probes.frameworks.framework import Framework
from transcripts.errors import UsageError
from transcripts.journal import Clock
from transcripts.records import Attempt, Command, Excerpt, Fix, Launch, Output, Question


class Over:
    """The `World` of an imported session, and its clock: the time of the step that is being read."""

    def __init__(self) -> None:
        self._now = ""

    @property
    def clock(self) -> Clock:
        """The session's own time."""
        return self

    def tell(self, at: str) -> None:
        """It is `at` now (empty: not known, the last known time stands)."""
        self._now = max(at, self._now)

    def now(self) -> str:
        """The time of the step that is being read."""
        return self._now

    def seconds(self) -> float:
        """Durations stand in the session itself."""
        return 0.0

    async def ask(self, question: Question, command: Command) -> Output:
        """Nothing can be asked."""
        return Output(failure="unreachable")

    async def attempt(
        self, number: int, launch: Launch, framework: Framework | None, fix: Fix | None, reached: Callable[[str, float], None]
    ) -> tuple[Attempt, Excerpt]:
        """Nothing can be launched.

        Raises:
            UsageError: always.
        """
        raise UsageError("an imported session is over: nothing can be launched in it")

    async def read_log(self, path: str) -> Excerpt:
        """No log can be read.

        Raises:
            UsageError: always.
        """
        raise UsageError("an imported session is over: no log can be read in it")
