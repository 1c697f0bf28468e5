"""The optimal strategy is the least expected cost there is: compared with every policy, tried out one by one."""

import itertools
from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

from agent.strategies.optimal import Plan
from agent.strategies.strategy import Prospect

LABELS = ("a", "b", "c")


class World(Struct, frozen=True):
    """What each question shows in a world, what every question costs there, and after which sets of questions it is decided."""

    shows: dict[str, int]
    price: float
    decided: frozenset[frozenset[str]]


class Toy:
    """An outlook made of toy worlds: what a strategy sees is the answers to what was asked."""

    def __init__(self, worlds: list[World]) -> None:
        self.worlds = worlds
        self.weights = (1.0 / len(worlds),) * len(worlds)
        self.relevant = frozenset(LABELS)

    def look(self, world: int, asked: frozenset[str]) -> Prospect:
        """The answers so far."""
        here = self.worlds[world]
        decided = any(those <= asked for those in here.decided)
        seen = sorted((label, here.shows[label]) for label in asked)
        return Prospect(shows=repr((seen, decided)), decided=decided, open=tuple(sorted(set(LABELS) - asked)), cost=here.price if asked else 0.0)

    def best(self, asked: frozenset[str], shows: str) -> str:
        """The plan over these worlds."""
        return Plan(self).best(asked, shows)


def _worlds() -> st.SearchStrategy[list[World]]:
    sets = [frozenset(s) for size in (1, 2, 3) for s in itertools.combinations(LABELS, size)]
    one = st.builds(
        lambda shows, price, decided: World(dict(zip(LABELS, shows, strict=True)), price, frozenset(decided)),
        st.lists(st.integers(0, 1), min_size=3, max_size=3),
        st.integers(1, 9).map(float),
        st.lists(st.sampled_from(sets), max_size=2),
    )
    return st.lists(one, min_size=1, max_size=4)


def _policies(outlook: Toy, worlds: tuple[int, ...], asked: frozenset[str]) -> Iterator[tuple[float, float]]:
    """(undecided mass, expected cost) of every policy from here on, by brute force."""
    states = {world: outlook.look(world, asked) for world in worlds}
    mass = len(worlds) / len(outlook.worlds)
    if next(iter(states.values())).decided:
        yield 0.0, 0.0
        return
    yield mass, 0.0
    for label in sorted(set(LABELS) - asked):
        after = asked | {label}
        cells: dict[str, list[int]] = {}
        for world in worlds:
            cells.setdefault(outlook.look(world, after).shows, []).append(world)
        spent = sum(outlook.look(world, after).cost / len(outlook.worlds) for world in worlds)
        for parts in itertools.product(*(list(_policies(outlook, tuple(cell), after)) for cell in cells.values())):
            yield sum(part[0] for part in parts), spent + sum(part[1] for part in parts)


def _followed(plan: Plan, outlook: Toy, world: int) -> tuple[bool, float]:
    """Whether the plan decides this world, and at what cost."""
    asked: frozenset[str] = frozenset()
    cost = 0.0
    while not (here := outlook.look(world, asked)).decided and (label := plan.best(asked, here.shows)):
        asked |= {label}
        cost += outlook.look(world, asked).cost
    return here.decided, cost


@settings(max_examples=60, deadline=None)
@given(_worlds())
def test_no_policy_decides_more_or_costs_less(worlds: list[World]) -> None:
    """Followed in every world, the plan leaves as little undecided as the best of all policies, and costs as little."""
    outlook = Toy(worlds)
    undecided, cost = min((round(u, 9), round(c, 9)) for u, c in _policies(outlook, tuple(range(len(worlds))), frozenset()))
    followed = [_followed(Plan(outlook), outlook, world) for world in range(len(worlds))]
    assert undecided == round(sum(not decided for decided, _ in followed) / len(worlds), 9)
    assert cost == round(sum(spent for _, spent in followed) / len(worlds), 9)


def test_it_does_not_know_in_which_world_it_is() -> None:
    """Two worlds that look the same are asked the same, although another first question would be quicker in one of them."""
    quick = World({"a": 0, "b": 0, "c": 0}, 1.0, frozenset({frozenset("a")}))
    other = World({"a": 0, "b": 0, "c": 0}, 1.0, frozenset({frozenset("b")}))
    outlook = Toy([quick, other])
    plan = Plan(outlook)
    assert {"a"} == {plan.best(frozenset(), outlook.look(world, frozenset()).shows) for world in (0, 1)}
    assert [(True, 1.0), (True, 2.0)] == [_followed(plan, outlook, world) for world in (0, 1)]
