"""A shell's control structures: the branch that is decided is followed, every one (with a doubt about each) where none is."""

import fnmatch

from tree_sitter import Node

from probes.launches.shell.walk import Place, Walk

_MOST_ROUNDS = 60


def follow_list(walk: Walk, place: Place, node: Node) -> bool | None:
    """``a && b``, ``a || b``; returns the status."""
    named = node.named_children
    operator = next((child.type for child in node.children if child.type in ("&&", "||")), "&&")
    status = walk.statement(place, named[0])
    if walk.stopped or len(named) < 2:
        return status
    if status is None:
        walk.statement(place.perhaps(), named[-1])
        return None
    return walk.statement(place, named[-1]) if status is (operator == "&&") else status


def follow_if(walk: Walk, place: Place, node: Node) -> None:
    """``if``, its ``elif`` clauses and its ``else``."""
    for clause in (node, *[child for child in node.children if child.type == "elif_clause"]):
        condition = _clause(walk, place, clause)
        if condition:
            return
        place = place.perhaps(condition is None)
    for child in node.children:
        if child.type == "else_clause":
            walk.block(place, child)


def _clause(walk: Walk, place: Place, clause: Node) -> bool | None:
    """One condition and what depends on it; returns whether the condition holds."""
    condition: bool | None = True
    heading = True
    for child in clause.children:
        if child.type == "then":
            heading = False
        elif not child.is_named or child.type in ("elif_clause", "else_clause", "comment"):
            continue
        elif heading:
            condition = walk.statement(place, child)
        elif condition is not False and not walk.stopped:
            walk.statement(place.perhaps(condition is None), child)
    return condition


def follow_for(walk: Walk, place: Place, node: Node) -> None:
    """``for name in words``."""
    body, variable = node.child_by_field_name("body"), node.child_by_field_name("variable")
    if body is None or variable is None:
        return
    nodes = node.children_by_field_name("value")
    tokens = walk.words.tokens(place.text, nodes, place.scope)
    values = [token.text for token in tokens] if nodes else list(place.scope.positional)
    for value in values[:_MOST_ROUNDS]:
        place.scope.set(place.slice(variable), value)
        walk.statement(place, body)


def follow_while(walk: Walk, place: Place, node: Node) -> None:
    """``while`` and ``until``: as long as the condition is known to hold and the loop starts nothing; else once."""
    condition, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
    if condition is None or body is None:
        return
    until = node.children[0].type == "until"
    for _ in range(_MOST_ROUNDS):
        before = len(walk.runs)
        status = walk.statement(place, condition)
        if status is not None and status is until:
            return
        walk.statement(place.perhaps(status is None), body)
        if status is None or walk.stopped or len(walk.runs) > before:
            return


def follow_case(walk: Walk, place: Place, node: Node) -> None:
    """``case``: the first item of which a pattern matches."""
    value_node = node.child_by_field_name("value")
    value = walk.words.value(place.slice(value_node), place.scope) if value_node else ""
    for item in node.named_children:
        if item.type != "case_item":
            continue
        patterns = item.children_by_field_name("value")
        if any(fnmatch.fnmatchcase(value, walk.words.value(place.slice(pattern), place.scope)) for pattern in patterns):
            for child in item.named_children:
                if child not in patterns and not walk.stopped:
                    walk.statement(place, child)
            return
