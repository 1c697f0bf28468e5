"""Scores added up: one line a strategy, over all worlds or a part of them, every number with its interval."""

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean

from msgspec import Struct

from evals.run import OPTIMAL
from evals.score import Scored
from evals.statistics import Bin, Estimate, calibration_error, mean, ratio, reliability

GROUPS: dict[str, Callable[[Scored], str]] = {
    "family": lambda s: s.family,
    "framework": lambda s: s.framework,
    "difficulty": lambda s: s.difficulty,
    "provenance": lambda s: s.provenance,
    "fold": lambda s: str(s.fold),
}
"""What scores can be told by."""


class Summary(Struct, frozen=True, kw_only=True):
    """One strategy over `worlds` worlds (the mean over seeds counts as one play of a world).

    `top1`, `top3`, `decided`, `fixed` and `up` are shares; `fixed` and `up` of the worlds in which there is something to ask and to try, as are
    the costs: `cost` is seconds until the first fault was decided. `regret` is `cost` less that of the optimal strategy over the worlds that both
    decided, `factor` their ratio (None: it did not play). `decidable` is the mean time to the right decision, of the plays that came to it.
    `both` is the share of the `several` worlds with more than one fault in which all were found.
    """

    strategy: str
    worlds: int
    top1: Estimate
    top3: Estimate
    decided: Estimate
    fixed: Estimate
    up: Estimate
    launches: Estimate
    probes: Estimate
    cost: Estimate
    seconds: Estimate
    regret: Estimate | None
    factor: Estimate | None
    decidable: Estimate
    confident_errors: int
    brier: Estimate
    calibration: Estimate
    reliability: tuple[Bin, ...]
    both: Estimate
    several: int
    stopped: int
    unanswered: int


def by_strategy(scored: Iterable[Scored]) -> dict[str, list[Scored]]:
    """The scores of each strategy, in the order of the catalogue's names as they come."""
    groups: dict[str, list[Scored]] = {}
    for one in scored:
        groups.setdefault(one.job.strategy, []).append(one)
    return groups


def per_world(scored: Sequence[Scored], value: Callable[[Scored], float]) -> dict[str, float]:
    """The mean of `value` over the seeds, by world."""
    groups: dict[str, list[float]] = {}
    for one in scored:
        groups.setdefault(one.job.slug, []).append(value(one))
    return {slug: fmean(values) for slug, values in sorted(groups.items())}


def paired(ours: dict[str, float], theirs: dict[str, float]) -> tuple[list[float], list[float]]:
    """The values of the worlds that both have, in the same order."""
    both = sorted(ours.keys() & theirs.keys())
    return [ours[slug] for slug in both], [theirs[slug] for slug in both]


def summaries(scored: Sequence[Scored]) -> list[Summary]:
    """One summary a strategy; the strategies that cost least until the decision first, ``optimal`` aside, which comes last."""
    groups = by_strategy(scored)
    floor = groups.get(OPTIMAL, [])
    found = [summary(name, plays, floor) for name, plays in groups.items()]
    return sorted(found, key=lambda s: (s.strategy == OPTIMAL, -s.decided.value, s.cost.value, s.strategy))


def summary(name: str, plays: Sequence[Scored], floor: Sequence[Scored] = ()) -> Summary:
    """The summary of one strategy's plays; `floor` are those of the optimal one."""

    def share(value: Callable[[Scored], float], some: Sequence[Scored] = plays) -> Estimate:
        return mean(list(per_world(some, value).values()))

    asking = [s for s in plays if s.asks]
    ours, best = paired(_decided_costs(asking), _decided_costs([s for s in floor if s.asks]))
    probabilities, right = [s.probability for s in plays], [float(s.right) for s in plays]
    several = [s for s in plays if s.faults > 1]
    return Summary(
        strategy=name,
        worlds=len({s.job.slug for s in plays}),
        top1=share(lambda s: s.right),
        top3=share(lambda s: s.among_three),
        decided=share(lambda s: s.decided),
        fixed=share(lambda s: s.fixed, asking),
        up=share(lambda s: s.up, asking),
        launches=share(lambda s: s.launches, asking),
        probes=share(lambda s: s.probes, asking),
        cost=share(lambda s: s.cost, asking),
        seconds=share(lambda s: s.seconds, asking),
        regret=mean([own - other for own, other in zip(ours, best, strict=True)]) if best else None,
        factor=ratio(ours, best) if best else None,
        decidable=mean([s.decidable for s in plays if s.decidable is not None]),
        confident_errors=sum(s.confident_error for s in plays),
        brier=share(lambda s: s.brier),
        calibration=calibration_error(probabilities, right),
        reliability=reliability(probabilities, right),
        both=share(lambda s: s.found == s.faults, several),
        several=len({s.job.slug for s in several}),
        stopped=sum(bool(s.stopped) for s in plays),
        unanswered=sum(s.unanswered for s in plays),
    )


def _decided_costs(plays: Sequence[Scored]) -> dict[str, float]:
    return per_world([s for s in plays if s.decided or s.fixed], lambda s: s.cost)


def parts(scored: Sequence[Scored], by: str) -> dict[str, list[Scored]]:
    """The scores by one of `GROUPS`."""
    groups: dict[str, list[Scored]] = {}
    for one in scored:
        groups.setdefault(GROUPS[by](one) or "unknown", []).append(one)
    return dict(sorted(groups.items()))
