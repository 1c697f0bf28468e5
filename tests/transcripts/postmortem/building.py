"""Recorded runs for the postmortem's tests: those in this folder, and small ones built event by event."""

from pathlib import Path

from msgspec.structs import replace

from transcripts.events import AnyEvent, AttemptEnded, AttemptStarted, BeliefMoved, RunStarted, SymptomRead
from transcripts.journal import load
from transcripts.postmortem.fold import postmortem
from transcripts.postmortem.story import Postmortem
from transcripts.records import Attempt, Belief, Excerpt, Hypothesis, Launch, Move, Piece, Sign, Symptom, Weighed

FOLDER = Path(__file__).parent


def told(name: str) -> Postmortem:
    """The postmortem of a recorded run of this folder."""
    return postmortem(load(FOLDER / f"{name}.jsonl").events)


def numbered(*events: AnyEvent) -> tuple[AnyEvent, ...]:
    """The events as a run's, one a second."""
    return tuple(replace(event, seq=place + 1, at=f"2026-05-04T09:{place // 60:02d}:{place % 60:02d}.000Z") for place, event in enumerate(events))


def started(verb: str = "triage", *argv: str) -> RunStarted:
    """The start of a run."""
    return RunStarted(nostart="0.1.0", catalogue="0", verb=verb, launch=Launch(argv=argv or ("vllm", "serve", "m")))


def launch(number: int, argv: tuple[str, ...], line: str, *signs: Sign, fix: str = "", seconds: float = 10.0) -> tuple[AnyEvent, ...]:
    """A launch that fails with `line`, and what is read of it."""
    given = Launch(argv=argv)
    ended = Attempt(number=number, launch=given, end="exited", exit_status=2, seconds=seconds)
    return (
        AttemptStarted(number=number, launch=given, fix=fix),
        AttemptEnded(attempt=ended, excerpt=Excerpt(pieces=(Piece(line=1, offset=0, text=line),), lines=1, size=len(line))),
        SymptomRead(number=number, symptom=Symptom(line=line, line_number=1, signs=signs)),
    )


def error(kind: str, flag: str = "--x") -> Sign:
    """A decisive error about a flag."""
    return Sign(variable="error", value=kind, parameters={"flag": flag}, source="log:1")


def belief(cause: str, probability: float, *signs: Sign, ratio: float = 20.0, other: str = "config/invalid-json") -> BeliefMoved:
    """A belief in `cause`, with a little left for another one and for unknown."""
    rest = (1 - probability) / 2
    weighed = tuple(Weighed(hypothesis=Hypothesis(cause=name), probability=p) for name, p in ((cause, probability), (other, rest)))
    moves = tuple(Move(sign=sign, hypothesis=Hypothesis(cause=cause), ratio=ratio) for sign in signs)
    return BeliefMoved(belief=Belief(weighed=weighed, unknown=rest), moves=moves, entropy=1.0)
