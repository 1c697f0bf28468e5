"""The plots of the page as coordinates: 352 wide, 288 high, the plotted part from (40, 250) to (340, 10)."""

import math
from collections.abc import Sequence

from msgspec import Struct

from evals.statistics import Bin
from evals.summary import Summary

LEFT, RIGHT, TOP, BOTTOM = 40.0, 340.0, 10.0, 250.0
_BARS = 110.0
_APART = 12.0


class Tick(Struct, frozen=True):
    """A mark of an axis."""

    x: float
    text: str


class Point(Struct, frozen=True, kw_only=True):
    """A strategy: where it stands, the ends of its interval, and the y of its name."""

    name: str
    style: str
    x: float
    y: float
    low: float
    high: float
    label: float
    about: str


class Scatter(Struct, frozen=True):
    """Accuracy against cost."""

    points: tuple[Point, ...]
    ticks: tuple[Tick, ...]
    rises: tuple[Tick, ...]


class Bar(Struct, frozen=True, kw_only=True):
    """A strategy's regret."""

    name: str
    style: str
    y: float
    width: float
    text: str
    about: str


class Dot(Struct, frozen=True, kw_only=True):
    """A bin of the reliability plot; `radius` grows with its count."""

    probability: float
    right: float
    radius: float
    about: str


def accuracy_against_cost(found: Sequence[Summary], ours: str) -> Scatter:
    """The share of worlds decided rightly by the mean cost until then, on a logarithmic axis."""
    costs = [max(one.cost.value, 0.01) for one in found] or [1.0]
    low, high = math.floor(math.log10(min(costs))), math.ceil(math.log10(max(costs)) + 1e-9)
    span = max(high - low, 1)
    least = min((one.top1.low for one in found), default=0.0)
    floor = math.floor(least * 10) / 10 if least < 1 else 0.9

    def x(cost: float) -> float:
        return round(LEFT + (RIGHT - LEFT) * (math.log10(max(cost, 0.01)) - low) / span, 1)

    def y(share: float) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * (share - floor) / (1 - floor), 1)

    points: list[Point] = []
    taken: list[float] = []
    for one in sorted(found, key=lambda s: (s.top1.value, s.strategy)):
        label = y(one.top1.value) + 4
        while any(abs(label - other) < _APART for other in taken):
            label -= _APART
        taken.append(label)
        points.append(
            Point(
                name=one.strategy,
                style="ours" if one.strategy == ours else "",
                x=x(one.cost.value),
                y=y(one.top1.value),
                low=y(one.top1.low),
                high=y(one.top1.high),
                label=label,
                about=f"{one.strategy}: right {one.top1}, {one.cost} s",
            )
        )
    ticks = tuple(Tick(x(10.0**power), f"{10.0**power:g}") for power in range(low, low + span + 1))
    rises = tuple(Tick(y(floor + (1 - floor) * part / 4), f"{100 * (floor + (1 - floor) * part / 4):.0f} %") for part in range(5))
    return Scatter(tuple(points), ticks, rises)


def regret_bars(found: Sequence[Summary], ours: str) -> tuple[Bar, ...]:
    """The regret of every strategy that has one, least first."""
    known = sorted(((one.regret, one) for one in found if one.regret is not None), key=lambda pair: (pair[0].value, pair[1].strategy))
    most = max((regret.value for regret, _ in known), default=0.0) or 1.0
    return tuple(
        Bar(
            name=one.strategy,
            style="ours" if one.strategy == ours else "",
            y=TOP + 24.0 * place,
            width=round(max((RIGHT - _BARS - 60) * regret.value / most, 0.0), 1),
            text=f"{regret.value:.2f} s",
            about=f"{one.strategy}: {regret} s, over {one.worlds} worlds",
        )
        for place, (regret, one) in enumerate(known)
    )


def reliability_dots(bins: Sequence[Bin]) -> tuple[Dot, ...]:
    """The bins as dots."""
    most = max((one.count for one in bins), default=1)
    return tuple(
        Dot(
            probability=one.probability,
            right=one.right,
            radius=round(3 + 9 * math.sqrt(one.count / most), 1),
            about=f"{one.count} plays said {one.probability:.2f}, {100 * one.right:.0f} % were right",
        )
        for one in bins
    )
