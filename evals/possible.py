"""What the optimal strategy may know: how each of the worlds that share a first symptom would answer. Built from the loop's own case, forked."""

import copy
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from msgspec import Struct

from agent.belief import ranking
from agent.case import Case
from agent.causes.catalogue import CAUSES
from agent.causes.cause import Cause
from agent.loop import first_look
from agent.strategies.optimal import Plan, shown
from agent.strategies.strategy import Candidate, Prospect
from evals.recorded import RecordedTarget
from evals.world import World
from probes.catalogue import PROBES
from transcripts.journal import Journal
from transcripts.records import Belief

MOST = 12
"""So many questions are planned over at most."""

Result = TypeVar("Result")


class _Nowhere:
    """A sink that keeps nothing: these are thoughts, no runs."""

    def line(self, data: bytes) -> None:
        """Drop it."""

    def blob(self, name: str, data: bytes) -> None:
        """Drop it."""


class Standing(Struct, frozen=True):
    """A world after some questions: the case, its belief, what can be asked, and what the last question took (seconds)."""

    case: Case
    belief: Belief
    open: tuple[Candidate, ...]
    cost: float

    @property
    def top(self) -> float:
        """The probability of the likeliest cause."""
        return ranking(self.belief)[0][1] if self.belief.weighed else 0.0

    @property
    def marginals(self) -> str:
        """What the belief shows."""
        return shown(self.belief, ())


def finished(work: Coroutine[Any, Any, Result]) -> Result:
    """The result of a coroutine that never waits: a recorded world answers at once."""
    try:
        work.send(None)
    except StopIteration as end:
        result: Result = end.value
        return result
    raise AssertionError("a recorded world does not wait")


def beginning(world: World, causes: Sequence[Cause] = CAUSES) -> Standing:
    """The world as every strategy first sees it: after the failed first attempt."""
    target = RecordedTarget(world)
    case = Case(world.request(), target, Journal(_Nowhere(), target.clock, hidden=True), causes, PROBES)
    finished(first_look(case))
    return _standing(case, 0.0)


def first_symptom(world: World) -> str:
    """What the failure shows before anything is asked: worlds of the same are planned over together."""
    case = beginning(world).case
    signs = sorted({(sign.variable, sign.value) for sign in case.focus()})
    return repr((case.framework, world.can_ask, signs))


def _standing(case: Case, cost: float) -> Standing:
    return Standing(case, case.believe(), case.candidates() if case.situation.can_ask else (), cost)


def asked(before: Standing, label: str) -> Standing:
    """The standing after one more question. A recorded answer without a time costs what the probe is expected to."""
    case = copy.copy(before.case)
    candidate = next(c for c in before.open if c.label == label)
    began = case.world.clock.seconds()
    finding = finished(case.ask(candidate.probe, candidate.question, case.situation))
    took = case.world.clock.seconds() - began
    case.learn(candidate, finding)
    return _standing(case, took or candidate.probe.cost)


class Possible:
    """The `Outlook` over worlds that share their first symptom, all equally probable."""

    def __init__(self, worlds: Sequence[World], threshold: float = 0.8, causes: Sequence[Cause] = CAUSES) -> None:
        self.weights = (1.0 / len(worlds),) * len(worlds)
        self._threshold = threshold
        self._known: dict[tuple[int, frozenset[str]], Standing] = {(n, frozenset()): beginning(world, causes) for n, world in enumerate(worlds)}
        self.relevant = self._telling(len(worlds))
        self._plan = Plan(self)

    def best(self, asked: frozenset[str], shows: str) -> str:
        """The label of the question that the exact solution asks there."""
        return self._plan.best(asked, shows)

    def look(self, world: int, asked: frozenset[str]) -> Prospect:
        """How that world stands when the questions of these labels were asked."""
        standing = self._standing(world, asked)
        labels = tuple(sorted(self.relevant.intersection(c.label for c in standing.open) - asked))
        return Prospect(
            shows=shown(standing.belief, labels), decided=standing.top >= self._threshold, open=labels, cost=standing.cost if asked else 0.0
        )

    def _standing(self, world: int, labels: frozenset[str]) -> Standing:
        found = self._known.get((world, labels))
        if found is None:
            # a question's cost is its own, so the state must come from one in which it was the last that was asked
            last = next(label for label in sorted(labels) if self._opens(world, labels - {label}, label))
            found = self._known[(world, labels)] = asked(self._standing(world, labels - {last}), last)
        return found

    def _opens(self, world: int, labels: frozenset[str], label: str) -> bool:
        standing = self._known.get((world, labels))
        return standing is not None and any(c.label == label for c in standing.open)

    def _telling(self, worlds: int) -> frozenset[str]:
        """The labels that move the belief of some world, or open one that does; the `MOST` that do it in most worlds."""
        count: dict[str, int] = {}
        for world in range(worlds):
            for label in self._telling_in(self._known[(world, frozenset())]):
                count[label] = count.get(label, 0) + 1
        return frozenset(sorted(count, key=lambda label: (-count[label], label))[:MOST])

    def _telling_in(self, start: Standing) -> set[str]:
        if start.top >= self._threshold:
            return set()
        telling: set[str] = set()
        opened: dict[str, set[str]] = {}
        here, done = start, set[str]()
        seen = {c.label for c in start.open}
        alone = list(seen)
        while True:
            for label in sorted(alone):
                if asked(here, label).marginals != here.marginals:
                    telling.add(label)
            waiting = sorted((c for c in here.open if c.label not in done), key=lambda c: (c.probe.cost, c.label))
            if not waiting:
                break
            label = waiting[0].label
            after = asked(here, label)
            done.add(label)
            alone = [c.label for c in after.open if c.label not in seen]
            opened[label] = set(alone)
            seen |= opened[label]
            if after.marginals != here.marginals:
                telling.add(label)
            here = after
        while more := {label for label, those in opened.items() if those & telling} - telling:
            telling |= more
        return telling
