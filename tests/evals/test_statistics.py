"""The numbers that scores are told in: known cases, and the ends of intervals."""

import pytest

from evals.statistics import Estimate, calibration_error, difference, mean, ratio, reliability


def test_a_mean_lies_in_its_interval() -> None:
    """The interval holds the mean, and is narrower for more observations of the same kind."""
    few, many = mean([0.0, 1.0] * 10), mean([0.0, 1.0] * 200)
    assert (0.5, 0.5) == (few.value, many.value)
    assert few.low < many.low < 0.5 < many.high < few.high


@pytest.mark.parametrize(("values", "value"), [([], 0.0), ([0.4], 0.4), ([2.0, 2.0, 2.0], 2.0)])
def test_what_does_not_vary_has_no_width(values: list[float], value: float) -> None:
    """Of none, one, or equal observations there is nothing to resample."""
    assert Estimate(value, value, value) == mean(values)


def test_an_interval_is_the_same_each_time() -> None:
    """The resampling is seeded."""
    assert mean([0.1, 0.9, 0.3, 0.7]) == mean([0.1, 0.9, 0.3, 0.7])


def test_a_difference_is_paired() -> None:
    """Where one is better by the same in each world, the difference is certain however much the worlds vary."""
    theirs = [1.0, 50.0, 3.0, 200.0]
    assert Estimate(-1.0, -1.0, -1.0) == difference([value - 1.0 for value in theirs], theirs)


def test_a_ratio_is_that_of_the_means() -> None:
    """A few dear worlds weigh what they cost."""
    found = ratio([1.0, 30.0, 5.0], [2.0, 60.0, 10.0])
    assert 0.5 == found.value
    assert found.low <= 0.5 <= found.high


def test_a_ratio_to_nothing() -> None:
    """Two that spend nothing are even; spending where the other spends nothing is infinitely more."""
    assert (1.0, float("inf")) == (ratio([0.0, 0.0], [0.0, 0.0]).value, ratio([1.0, 0.0], [0.0, 0.0]).value)


@pytest.mark.parametrize(
    ("probabilities", "right", "error"),
    [
        ([1.0] * 4, [1.0] * 4, 0.0),
        ([0.75] * 4, [1.0, 1.0, 1.0, 0.0], 0.0),
        ([0.95] * 4, [0.0] * 4, 0.95),
        ([0.55, 0.95], [1.0, 1.0], 0.25),  # (0.45 + 0.05) / 2
        ([0.0, 0.85], [0.0, 0.0], 0.425),
    ],
)
def test_the_calibration_error_by_hand(probabilities: list[float], right: list[float], error: float) -> None:
    """The mean distance over ten bins, weighted by their counts."""
    assert error == pytest.approx(calibration_error(probabilities, right).value)


def test_reliability_counts_everything_once() -> None:
    """Every play is in one bin, a probability of one in the last, and empty bins are left out."""
    bins = reliability([0.0, 0.05, 0.3, 0.31, 1.0], [0.0, 1.0, 1.0, 0.0, 1.0])
    assert [(0.0, 2), (0.3, 2), (0.9, 1)] == [(one.low, one.count) for one in bins]
    assert [0.5, 0.5, 1.0] == [one.right for one in bins]
