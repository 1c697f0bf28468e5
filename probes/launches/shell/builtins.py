"""The builtins of a shell that change what later commands see."""

import re
from collections.abc import Callable

from probes.launches.shell.records import Ran
from probes.launches.shell.scope import Scope
from probes.launches.shell.walk import Walk

_ACTIVATE = re.compile(r"(.*)/bin/activate(?:\.\w+)?$")

Builtin = Callable[[Walk, Scope, Ran], None]


def _nothing(walk: Walk, scope: Scope, ran: Ran) -> None:
    """What changes nothing here (``alias`` counts in interactive shells only)."""


def _cd(walk: Walk, scope: Scope, ran: Ran) -> None:
    folder = next((one for one in ran.argv[1:] if not one.startswith("-")), scope.look_up("HOME") or "~")
    scope.cwd = scope.path(folder).rstrip("/") or "/"


def _export(walk: Walk, scope: Scope, ran: Ran) -> None:
    export = ran.argv[0] == "export"
    for argument in ran.argv[1:]:
        name, equals, value = argument.partition("=")
        if equals:
            scope.set(name, value, export=export)
        elif export:
            scope.export(name)


def _unset(walk: Walk, scope: Scope, ran: Ran) -> None:
    for name in ran.argv[1:]:
        if not name.startswith("-"):
            scope.forget(name)


def _set(walk: Walk, scope: Scope, ran: Ran) -> None:
    arguments = ran.argv[1:]
    for number, argument in enumerate(arguments):
        if argument == "--":
            scope.positional = arguments[number + 1 :]
            return
        named = argument in ("-o", "+o") and arguments[number + 1 : number + 2] == ("allexport",)
        if named or re.match(r"[-+][A-Za-z]*a", argument):
            scope.export_all = argument[0] == "-"


def _shift(walk: Walk, scope: Scope, ran: Ran) -> None:
    arguments = ran.argv[1:]
    scope.positional = scope.positional[int(arguments[0]) if arguments and arguments[0].isdigit() else 1 :]


def _read(walk: Walk, scope: Scope, ran: Ran) -> None:
    scope.unknown.update(name for name in ran.argv[1:] if name.isidentifier())


def _exit(walk: Walk, scope: Scope, ran: Ran) -> None:
    if not ran.conditional:
        walk.stopped, walk.returning = True, ran.argv[0] == "return"


def returned(walk: Walk) -> None:
    """The end of a function or a sourced file: what called it goes on where it was left by ``return``."""
    if walk.returning:
        walk.stopped = walk.returning = False


def _exec(walk: Walk, scope: Scope, ran: Ran) -> None:
    ran.executed, ran.scope = True, ran.scope.copy()
    walk.runs.append(ran)
    walk.stopped = walk.stopped or not ran.conditional


def _eval(walk: Walk, scope: Scope, ran: Ran) -> None:
    evaluating, origin, file = walk.evaluating, scope.origin, scope.file
    walk.evaluating = " ".join(ran.argv[1:])
    scope.origin, scope.file = ran.tokens[0].source or scope.origin, ""
    walk.follow_text(walk.evaluating, scope, conditional=ran.conditional)
    walk.evaluating, scope.origin, scope.file = evaluating, origin, file


def _source(walk: Walk, scope: Scope, ran: Ran) -> None:
    arguments = ran.argv[1:]
    if not arguments:
        return
    if match := _ACTIVATE.match(arguments[0]):
        _activate(scope.absolute(match[1]), scope)
        return
    path, text = scope.path(arguments[0]), scope.read(arguments[0])
    if text is None:
        if path in scope.files and not ran.conditional:
            scope.doubt(f"{arguments[0]} is read by the script and could not be read", ran.tokens[0].source)
        return
    file, positional = scope.file, scope.positional
    scope.file, scope.positional = path, arguments[1:] or positional
    walk.follow_text(text, scope, conditional=ran.conditional)
    returned(walk)
    scope.file, scope.positional = file, positional


def _activate(root: str, scope: Scope) -> None:
    """What the ``activate`` of a virtual environment does."""
    scope.set("VIRTUAL_ENV", root, export=True)
    scope.set("PATH", f"{root}/bin:{scope.variables.get('PATH', '$PATH')}", export=True)
    scope.forget("PYTHONHOME")


BUILTINS: dict[str, Builtin] = {
    **dict.fromkeys((":", "true", "false", "wait", "trap", "ulimit", "umask", "shopt", "set_color", "hash", "alias"), _nothing),
    **dict.fromkeys(("cd", "pushd"), _cd),
    **dict.fromkeys(("export", "declare", "local", "readonly", "typeset"), _export),
    "unset": _unset,
    "set": _set,
    "shift": _shift,
    **dict.fromkeys(("read", "mapfile", "readarray", "getopts"), _read),
    **dict.fromkeys(("exit", "return"), _exit),
    "exec": _exec,
    "eval": _eval,
    **dict.fromkeys(("source", "."), _source),
}
"""Name → what it does. Their status is success, ``false`` excepted."""
