"""When the cause of a fault could have been known from what was already on the screen, and what was spent after that."""

import json
from collections.abc import Sequence

from transcripts import events
from transcripts.postmortem.marks import STALE, UNKNOWN, foreign, identity, seconds_between, signature, spent
from transcripts.postmortem.story import Moment, Point
from transcripts.records import Move, Sign

THRESHOLD = 0.8
"""The probability at which a cause is reported, where the run does not name another one."""


def threshold(started: events.RunStarted) -> float:
    """The threshold that the run worked with."""
    try:
        request = json.loads(started.options.get("request", "{}"))
    except ValueError:
        return THRESHOLD
    value = request.get("threshold", THRESHOLD) if isinstance(request, dict) else THRESHOLD
    return float(value) if isinstance(value, int | float) else THRESHOLD


def own(recorded: Sequence[events.AnyEvent], points: Sequence[Point]) -> tuple[Point, ...]:
    """The points whose evidence is this launch's own: what was read of another one says nothing about the fault."""
    stale = {e.seq for e in recorded if isinstance(e, events.BeliefMoved) and any(foreign(move.sign) for move in e.moves)}
    kept = tuple(point for point in points if point.seq not in stale)
    return kept or tuple(points)


def final_cause(points: Sequence[Point], diagnosed: str, least: float) -> str:
    """The cause that the points of one fault end with: the diagnosed one where they speak of it, else the last leading one.

    That what was read is stale is a cause of its own; it is the fault's only where no other was ever likely enough.
    """
    if diagnosed and diagnosed != STALE and any(diagnosed in point.probabilities for point in points):
        return diagnosed
    for point in reversed(points):
        name, probability = leading(point)
        if name not in ("", STALE) and (probability >= least or point is points[-1]):
            return name
    return leading(points[-1])[0] if points else ""


def leading(point: Point) -> tuple[str, float]:
    """The likeliest cause and its probability; an empty name where unknown is likelier than any."""
    name, probability = next(iter(point.probabilities.items()), ("", 0.0))
    return ("", point.unknown) if name == UNKNOWN or probability < point.unknown else (name, probability)


def moment(recorded: Sequence[events.AnyEvent], points: Sequence[Point], cause: str, least: float) -> Moment | None:
    """The earliest step that showed enough for `cause`: the belief formed of what was seen by then passes `least` and stays there.

    Of a session that was imported the first such belief counts: nobody weighed what came later while it ran.
    """
    imported = isinstance(recorded[0], events.RunStarted) and recorded[0].verb == "import"
    found: Point | None = None
    for point in points:
        if point.probabilities.get(cause, 0.0) >= least:
            found = found or point
        elif not imported:
            found = None
    if found is None:
        return None
    move = next(event for event in recorded if event.seq == found.seq)
    moves = move.moves if isinstance(move, events.BeliefMoved) else ()
    shown = _shown_by(recorded, moves, cause, found.seq)
    after = [event for event in recorded if shown.seq < event.seq]
    return Moment(
        seq=shown.seq,
        at=seconds_between(recorded[0].at, shown.at),
        what=what(shown),
        launch=_launch_of(shown),
        believed=found.probabilities[cause],
        after=spent(after, shown.at),
    )


def _shown_by(recorded: Sequence[events.AnyEvent], moves: Sequence[Move], cause: str, before: int) -> events.AnyEvent:
    """The last of the steps that first showed the signs speaking for `cause`; where none can be traced, the last one that showed any."""
    wanted = {identity(move.sign) for move in moves if move.hypothesis.cause == cause and move.ratio > 1.05}
    found: events.AnyEvent | None = None
    last: events.AnyEvent = recorded[0]
    for event in recorded:
        if event.seq >= before:
            break
        signs = {identity(sign) for sign in signs_of(event)}
        if signs:
            last = event
        if signs & wanted:
            found = event
            wanted -= signs
    return found or last


def signs_of(event: events.AnyEvent) -> tuple[Sign, ...]:
    """The signs that an event put on the screen."""
    match event:
        case events.QuestionAnswered(reading=reading):
            return reading.signs
        case events.FaultSeen(fault=fault):
            return fault.signs
        case events.SymptomRead(symptom=symptom):
            return symptom.signs
        case _:
            return ()


def what(event: events.AnyEvent) -> str:
    """What a step showed, in a sentence."""
    match event:
        case events.QuestionAnswered(reading=reading):
            return f"the probe {reading.question.probe}: {reading.text}"
        case events.FaultSeen(fault=fault):
            return f"seen without launching: {fault.text}"
        case events.SymptomRead(number=number, symptom=symptom):
            return f"{f'launch {number}' if number else 'the log'}: {symptom.line.strip() or ' '.join(filter(None, signature(symptom.signs)))}"
        case _:
            return "the launch as it was given"


def _launch_of(event: events.AnyEvent) -> int:
    return event.number if isinstance(event, events.SymptomRead) else 0


def without_belief(recorded: Sequence[events.AnyEvent]) -> Moment | None:
    """Where no belief was recorded: the first failing launch whose reading has a decisive error."""
    for event in recorded:
        if isinstance(event, events.SymptomRead) and signature(event.symptom.signs)[0] and not any(map(foreign, event.symptom.signs)):
            after = [other for other in recorded if other.seq > event.seq]
            return Moment(
                seq=event.seq,
                at=seconds_between(recorded[0].at, event.at),
                what=what(event),
                launch=event.number,
                believed=0.0,
                after=spent(after, event.at),
            )
    return None
