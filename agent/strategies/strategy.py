"""What a strategy is: given the belief and what could be done next, the next action. Pure.

What several strategies share is here: the stop rule, and what is done when no question is left.
"""

from collections.abc import Callable, Sequence
from typing import Literal, Protocol

from msgspec import Struct

from agent.advisor import Advisor
from agent.belief import ranking
from agent.causes.cause import Cause
from probes.probe import Probe
from transcripts.records import Belief, Hypothesis, Question, Symptom


class Candidate(Struct, frozen=True, kw_only=True):
    """A question that could be asked now. `label` names it alike in all worlds: the probe's name, with ``#2`` for its second question."""

    probe: Probe
    question: Question
    label: str = ""


class Prospect(Struct, frozen=True, kw_only=True):
    """How a recorded world stands after some questions.

    `shows` is all that a strategy could tell it from another world by (the belief and the questions that are open), `decided` whether the belief
    passes the threshold, `open` the labels of the questions that can be asked, `cost` what the last one took (seconds).
    """

    shows: str
    decided: bool
    open: tuple[str, ...]
    cost: float = 0.0


class Outlook(Protocol):
    """What is known of the worlds that share the first symptom of this one: for the strategy that is the floor of all others."""

    @property
    def weights(self) -> tuple[float, ...]:
        """How probable each of these worlds is."""
        ...

    @property
    def relevant(self) -> frozenset[str]:
        """The labels of the questions that tell anything in one of these worlds, or open one that does."""
        ...

    def look(self, world: int, asked: frozenset[str]) -> Prospect:
        """How that world stands when the questions of these labels were asked."""
        ...

    def best(self, asked: frozenset[str], shows: str) -> str:
        """The label of the question that the exact solution asks there (empty: none), solved once and kept."""
        ...


class Counsel(Struct, frozen=True, kw_only=True):
    """What a strategy may consult besides belief and options: a model, or what is known of recorded worlds. Mostly nobody."""

    advisor: Advisor | None = None
    outlook: Outlook | None = None


NOBODY = Counsel()


def _never(hypothesis: Hypothesis) -> bool:
    return False


class Options(Struct, frozen=True, kw_only=True):
    """What can be done: the questions not yet asked, whether a fix of the leading hypothesis can be tried and what a relaunch costs (seconds).

    `fixable(hypothesis)` says whether that hypothesis' fix can be tried. `seed` is for strategies that draw lots, `asked` holds the labels of the
    questions asked so far, `symptom` is the failure's (its text is data), `advisor` a model to consult, `outlook` what recorded worlds hold.
    """

    causes: Sequence[Cause]
    candidates: tuple[Candidate, ...]
    can_try: bool
    relaunch_cost: float
    threshold: float
    fixable: Callable[[Hypothesis], bool] = _never
    seed: int = 0
    asked: frozenset[str] = frozenset()
    symptom: Symptom | None = None
    advisor: Advisor | None = None
    outlook: Outlook | None = None


class Action(Struct, frozen=True, kw_only=True):
    """The next action: ask a candidate, try the fix of the leading hypothesis (or of `hypothesis`), or stop; `gain` in bits, `cost` in seconds."""

    kind: Literal["ask", "try", "stop"]
    candidate: Candidate | None = None
    why: str = ""
    gain: float = 0.0
    cost: float = 0.0
    hypothesis: Hypothesis | None = None


Strategy = Callable[[Belief, Options], Action]


def asking(candidate: Candidate, why: str) -> Action:
    """The action that asks `candidate`."""
    return Action(kind="ask", candidate=candidate, why=why, cost=candidate.probe.cost)


def settled(belief: Belief, options: Options) -> Action | None:
    """The stop rule: the action where one hypothesis passes the threshold, or None where it is open."""
    top = ranking(belief)[0][1] if belief.weighed else 0.0
    if top < options.threshold:
        return None
    return Action(kind="try" if options.can_try else "stop", why="one hypothesis passes the threshold", cost=options.relaunch_cost)


def out_of_questions(belief: Belief, options: Options) -> Action:
    """Try the likeliest fix if there is one that is likelier than ``unknown``, else stop."""
    top = ranking(belief)[0][1] if belief.weighed else 0.0
    if options.can_try and top > belief.unknown:
        return Action(kind="try", why="no question is left; the likeliest fix is tried", cost=options.relaunch_cost)
    return Action(kind="stop", why="no question is left")


def order(candidate: Candidate) -> tuple[str, list[tuple[str, str]]]:
    """A total order of candidates that does not depend on how they are listed."""
    return candidate.probe.name, sorted(candidate.question.parameters.items())
