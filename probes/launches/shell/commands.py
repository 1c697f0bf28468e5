"""Simple commands: assignments in front, words expanded, then a function, a builtin or a program."""

from tree_sitter import Node

from probes.launches.shell import grammar
from probes.launches.shell.assignments import assign
from probes.launches.shell.builtins import BUILTINS, returned
from probes.launches.shell.records import Ran
from probes.launches.shell.scope import Scope
from probes.launches.shell.walk import Place, Walk

_MOST_WORDS = 10_000
_DEEPEST_CALL = 40


def follow_command(walk: Walk, place: Place, node: Node, stdin: str | None, extra: list[Node]) -> bool | None:
    """Follow one command; `extra` are words of it that stand behind a redirection. Returns its status."""
    scope = place.scope
    words = [child for child in node.named_children if grammar.is_word(child)]
    capped = len(words) > _MOST_WORDS
    if capped:
        scope.doubt(f"a command of {len(words)} words: only the first {_MOST_WORDS} were followed", scope.origin)
        words = words[:_MOST_WORDS]
    for child in node.named_children:
        if child.type == "herestring_redirect" and child.named_children:
            stdin = walk.words.value(place.slice(child.named_children[-1]), scope) + "\n"
    assignments = [child for child in node.named_children if child.type == "variable_assignment"]
    inner = place.apart()
    assigned = tuple(assign(walk.words, inner, child, export=True) for child in assignments)
    commands = grammar.raw_words(place.text, words + extra, None if extra or capped else grammar.line_end(place.text, node.end_byte))
    if not commands:
        for child in assignments:
            assign(walk.words, place, child)
        return True
    # The words are expanded before the assignments in front of them count.
    status: bool | None = True
    for number, raws in enumerate(commands):
        tokens, gone = walk.words.expand(raws, scope)
        if not tokens:
            continue
        first = assigned if number == 0 else ()
        ran = Ran(tokens, inner.scope if first else scope, gone, first, False, place.conditional, stdin, walk.evaluating)
        status = _started(walk, ran, scope)
        if walk.stopped:
            break
    return status


def _started(walk: Walk, ran: Ran, scope: Scope) -> bool | None:
    """A command with its words expanded: a builtin changes the scope, a function is followed, anything else is a program."""
    name, *arguments = ran.argv
    if name in scope.functions and walk.calls < _DEEPEST_CALL:
        return _call(walk, name, arguments, scope, ran.conditional)
    if name in BUILTINS and (name != "exec" or arguments):
        BUILTINS[name](walk, scope, ran)
        return name != "false"
    ran.scope = ran.scope.copy()
    walk.runs.append(ran)
    return True


def _call(walk: Walk, name: str, arguments: list[str], scope: Scope, conditional: bool) -> bool | None:
    text, body = scope.functions[name]
    saved, scope.positional = scope.positional, tuple(arguments)
    walk.calls += 1
    status = walk.statement(Place(text, scope, conditional), body)
    walk.calls -= 1
    returned(walk)
    scope.positional = saved
    return status
