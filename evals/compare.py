"""Two strategies, or two states of one, over the same worlds and seeds: paired differences with intervals; and the gate made of them."""

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from evals.score import Scored
from evals.statistics import Estimate, difference, ratio
from evals.summary import paired, per_world
from transcripts.errors import UsageError
from transcripts.records import Record

ACCEPTED = Path(__file__).parent / "accepted.json"
"""The scores that were last accepted, reviewed like code."""
GATED = "information-gain"

MEASURES: dict[str, tuple[str, Callable[[Scored], float], int]] = {
    "top1": ("right first cause", lambda s: float(s.right), 1),
    "top3": ("right cause among the first three", lambda s: float(s.among_three), 1),
    "decided": ("decided", lambda s: float(s.decided), 1),
    "fixed": ("first fault mended", lambda s: float(s.fixed), 1),
    "up": ("up in the end", lambda s: float(s.up), 1),
    "found": ("share of the faults found", lambda s: s.found / s.faults, 1),
    "cost": ("seconds until decided", lambda s: s.cost, -1),
    "seconds": ("seconds in all", lambda s: s.seconds, -1),
    "launches": ("launches", lambda s: float(s.launches), -1),
    "probes": ("probes", lambda s: float(s.probes), -1),
    "brier": ("Brier score", lambda s: s.brier, -1),
}
"""What is compared: in words, how it is read from a score, and whether more (1) or less (-1) of it is better."""


class Difference(Struct, frozen=True, kw_only=True):
    """One measure: both means, `ours` less `theirs`, and `theirs` over `ours` (the factor saved). `better` is 1, 0 within the noise, or -1."""

    measure: str
    ours: float
    theirs: float
    difference: Estimate
    factor: Estimate
    better: int


class Comparison(Struct, frozen=True, kw_only=True):
    """All measures over the `worlds` worlds that both played. `only_ours` and `only_theirs` are those that one of them lacks."""

    worlds: int
    only_ours: tuple[str, ...]
    only_theirs: tuple[str, ...]
    differences: tuple[Difference, ...]
    confident_errors: tuple[int, int]


class Accepted(Record, frozen=True, kw_only=True):
    """The file of accepted scores: those of the strategy that the gate is about."""

    strategy: str
    scores: tuple[Scored, ...]


def compare(ours: Sequence[Scored], theirs: Sequence[Scored]) -> Comparison:
    """Compare two sets of plays, paired by world (and by seed, where both have the same seeds)."""
    own, other = {s.job.slug for s in ours}, {s.job.slug for s in theirs}
    return Comparison(
        worlds=len(own & other),
        only_ours=tuple(sorted(own - other)),
        only_theirs=tuple(sorted(other - own)),
        differences=tuple(_difference(name, ours, theirs) for name in MEASURES),
        confident_errors=(sum(s.confident_error for s in ours), sum(s.confident_error for s in theirs)),
    )


def _difference(name: str, ours: Sequence[Scored], theirs: Sequence[Scored]) -> Difference:
    _, value, sense = MEASURES[name]
    own, other = paired(per_world(ours, value), per_world(theirs, value))
    found = difference(own, other)
    better = sense if found.low > 0 else -sense if found.high < 0 else 0
    count = len(own) or 1
    return Difference(
        measure=name, ours=sum(own) / count, theirs=sum(other) / count, difference=found, factor=ratio(other, own) if own else found, better=better
    )


def regressions(now: Sequence[Scored], accepted: Sequence[Scored]) -> list[str]:
    """What became worse than what was accepted, beyond the noise, each as a sentence; empty where the gate is passed.

    A new confident error is never noise, and neither is a world that is gone.
    """
    found = compare(now, accepted)
    told = [
        f"{MEASURES[d.measure][0]}: {d.ours:.3f}, accepted {d.theirs:.3f}; the difference is {d.difference}"
        for d in found.differences
        if d.better < 0
    ]
    known = {s.job for s in accepted if s.confident_error}
    told += [f"world {s.job.slug}: confidently wrong, {s.top} ({s.probability:.2f})" for s in now if s.confident_error and s.job not in known]
    if found.only_theirs:
        told.append(f"{len(found.only_theirs)} accepted worlds were not played: {', '.join(found.only_theirs[:5])}")
    return told


def load_accepted(path: Path = ACCEPTED) -> Accepted:
    """The accepted scores.

    Raises:
        UsageError: there is no such file, or it is damaged.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=Accepted)
    except (OSError, msgspec.MsgspecError) as error:
        raise UsageError(f"cannot read the accepted scores {path}: {error}; nostart eval compare --accept writes them") from error


def accept(scored: Sequence[Scored], path: Path = ACCEPTED) -> None:
    """Write the scores of the gated strategy as the accepted ones, one a line."""
    kept = sorted((s for s in scored if s.job.strategy == GATED), key=lambda s: s.job.slug)
    lines = ",\n".join(msgspec.json.encode(one).decode() for one in kept)
    path.write_text(f'{{"strategy":"{GATED}","scores":[\n{lines}\n]}}\n', encoding="utf-8")
