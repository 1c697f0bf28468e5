"""Comparisons are paired over the same worlds; the gate tells a regression from noise."""

from pathlib import Path

import pytest
from msgspec import structs

from evals.compare import GATED, accept, compare, load_accepted, regressions
from evals.playing import Job
from evals.score import Scored
from evals.summary import parts, summaries
from transcripts.errors import UsageError


def _play(world: int, strategy: str = GATED, seed: int = 0, **told: object) -> Scored:
    plain = Scored(
        job=Job(slug=f"{world:02x}", strategy=strategy, seed=seed),
        framework="vllm",
        family="flag" if world % 2 else "quoting",
        kind="k",
        difficulty="easy",
        provenance="recorded-live",
        fold=world % 5,
        asks=True,
        top="flag/removed",
        probability=0.85,
        right=True,
        among_three=True,
        decided=True,
        cost=1.0 + world,
        seconds=20.0,
        probes=2,
        launches=2,
        fixed=True,
        up=True,
        found=1,
    )
    return structs.replace(plain, **told)


NOW = [_play(world) for world in range(30)]


def test_the_same_is_within_the_noise() -> None:
    """Nothing differs, nothing regressed."""
    assert {0} == {one.better for one in compare(NOW, NOW).differences}
    assert [] == regressions(NOW, NOW)


def test_a_world_more_or_less_wrong_is_noise_and_many_are_not() -> None:
    """One of thirty worlds proves nothing; ten do."""

    def wrong(count: int) -> list[Scored]:
        return [structs.replace(one, right=place >= count) for place, one in enumerate(NOW)]

    assert [] == regressions(wrong(1), NOW)
    assert any(text.startswith("right first cause") for text in regressions(wrong(10), NOW))


def test_a_confident_error_is_never_noise() -> None:
    """A single new one fails the gate; one that was accepted does not."""
    bad = [structs.replace(NOW[0], right=False, probability=0.95), *NOW[1:]]
    assert 1 == len(regressions(bad, NOW))
    assert [] == regressions(bad, bad)


def test_slower_everywhere_is_a_regression_and_quicker_is_none() -> None:
    """Costs are better when they are less."""
    slower = [structs.replace(one, cost=one.cost * 1.5) for one in NOW]
    assert any("seconds until decided" in text for text in regressions(slower, NOW))
    assert [] == regressions(NOW, slower)
    assert 1 == next(one.better for one in compare(NOW, slower).differences if one.measure == "cost")


def test_a_world_that_is_gone_fails_and_a_new_one_does_not() -> None:
    """Leaving out what is hard is no improvement."""
    assert 1 == len(regressions(NOW[1:], NOW))
    assert [] == regressions(NOW, NOW[1:])


def test_seeds_count_as_one_play_of_their_world() -> None:
    """A strategy that draws lots is compared by its mean over the seeds."""
    drawn = [_play(world, "random", seed, cost=cost) for world in range(30) for seed, cost in enumerate((0.0, 2.0 * (1 + world)))]
    found = next(one for one in compare(NOW, drawn).differences if one.measure == "cost")
    assert (0.0, 1.0) == (found.difference.value, found.factor.value)


def test_the_order_of_plays_changes_no_number() -> None:
    """Scores are a set."""
    plays = [*NOW, *(_play(world, "optimal", cost=1.0) for world in range(30))]
    assert summaries(plays) == summaries(plays[::-1])
    assert compare(NOW, plays[30:]) == compare(NOW[::-1], plays[:29:-1])


def test_regret_is_over_what_both_decided() -> None:
    """A world that the optimal strategy could not decide says nothing about regret."""
    floor = [_play(world, "optimal", cost=0.5 * (1 + world), decided=world < 20, fixed=False) for world in range(30)]
    ours = next(one for one in summaries([*NOW, *floor]) if one.strategy == GATED)
    assert ours.factor is not None
    assert ours.regret is not None
    assert (2.0, sum(0.5 * (1 + world) for world in range(20)) / 20) == (ours.factor.value, ours.regret.value)


def test_parts_are_all_of_it() -> None:
    """Told by family, every play is in one part."""
    assert {"flag": 15, "quoting": 15} == {name: len(some) for name, some in parts(NOW, "family").items()}


def test_accepted_scores_are_read_back(tmp_path: Path) -> None:
    """The file holds the gated strategy's scores, one a line, and no other's."""
    path = tmp_path / "accepted.json"
    accept([*NOW[::-1], _play(3, "random")], path)
    assert tuple(NOW) == load_accepted(path).scores
    assert len(NOW) + 2 == len(path.read_text(encoding="utf-8").splitlines())


def test_without_accepted_scores_there_is_a_word_for_it(tmp_path: Path) -> None:
    """The message says what writes them."""
    with pytest.raises(UsageError, match="--accept"):
        load_accepted(tmp_path / "none.json")
