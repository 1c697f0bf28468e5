"""``[ … ]`` and ``[[ … ]]``: whether they hold, as far as that follows from what is known."""

import fnmatch

from tree_sitter import Node

from probes.launches.shell.arithmetic import arithmetic
from probes.launches.shell.walk import Place
from probes.launches.shell.wording import Wording

_ONE_VALUE = ("string", "raw_string", "word", "simple_expansion", "expansion")


def test(words: Wording, place: Place, node: Node) -> bool | None:
    """The status of a test command, None where it is not known."""
    inner = node.named_children
    return _holds(words, place, inner[0]) if inner else None


def _holds(words: Wording, place: Place, node: Node) -> bool | None:
    children = node.named_children
    if node.type == "parenthesized_expression" and children:
        return _holds(words, place, children[0])
    if node.type == "unary_expression" and children:
        return _unary(words, place, place.slice(node.children[0]), children[-1])
    if node.type == "binary_expression" and len(node.children) == 3:
        return _binary(words, place, node)
    return bool(words.value(place.slice(node), place.scope)) if node.type in _ONE_VALUE else None


def _unary(words: Wording, place: Place, operator: str, operand: Node) -> bool | None:
    if operator == "!":
        inner = _holds(words, place, operand)
        return None if inner is None else not inner
    value, scope = words.value(place.slice(operand), place.scope), place.scope
    if operator in ("-n", "-z"):
        return bool(value) is (operator == "-n")
    if operator in ("-f", "-e", "-r", "-s"):
        path = scope.path(value)
        if path in scope.written:
            return True
        return scope.files[path] is not None if path in scope.files else None
    return None


def _binary(words: Wording, place: Place, node: Node) -> bool | None:
    left, operator, right = node.children[0], place.slice(node.children[1]), node.children[2]
    if operator in ("&&", "||", "-a", "-o"):
        sides = (_holds(words, place, left), _holds(words, place, right))
        decisive = operator in ("||", "-o")
        if decisive in sides:
            return decisive
        return None if None in sides else not decisive
    first, second = words.value(place.slice(left), place.scope), words.value(place.slice(right), place.scope)
    if operator in ("=", "==", "!="):
        pattern = place.slice(node.parent or node).startswith("[[")
        same = fnmatch.fnmatchcase(first, second) if pattern else first == second
        return same is (operator != "!=")
    return _compared(operator, arithmetic(first or "0"), arithmetic(second or "0"))


def _compared(operator: str, low: int | None, high: int | None) -> bool | None:
    if low is None or high is None:
        return None
    results = {"-eq": low == high, "-ne": low != high, "-gt": low > high, "-ge": low >= high, "-lt": low < high, "-le": low <= high}
    return results.get(operator)
