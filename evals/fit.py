"""Fits priors and likelihoods to worlds, by counts that the hand-made numbers smooth; and judges a fit on the kinds of fault that it did not see.

A cause's hand-made number counts as `STRENGTH` observations, so that a few worlds move it a little and many move it far. A likelihood is fitted only
where at least `ENOUGH` worlds have the cause, and only for the variables of which the cause speaks already: a fit does not invent evidence.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np
from joblib import Parallel, delayed
from msgspec import Struct, structs
from numpy.typing import NDArray
from scipy.optimize import minimize

from agent.causes.catalogue import BY_HAND, CAUSES
from agent.causes.cause import Cause
from agent.causes.fitted import Fitted, refitted
from evals.compare import GATED
from evals.playing import Job, play
from evals.possible import beginning
from evals.score import FOLDS, Scored, fold_of, score
from evals.store import FOLDER, load_truths, load_world, slugs
from evals.summary import Summary, summary
from transcripts import codec
from transcripts.variables import BY_NAME

STRENGTH = 30.0
ENOUGH = 8
TABLE_STRENGTH = 10.0
_EDGE = 1e-4

Signs = Sequence[tuple[str, str]]


class Seen(Struct, frozen=True, kw_only=True):
    """What a fit needs of one world: the causes that count as right, its kind, and the (variable, value) pairs of its first symptom."""

    slug: str
    causes: tuple[str, ...]
    kind: str
    signs: tuple[tuple[str, str], ...]


class Judged(Struct, frozen=True, kw_only=True):
    """The held-out scores: with the numbers made by hand, with those fitted to the other parts, and these with calibrated probabilities.

    `slope` and `shift` are the calibration fitted to all: logit p becomes slope · logit p + shift.
    """

    folds: int
    by_hand: Summary
    fitted: Summary
    calibrated: Summary
    slope: float
    shift: float


def seen(folder: Path, some: Sequence[str]) -> list[Seen]:
    """What these worlds show at first."""
    truths = load_truths(folder)
    found: list[Seen] = []
    for slug in some:
        case = beginning(load_world(slug, folder)).case
        signs = tuple(sorted({(sign.variable, sign.value) for sign in case.focus()}))
        found.append(Seen(slug=slug, causes=truths[slug].causes, kind=truths[slug].kind, signs=signs))
    return found


def table(worlds: Iterable[Seen], causes: Sequence[Cause] = BY_HAND) -> Fitted:
    """The table fitted to `worlds`. A world with several defensible causes counts for each in part."""
    worlds = list(worlds)
    count: dict[str, float] = {}
    for one in worlds:
        for cause in one.causes:
            count[cause] = count.get(cause, 0.0) + 1.0 / len(one.causes)
    whole = math.fsum(cause.prior for cause in causes)
    share = STRENGTH + math.fsum(count.values())
    priors = {cause.id: whole * (STRENGTH * cause.prior / whole + count.get(cause.id, 0.0)) / share for cause in causes}
    tables = {cause.id: _tables(cause, [one.signs for one in worlds if cause.id in one.causes]) for cause in causes}
    return Fitted(
        about=f"{len(worlds)} worlds, {len({one.kind for one in worlds})} kinds of fault",
        priors={name: round(prior, 6) for name, prior in priors.items()},
        tables={name: tables[name] for name in tables if tables[name]},
    )


def _tables(cause: Cause, observed: Sequence[Signs]) -> dict[str, dict[str, float]]:
    """The cause's own variables with the counts of their values laid over; empty where there is too little to count."""
    if len(observed) < ENOUGH:
        return {}
    found: dict[str, dict[str, float]] = {}
    for variable, values in cause.table.items():
        counts = _counts(variable, observed)
        total = sum(counts.values())
        if total >= ENOUGH:
            names = {*values, *counts}
            fitted = {name: (TABLE_STRENGTH * _prior(values, variable, name) + counts.get(name, 0)) / (TABLE_STRENGTH + total) for name in names}
            found[variable] = {name: round(value, 4) for name, value in sorted(fitted.items())}
    return found


def _counts(variable: str, observed: Sequence[Signs]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for signs in observed:
        for value in {value for name, value in signs if name == variable}:
            counts[value] = counts.get(value, 0) + 1
    return counts


def _prior(values: Mapping[str, float], variable: str, name: str) -> float:
    """What the hand-made table gives to a value: its own, or its part of what the listed ones leave."""
    if name in values:
        return values[name]
    rates = BY_NAME[variable].rates
    left = max(1.0 - math.fsum(values.values()), 0.0)
    others = math.fsum(rate for value, rate in rates.items() if value not in values) or 1.0
    return left * BY_NAME[variable].base(name) / others


def fit(folder: Path = FOLDER) -> Fitted:
    """The table fitted to all worlds of a folder."""
    truths = load_truths(folder)
    return table(seen(folder, [slug for slug in slugs(folder) if slug in truths]))


def table_bytes(fitted: Fitted) -> bytes:
    """A table as the file that is reviewed: indented JSON."""
    return msgspec.json.format(msgspec.json.encode(fitted), indent=1) + b"\n"


def judged(folder: Path = FOLDER, folds: int = FOLDS, processes: int = -1) -> Judged:
    """Cross-validation by kind of fault: every part is played with what was fitted to the others."""
    truths = load_truths(folder)
    every = [slug for slug in slugs(folder) if slug in truths]
    pool = Parallel(n_jobs=processes)
    worlds = [one for part in pool(delayed(seen)(folder, every[start::8]) for start in range(8)) for one in part]
    parts = {number: [one.slug for one in worlds if fold_of(one.kind, folds) == number] for number in range(folds)}
    tables = {number: table(one for one in worlds if one.slug not in set(part)) for number, part in parts.items()}
    tasks = [(part[start::4], tables[number]) for number, part in parts.items() for start in range(4) if part[start::4]]
    by_hand = [one for some in pool(delayed(scored)(folder, part, None) for part, _ in tasks) for one in some]
    fitted = [one for some in pool(delayed(scored)(folder, part, numbers) for part, numbers in tasks) for one in some]
    again: list[Scored] = []
    for part in parts.values():
        slope, shift = calibration([s for s in by_hand if s.job.slug not in set(part)])
        again += [structs.replace(s, probability=calibrated(s.probability, slope, shift)) for s in by_hand if s.job.slug in set(part)]
    slope, shift = calibration(by_hand)
    return Judged(
        folds=folds,
        by_hand=summary("by hand", by_hand),
        fitted=summary("fitted", fitted),
        calibrated=summary("by hand, calibrated", again),
        slope=round(slope, 4),
        shift=round(shift, 4),
    )


def scored(folder: Path, some: Sequence[str], numbers: Fitted | None) -> list[Scored]:
    """The scores of information gain on some worlds, with a fitted table or nostart's own numbers. Runs in a worker."""
    causes = refitted(BY_HAND, numbers) if numbers is not None else CAUSES
    truths = load_truths(folder)
    found: list[Scored] = []
    for slug in some:
        world = load_world(slug, folder)
        made = play(world, Job(slug=slug, strategy=GATED), causes=causes)
        told = [codec.decode(line, made.blobs.__getitem__) for line in made.lines]
        found.append(score(world, truths[slug], made.played, told))
    return found


def calibration(plays: Sequence[Scored]) -> tuple[float, float]:
    """Slope and shift of Platt's scaling, by maximum likelihood with his smoothed targets; (1, 0) where all or none were right."""
    right = sum(s.right for s in plays)
    wrong = len(plays) - right
    if not right or not wrong:
        return 1.0, 0.0
    high, low = (right + 1) / (right + 2), 1 / (wrong + 2)
    points = [(_logit(s.probability), high if s.right else low) for s in plays]

    def loss(values: NDArray[np.float64]) -> float:
        slope, shift = map(float, values)
        return -math.fsum(t * math.log(q) + (1 - t) * math.log(1 - q) for x, t in points for q in (_expit(slope * x + shift),))

    found = minimize(loss, x0=np.array([1.0, 0.0]), method="Nelder-Mead")
    return float(found.x[0]), float(found.x[1])


def calibrated(probability: float, slope: float, shift: float) -> float:
    """The calibrated probability."""
    return _expit(slope * _logit(probability) + shift)


def _logit(probability: float) -> float:
    bounded = min(max(probability, _EDGE), 1 - _EDGE)
    return math.log(bounded / (1 - bounded))


def _expit(value: float) -> float:
    return min(max(1 / (1 + math.exp(-value)), _EDGE), 1 - _EDGE)
