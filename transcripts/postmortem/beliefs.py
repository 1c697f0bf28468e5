"""How the belief moved: a point for every recorded move, and which new signs made each."""

from collections.abc import Sequence

from transcripts import events
from transcripts.postmortem.marks import UNKNOWN, identity, marginals, seconds_between, told
from transcripts.postmortem.story import Point, Shift, Weight
from transcripts.records import Move

_SHOWN = 6
_LEAST = 0.005
_NEUTRAL = (0.95, 1.05)
"""Likelihood ratios between these say nothing worth telling."""


def points(recorded: Sequence[events.AnyEvent]) -> tuple[Point, ...]:
    """The belief after every move; a fault that is gone begins the next one's story."""
    found: list[Point] = []
    fault, began = 1, recorded[0].at
    for event in recorded:
        if isinstance(event, events.FixJudged) and event.verdict == "gone":
            fault += 1
        elif isinstance(event, events.BeliefMoved):
            found.append(
                Point(
                    seq=event.seq,
                    at=seconds_between(began, event.at),
                    fault=fault,
                    probabilities=marginals(event.belief),
                    unknown=event.belief.unknown,
                    entropy=event.entropy,
                )
            )
    return tuple(found)


def shifts(recorded: Sequence[events.AnyEvent], known: Sequence[Point]) -> tuple[Shift, ...]:
    """Every move of belief with the causes that it changed most and the signs that were not there before."""
    moved = {event.seq: event for event in recorded if isinstance(event, events.BeliefMoved)}
    found: list[Shift] = []
    for place, point in enumerate(known):
        before = known[place - 1] if place and known[place - 1].fault == point.fault else None
        old = {identity(move.sign): move.sign for move in moved[before.seq].moves} if before else {}
        now = {identity(move.sign) for move in moved[point.seq].moves}
        changes = _changes(before, point)
        named = {cause for cause, _, _ in changes}
        new = [move for move in moved[point.seq].moves if identity(move.sign) not in old and move.hypothesis.cause in named]
        dropped = tuple(told(sign) for key, sign in old.items() if key not in now)
        found.append(Shift(seq=point.seq, at=point.at, fault=point.fault, changes=changes, because=weights(new), dropped=dropped))
    return tuple(found)


def _changes(before: Point | None, after: Point) -> tuple[tuple[str, float, float], ...]:
    earlier = before.probabilities if before else {}
    names = dict.fromkeys([*after.probabilities, *earlier])
    rows = [(name, earlier.get(name, 0.0), after.probabilities.get(name, 0.0)) for name in names]
    rows = [row for row in rows if max(row[1], row[2]) >= _LEAST]
    rows.sort(key=lambda row: (-abs(row[2] - row[1]), row[0]))
    return (*rows[:_SHOWN], (UNKNOWN, before.unknown if before else 1.0, after.unknown))


def weights(moves: Sequence[Move], cause: str = "") -> tuple[Weight, ...]:
    """The moves (of one cause, where it is named) as weights, the strongest first; what is neutral is left out, and a sign counts once a cause."""
    found: dict[tuple[tuple[str, str, str], str], Weight] = {}
    for move in moves:
        if (cause and move.hypothesis.cause != cause) or _NEUTRAL[0] < move.ratio < _NEUTRAL[1]:
            continue
        key = (identity(move.sign), move.hypothesis.cause)
        found.setdefault(key, Weight(sign=told(move.sign), source=move.sign.source, cause=move.hypothesis.cause, ratio=move.ratio))
    return tuple(sorted(found.values(), key=lambda weight: (-max(weight.ratio, 1 / max(weight.ratio, 1e-9)), weight.cause, weight.sign)))
