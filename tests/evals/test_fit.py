"""A fit is counts over hand-made numbers, and is judged on kinds that it did not see."""

import math

import pytest
from msgspec import structs

from agent.causes.catalogue import BY_HAND, CAUSES
from agent.causes.fitted import Fitted, decode, refitted
from evals.fit import ENOUGH, Seen, calibrated, calibration, table, table_bytes
from evals.playing import Job
from evals.score import Scored


def _seen(count: int, cause: str, *signs: tuple[str, str]) -> list[Seen]:
    return [Seen(slug=str(number), causes=(cause,), kind="k", signs=signs) for number in range(count)]


def test_without_worlds_the_numbers_stay() -> None:
    """Nothing counted: the hand-made priors, and no table."""
    fitted = table([])
    assert {} == fitted.tables
    assert all(math.isclose(cause.prior, fitted.priors[cause.id], rel_tol=1e-3) for cause in BY_HAND)


def test_what_is_seen_often_becomes_likelier_and_the_whole_stays() -> None:
    """One prior rises, all others fall in the same proportion, their sum is kept."""
    fitted = table(_seen(20, "flag/removed"))
    by_hand = {cause.id: cause.prior for cause in BY_HAND}
    assert fitted.priors["flag/removed"] > by_hand["flag/removed"]
    ratios = {round(fitted.priors[name] / by_hand[name], 2) for name in by_hand if name != "flag/removed"}
    assert 1 == len(ratios)
    assert math.fsum(by_hand.values()) == pytest.approx(math.fsum(fitted.priors.values()), rel=1e-3)


def test_a_likelihood_is_fitted_where_there_is_enough() -> None:
    """From enough worlds on, and only for a variable that the cause speaks of; it stays a distribution."""
    sign = ("error", "unrecognised")
    assert {} == table(_seen(ENOUGH - 1, "flag/removed", sign)).tables
    fitted = table(_seen(50, "flag/removed", sign, ("port", "taken"))).tables["flag/removed"]
    assert {"error"} == set(fitted)
    before = next(cause for cause in BY_HAND if cause.id == "flag/removed").table["error"]["unrecognised"]
    assert before < fitted["error"]["unrecognised"] < 1.0
    assert sum(fitted["error"].values()) <= 1.0


def test_several_defensible_causes_share_a_world() -> None:
    """A world that two causes explain counts half for each."""
    both = [Seen(slug=str(n), causes=("flag/removed", "flag/renamed"), kind="k", signs=()) for n in range(10)]
    by_hand = {cause.id: cause.prior for cause in BY_HAND}
    gained = [table(both).priors[name] / table([]).priors[name] for name in ("flag/removed", "flag/renamed")]
    assert all(1 < gain < table(_seen(10, "flag/removed")).priors["flag/removed"] / by_hand["flag/removed"] for gain in gained)


def test_a_table_is_laid_over_the_causes() -> None:
    """What was fitted takes the place of the hand-made number, the rest stays; the file says the same when it is read back."""
    fitted = Fitted(about="a test", priors={"flag/removed": 0.5}, tables={"flag/removed": {"error": {"unrecognised": 0.7}}})
    changed = {cause.id: cause for cause in refitted(BY_HAND, decode(table_bytes(fitted)))}
    assert (0.5, 0.7) == (changed["flag/removed"].prior, changed["flag/removed"].table["error"]["unrecognised"])
    for cause in BY_HAND:
        if cause.id != "flag/removed":
            assert cause == changed[cause.id]


def test_the_catalogue_is_the_hand_made_one_with_what_is_installed() -> None:
    """Priors and tables alone may differ from the files."""
    assert [cause.id for cause in BY_HAND] == [cause.id for cause in CAUSES]
    for ours, hand in zip(CAUSES, BY_HAND, strict=True):
        assert structs.replace(hand, prior=1.0, table={}) == structs.replace(ours, prior=1.0, table={})


def _plays(probability: float, right: int, wrong: int) -> list[Scored]:
    return [
        Scored(
            job=Job(slug=str(number), strategy="s"),
            framework="",
            family="",
            kind="",
            difficulty="",
            provenance="",
            fold=0,
            asks=False,
            probability=probability,
            right=number < right,
        )
        for number in range(right + wrong)
    ]


def test_calibration_moves_probabilities_to_what_came_true() -> None:
    """Too modest is raised, too sure is lowered, and the order of probabilities stays."""
    plays = [*_plays(0.6, 180, 20), *_plays(0.9, 196, 4)]
    slope, shift = calibration(plays)
    assert calibrated(0.6, slope, shift) == pytest.approx(0.9, abs=0.02)
    assert calibrated(0.9, slope, shift) == pytest.approx(0.98, abs=0.02)
    sure = calibration([*_plays(0.95, 70, 30), *_plays(0.5, 30, 70)])
    assert calibrated(0.95, *sure) == pytest.approx(0.7, abs=0.03)


def test_all_right_teaches_no_calibration() -> None:
    """From plays without an error nobody learns how far a probability can be trusted."""
    assert (1.0, 0.0) == calibration(_plays(0.7, 50, 0))
