"""Optimal: the floor of all others, by dynamic programming over recorded worlds that share the first symptom.

It knows which worlds there are and how each would answer, but not in which one it is: it tells them apart by what every strategy sees, the
belief and the questions that are open. It has the same stop rule. Among the ways of asking that decide as many of the worlds as can be decided,
it takes that of the least expected cost. Without recorded worlds to know (`Options.outlook`) it asks nothing.
"""

from collections.abc import Iterable
from fractions import Fraction

from agent.belief import ranking
from agent.strategies.strategy import Action, Options, Outlook, Prospect, asking, order, out_of_questions, settled
from transcripts.records import Belief

Value = tuple[Fraction, float]
"""(mass of the worlds that stay undecided, expected seconds): smaller is better, the first counts first (and exactly)."""
_FINEST = 1_000_000
_NOTHING: Value = (Fraction(0), 0.0)


def choose(belief: Belief, options: Options) -> Action:
    """The next action."""
    done = settled(belief, options)
    if done is not None:
        return done
    if options.outlook is None:
        return Action(kind="stop", why="no recorded worlds are known to plan over")
    relevant = options.outlook.relevant
    label = options.outlook.best(options.asked & relevant, shown(belief, relevant.intersection(c.label for c in options.candidates)))
    found = sorted((c for c in options.candidates if c.label == label), key=order)
    return asking(found[0], "the exact solution over the recorded worlds") if found else out_of_questions(belief, options)


def shown(belief: Belief, labels: Iterable[str]) -> str:
    """All that a strategy could tell this state by: the causes with their probabilities, and the `labels` of the questions that are open."""
    causes = sorted((cause, f"{probability:.4f}") for cause, probability in ranking(belief) if probability >= 1e-3)
    return repr((causes, sorted(labels)))


class Plan:
    """The solved plan over an outlook: for every state that can be met, the question to ask. Values are kept, so each state is solved once."""

    def __init__(self, outlook: Outlook) -> None:
        self._outlook = outlook
        self._weights = tuple(Fraction(weight).limit_denominator(_FINEST) for weight in outlook.weights)
        self._solved: dict[tuple[tuple[int, ...], frozenset[str]], tuple[Value, str]] = {}

    def best(self, asked: frozenset[str], shows: str) -> str:
        """The label of the question to ask in the state that was met (empty: none helps, or the state is none of this plan's)."""
        worlds = self._alike(range(len(self._outlook.weights)), asked, shows)
        return self._solve(worlds, asked)[1] if worlds else ""

    def _alike(self, worlds: Iterable[int], asked: frozenset[str], shows: str) -> tuple[int, ...]:
        found = ((world, self._outlook.look(world, asked)) for world in worlds if self._can(world, asked))
        return tuple(world for world, prospect in found if prospect.shows == shows)

    def _can(self, world: int, asked: frozenset[str]) -> bool:
        """Whether these questions can all be asked in that world, in some order."""
        done: frozenset[str] = frozenset()
        while done != asked:
            following = sorted((asked - done).intersection(self._outlook.look(world, done).open))
            if not following:
                return False
            done |= {following[0]}
        return True

    def _solve(self, worlds: tuple[int, ...], asked: frozenset[str]) -> tuple[Value, str]:
        key = (worlds, asked)
        if key not in self._solved:
            self._solved[key] = self._searched(worlds, asked)
        return self._solved[key]

    def _searched(self, worlds: tuple[int, ...], asked: frozenset[str]) -> tuple[Value, str]:
        states = [self._outlook.look(world, asked) for world in worlds]
        mass = sum((self._weights[world] for world in worlds), Fraction(0))
        if states[0].decided:
            return _NOTHING, ""
        best: tuple[Value, str] = ((mass, 0.0), "")
        for label in sorted(set(states[0].open) - asked):
            value = self._asked(worlds, asked | {label}, best[0])
            if value < best[0]:
                best = (value, label)
        return best

    def _asked(self, worlds: tuple[int, ...], asked: frozenset[str], bound: Value) -> Value:
        """The value of having asked: the cells of worlds that still look the same, each solved on. What cannot beat `bound` is not finished."""
        cells: dict[str, list[tuple[int, Prospect]]] = {}
        for world in worlds:
            prospect = self._outlook.look(world, asked)
            cells.setdefault(prospect.shows, []).append((world, prospect))
        undecided = Fraction(0)
        spent = sum(self._outlook.weights[world] * prospect.cost for cell in cells.values() for world, prospect in cell)
        for shows in sorted(cells):
            (more, cost), _ = self._solve(tuple(world for world, _ in cells[shows]), asked)
            undecided, spent = undecided + more, spent + cost
            if (undecided, spent) > bound:
                break
        return undecided, spent
