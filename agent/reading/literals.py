"""Which literal texts a regular expression cannot match without: a cheap look for them spares most searches. Pure.

A log may hold thousands of lines that no rule knows, and each would be searched for hundreds of patterns. Nearly every pattern has words that each of
its matches must contain; whether one of them is there costs a fiftieth of the search.
"""

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import Any

# The parser of `re` itself: its tree is what `re` compiles, so nothing is understood differently here.
_PARSER: Any = import_module("re._parser")
_SHORTEST = 3
"""Shorter texts are in nearly every line."""

Literals = tuple[str, ...]


@cache
def literals_of(pattern: str) -> Literals:
    """Texts in lower case of which every match of `pattern` contains at least one; none where that cannot be told."""
    return _of_sequence(_PARSER.parse(pattern)) or ()


def _of_sequence(nodes: Iterable[Any]) -> Literals | None:
    """The most telling of what the nodes, which all must match one after the other, need."""
    found: list[Literals] = []
    run = ""
    for operation, argument in nodes:
        name = str(operation)
        if name == "LITERAL":
            run += chr(argument)
            continue
        if name == "AT":
            continue
        found += [(run.lower(),)] if len(run) >= _SHORTEST else []
        run = ""
        needed = _of_node(name, argument)
        found += [needed] if needed else []
    found += [(run.lower(),)] if len(run) >= _SHORTEST else []
    return max(found, key=lambda literals: (min(map(len, literals)), -len(literals)), default=None)


def _of_node(name: str, argument: Any) -> Literals | None:
    if name == "SUBPATTERN":
        return _of_sequence(argument[3])
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        return _of_sequence(argument[2]) if argument[0] else None
    if name == "ATOMIC_GROUP":
        return _of_sequence(argument)
    if name != "BRANCH":
        return None
    needed = [_of_sequence(branch) for branch in argument[1]]
    return tuple(dict.fromkeys(literal for literals in needed for literal in literals or ())) if all(needed) else None
