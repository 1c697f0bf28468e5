"""What a strategy is: given the belief and what could be done next, the next action. Pure."""

from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct

from agent.causes.cause import Cause
from probes.probe import Probe
from transcripts.records import Belief, Question


class Candidate(Struct, frozen=True, kw_only=True):
    """A question that could be asked now."""

    probe: Probe
    question: Question


class Options(Struct, frozen=True, kw_only=True):
    """What can be done: the questions not yet asked, whether a fix of the leading hypothesis can be tried and what a relaunch costs (seconds)."""

    causes: Sequence[Cause]
    candidates: tuple[Candidate, ...]
    can_try: bool
    relaunch_cost: float
    threshold: float


class Action(Struct, frozen=True, kw_only=True):
    """The next action: ask a candidate, try the fix of the leading hypothesis, or stop; `gain` in bits, `cost` in seconds."""

    kind: Literal["ask", "try", "stop"]
    candidate: Candidate | None = None
    why: str = ""
    gain: float = 0.0
    cost: float = 0.0


Strategy = Callable[[Belief, Options], Action]
