"""The statistics of scores: means and ratios with bootstrap intervals (scipy), and how honest probabilities were."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray
from scipy.stats import bootstrap

LEVEL = 0.95
RESAMPLES = 2000
SEED = 1
BINS = 10

Numbers = NDArray[np.float64]


class Estimate(Struct, frozen=True):
    """A number with its 95 % interval (both ends the number itself where one observation, or none that differs, is all there is)."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3g} ({self.low:.3g} to {self.high:.3g})"


class Bin(Struct, frozen=True):
    """Those plays whose probability lay between `low` and `high`: how many, the mean probability, and the share that was right."""

    low: float
    high: float
    count: int
    probability: float
    right: float


def _estimated(statistic: Callable[..., Any], *columns: Sequence[float]) -> Estimate:
    data = tuple(np.asarray(column, dtype=np.float64) for column in columns)
    value = float(statistic(*data, axis=-1))
    if len(data[0]) < 2 or all(np.ptp(column) == 0 for column in data):
        return Estimate(value, value, value)
    found = bootstrap(
        data,
        statistic,
        paired=len(data) > 1,
        vectorized=True,
        n_resamples=RESAMPLES,
        batch=200,
        confidence_level=LEVEL,
        method="percentile",
        rng=np.random.default_rng(SEED),
    ).confidence_interval
    return Estimate(value, float(found.low), float(found.high))


def mean(values: Sequence[float]) -> Estimate:
    """The mean (0 of none)."""
    return _estimated(np.mean, values) if values else Estimate(0.0, 0.0, 0.0)


def difference(ours: Sequence[float], theirs: Sequence[float]) -> Estimate:
    """The mean difference of paired observations, `ours` less `theirs`."""
    return mean([own - other for own, other in zip(ours, theirs, strict=True)])


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> Estimate:
    """The mean of `ours` over that of `theirs`, paired; 1 where both are nothing, infinite where only `theirs` is."""
    if not sum(theirs):
        value = float("inf") if sum(ours) else 1.0
        return Estimate(value, value, value)
    return _estimated(_ratio, ours, theirs)


def _ratio(ours: Numbers, theirs: Numbers, axis: int = -1) -> Any:
    below = np.mean(theirs, axis=axis)
    # a resample in which nobody spent anything says that they are even
    return np.where(below > 0, np.mean(ours, axis=axis) / np.where(below > 0, below, 1.0), 1.0)


def reliability(probabilities: Sequence[float], right: Sequence[float]) -> tuple[Bin, ...]:
    """The plays in `BINS` equal parts of the probability's range, without the empty ones."""
    edges = [number / BINS for number in range(BINS + 1)]
    found: list[Bin] = []
    for low, high in pairwise(edges):
        inside = [(p, r) for p, r in zip(probabilities, right, strict=True) if low <= p < high or (high == 1.0 and p == 1.0)]
        if inside:
            count = len(inside)
            found.append(Bin(low, high, count, sum(p for p, _ in inside) / count, sum(r for _, r in inside) / count))
    return tuple(found)


def calibration_error(probabilities: Sequence[float], right: Sequence[float]) -> Estimate:
    """The expected calibration error: the mean distance of probability and share of right ones over the bins, weighted by their counts."""
    return _estimated(_calibration, probabilities, right) if probabilities else Estimate(0.0, 0.0, 0.0)


def _calibration(probabilities: Numbers, right: Numbers, axis: int = -1) -> Any:
    place = np.minimum((probabilities * BINS).astype(int), BINS - 1)
    gaps = [np.abs(np.sum(np.where(place == number, probabilities - right, 0.0), axis=axis)) for number in range(BINS)]
    return np.sum(np.stack(gaps, axis=-1), axis=-1) / probabilities.shape[axis]
