"""What calls of Python's library give: texts, lists, paths, JSON, shell quoting, the environment, files that were read."""

import ast
import json
import posixpath
import shlex
from collections.abc import Callable
from typing import Any

from probes.launches.python.records import Unknown
from probes.launches.python.state import State
from probes.launches.words import words

Evaluate = Callable[[ast.expr], Any]

_DUMPS = frozenset({"indent", "separators", "ensure_ascii", "sort_keys"})
_TEXT_METHODS = words("format join strip lstrip rstrip replace split splitlines lower upper removeprefix removesuffix title startswith endswith")
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "str": str,
    "int": int,
    "float": float,
    "bool": bool,
    "list": list,
    "tuple": list,
    "len": len,
    "repr": repr,
    "sorted": sorted,
    "shlex.split": shlex.split,
    "shlex.quote": shlex.quote,
    "shlex.join": shlex.join,
    "json.loads": json.loads,
    "os.path.dirname": posixpath.dirname,
    "os.path.basename": posixpath.basename,
    "os.path.abspath": str,
    "os.path.realpath": str,
    "os.path.expanduser": str,
    "os.fspath": str,
}


def called(node: ast.Call, state: State, value: Evaluate) -> Any:
    """What a call of a library function gives; raises `Unknown` for any other."""
    name = state.dotted(node.func)
    if name in _FUNCTIONS:
        return _FUNCTIONS[name](*[value(argument) for argument in node.args])
    match name:
        case "json.dumps":
            options = {key: option for key, option in _keywords(node, value).items() if key in _DUMPS}
            return json.dumps(value(node.args[0]), **options)
        case "os.environ.get" | "os.getenv":
            default = value(node.args[1]) if len(node.args) > 1 else None
            return state.environment.get(value(node.args[0]), default)
        case "os.environ.copy":
            return dict(state.environment)
        case "os.environ.items":
            return list(state.environment.items())
        case "dict":
            return mapping(node, value)
        case "os.path.join" | "Path" | "pathlib.Path":
            return posixpath.join(*[str(value(argument)) for argument in node.args])
    if isinstance(node.func, ast.Attribute):
        return _method(node, node.func, state, value)
    raise Unknown


def mapping(node: ast.Call, value: Evaluate) -> dict[str, Any]:
    """The pairs that ``dict(…)`` or ``.update(…)`` is given."""
    made: dict[str, Any] = {}
    for argument in node.args:
        made.update(value(argument))
    return made | _keywords(node, value)


def _keywords(node: ast.Call, value: Evaluate) -> dict[str, Any]:
    return {keyword.arg: value(keyword.value) for keyword in node.keywords if keyword.arg}


def _method(node: ast.Call, function: ast.Attribute, state: State, value: Evaluate) -> Any:
    if function.attr == "read_text":
        return _text_of(function.value, state, value)
    if function.attr == "read" and isinstance(function.value, ast.Call):
        return _text_of(function.value.args[0], state, value)
    target = value(function.value)
    arguments = [value(argument) for argument in node.args]
    if isinstance(target, str) and function.attr in ("resolve", "absolute", "expanduser"):
        return target
    if isinstance(target, str) and function.attr in _TEXT_METHODS:
        return getattr(target, function.attr)(*arguments, **_keywords(node, value))
    if isinstance(target, dict) and function.attr in ("get", "items", "keys", "values", "copy"):
        found = getattr(target, function.attr)(*arguments)
        return found if function.attr in ("get", "copy") else list(found)
    if isinstance(target, list) and function.attr == "copy":
        return list(target)
    raise Unknown


def _text_of(path: ast.expr, state: State, value: Evaluate) -> str:
    text = state.read(str(value(path)))
    if text is None:
        raise Unknown
    return text
