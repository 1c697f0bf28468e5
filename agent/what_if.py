"""What another strategy would have done: its run on the recorded answers beside the recorded run, in the same currency."""

from collections.abc import Sequence

from agent.replay import Replay
from transcripts import events
from transcripts.journal import Transcript
from transcripts.postmortem.marks import marginals
from transcripts.records import Diagnosis, Outcome, Question, Record

_SHORT = 80


class Side(Record, frozen=True, kw_only=True):
    """One of the two runs. `seconds` are those that its answers and launches took; `unrecorded` counts the questions nobody had asked."""

    strategy: str
    outcome: str
    cause: str
    probability: float
    confirmed: bool
    probes: int
    unrecorded: int
    launches: int
    seconds: float
    asked: tuple[str, ...]


class Missing(Record, frozen=True, kw_only=True):
    """A question that was never recorded, and the recorded one nearest to it with its answer (empty: none of that probe)."""

    probe: str
    about: str
    nearest: str


class WhatIf(Record, frozen=True, kw_only=True):
    """Both runs. `stopped` says why the other one could not go on (empty: it came to its end).

    `comparable` is False where the catalogue of causes and probes is no longer the recorded run's.
    """

    recorded: Side
    other: Side
    missing: tuple[Missing, ...]
    stopped: str
    comparable: bool


def what_if(transcript: Transcript, result: Replay, recorded_strategy: str, strategy: str) -> WhatIf:
    """The comparison of a recorded run with a replay by another strategy."""
    return WhatIf(
        recorded=_side(recorded_strategy, transcript.events, result.recorded),
        other=_side(strategy, result.told, result.diagnosis),
        missing=tuple(_missing(question, transcript.events) for question in result.missing),
        stopped=result.stopped,
        comparable=result.comparable,
    )


def _side(strategy: str, told: Sequence[events.AnyEvent], diagnosis: Diagnosis | None) -> Side:
    answers = [event.reading for event in told if isinstance(event, events.QuestionAnswered)]
    attempts = [event.attempt for event in told if isinstance(event, events.AttemptEnded)]
    moved = next((event for event in reversed(told) if isinstance(event, events.BeliefMoved)), None)
    cause, probability = next(iter(marginals(moved.belief).items()), ("", 0.0)) if moved else ("", 0.0)
    verdict = diagnosis.cause if diagnosis else None
    return Side(
        strategy=strategy,
        outcome=diagnosis.outcome if diagnosis else "the record ends",
        cause=verdict.hypothesis.cause if verdict else cause,
        probability=verdict.probability if verdict else probability,
        confirmed=verdict.confirmed if verdict else False,
        probes=sum(reading.outcome is not Outcome.NOT_RECORDED for reading in answers),
        unrecorded=sum(reading.outcome is Outcome.NOT_RECORDED for reading in answers),
        launches=len(attempts),
        seconds=round(sum(reading.seconds for reading in answers) + sum(attempt.seconds for attempt in attempts), 3),
        asked=tuple(reading.question.probe for reading in answers),
    )


def about(question: Question) -> str:
    """What a question is about, in a few words."""
    return ", ".join(value for value in question.parameters.values() if value and len(value) <= _SHORT)


def _missing(question: Question, told: Sequence[events.AnyEvent]) -> Missing:
    """The nearest recording is the answer to the same probe that shares most parameters."""
    same = [e.reading for e in told if isinstance(e, events.QuestionAnswered) and e.reading.question.probe == question.probe]
    wanted = question.parameters.items()
    nearest = max(same, key=lambda reading: len(wanted & reading.question.parameters.items()), default=None)
    text = f"{nearest.question.probe} ({about(nearest.question)}): {nearest.outcome}: {nearest.text}" if nearest else ""
    return Missing(probe=question.probe, about=about(question), nearest=text)
