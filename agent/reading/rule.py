"""One rule of the reader: a wording and the kind of error that it says. Data."""

import re
from collections import Counter
from functools import cache, cached_property

from msgspec import Struct, field

from agent.reading.literals import literals_of

Q = r"['\"`‘]"
E = r"['\"`’]"


class Rule(Struct, frozen=True):
    """Text that matches `pattern` says `value`. `alone` marks wordings that are telling in any line, not only in an exception's own.

    `weak` marks wordings that any other line of the same message outweighs; `told` adds the line itself as the parameter ``message``.
    """

    value: str
    pattern: str
    alone: bool = False
    fixed: dict[str, str] = field(default_factory=dict)
    weak: bool = False
    told: bool = False

    def search(self, text: str) -> re.Match[str] | None:
        """The first match in `text`."""
        return _compiled(self.pattern).search(text)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    # Most rules never see a text that holds their words: what is compiled is what is needed.
    return re.compile(pattern)


class Rules:
    """Rules in their order, and an index of the texts that they cannot match without: of hundreds, a line needs a few to be tried."""

    def __init__(self, rules: tuple[Rule, ...]) -> None:
        self._rules = rules

    @cached_property
    def _always(self) -> frozenset[int]:
        return frozenset(place for place, one in enumerate(self._rules) if not literals_of(one.pattern))

    @cached_property
    def _index(self) -> dict[str, list[tuple[str, int]]]:
        """The literals with the places of their rules, by a piece of three letters that few of them share."""
        wanted = [(literal, place) for place, one in enumerate(self._rules) for literal in literals_of(one.pattern)]
        shared = Counter(piece for literal, _ in wanted for piece in _pieces(literal))
        index: dict[str, list[tuple[str, int]]] = {}
        for literal, place in wanted:
            index.setdefault(min(_pieces(literal), key=lambda piece: (shared[piece], piece)), []).append((literal, place))
        return index

    def fitting(self, text: str) -> list[Rule]:
        """The rules that can match `text` at all, in their order."""
        lowered = text.lower()
        index = self._index
        places = {place for piece in index.keys() & _pieces(lowered) for literal, place in index[piece] if literal in lowered}
        return [self._rules[place] for place in sorted(places | self._always)]


def _pieces(text: str) -> set[str]:
    return {text[start : start + 3] for start in range(len(text) - 2)}


def rule(value: str, pattern: str, *, alone: bool = False, **fixed: str) -> Rule:
    """A rule of the parts of the launch that come first (the shell, arguments, imports)."""
    return Rule(value, pattern, alone, fixed)


def late(value: str, pattern: str, *, alone: bool = True, weak: bool = False, **fixed: str) -> Rule:
    """A rule of the later phases: telling wherever it stands, and shown with its words."""
    return Rule(value, pattern, alone, fixed, weak, True)
