"""How far the launch got that a log tells of, by the marks of its framework. Pure."""

from collections.abc import Sequence

from msgspec import Struct

from agent.reading.lines import Line
from probes.frameworks.catalogue import FRAMEWORKS
from probes.frameworks.framework import Framework


class Reach(Struct, frozen=True):
    """A line that marks a phase: its number, its process, and the place of the phase in the framework's order."""

    number: int
    process: str
    order: int


class Progress(Struct, frozen=True):
    """All marks of one framework in a log, in the order of lines."""

    names: tuple[str, ...]
    marks: tuple[Reach, ...]

    def at(self, number: int) -> int:
        """The place of the furthest phase reached up to line `number` (-1: none)."""
        return max((mark.order for mark in self.marks if mark.number <= number), default=-1)

    def name(self, number: int) -> str:
        """The name of the furthest phase reached up to line `number` (empty: none)."""
        order = self.at(number)
        return self.names[order] if order >= 0 else ""

    @property
    def up(self) -> int:
        """The number of the last line that says that the server is up (0: none)."""
        last = self.names.index("up") if "up" in self.names else -1
        return max((mark.number for mark in self.marks if mark.order == last), default=0)

    def went_on(self, start: int, process: str) -> bool:
        """Whether the program reached a later phase after line `start`, so that what `process` said there did not end it."""
        order = self.at(start)
        serving = len(self.names) - 2
        for mark in self.marks:
            if mark.number > start and mark.order > order and (mark.process == process or not process or mark.order >= serving):
                return True
        return False


def progress(lines: Sequence[Line], framework: Framework | None) -> Progress:
    """The phases that `lines` show; without a framework, those of the one whose marks they hold most of."""
    if framework is not None:
        return _of(lines, framework)
    return max((_of(lines, one) for one in FRAMEWORKS), key=lambda found: len({mark.order for mark in found.marks}))


def _of(lines: Sequence[Line], framework: Framework) -> Progress:
    names = tuple(name for name, _ in framework.phases)
    marks = [(mark, order) for order, (_, texts) in enumerate(framework.phases) for mark in texts]
    found = []
    for line in lines:
        if line.level in ("ERROR", "CRITICAL"):
            continue
        text = f"{line.logger} {line.text}" if line.logger else line.text
        order = max((order for mark, order in marks if mark in text), default=-1)
        if order >= 0:
            found.append(Reach(line.number, line.process, order))
    return Progress(names, tuple(found))
