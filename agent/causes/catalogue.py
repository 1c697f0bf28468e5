"""Every cause, one line each: the id ``quoting/json-split`` is the file ``quoting/json_split.py`` with its constant ``CAUSE``."""

from importlib import import_module

from agent.causes.cause import Cause

IDS: tuple[str, ...] = (
    "quoting/boolean-value",
    "quoting/brace-expansion",
    "quoting/command-as-string",
    "quoting/joined-arguments",
    "quoting/json-split",
    "quoting/json-stripped",
    "quoting/line-continuation",
    "quoting/literal-quotes",
    "quoting/over-escaped",
    "quoting/path-for-json",
    "quoting/path-mangled",
    "quoting/template",
    "quoting/typographic",
    "quoting/unexpanded-variable",
    "flag/api-only",
    "flag/foreign",
    "flag/missing",
    "flag/misspelt",
    "flag/not-yet",
    "flag/removed",
    "flag/renamed",
    "flag/value-format",
    "flag/wrong-command",
)


def _cause(identifier: str) -> Cause:
    family, _, slug = identifier.partition("/")
    cause: Cause = import_module(f"agent.causes.{family}.{slug.replace('-', '_')}").CAUSE
    return cause


CAUSES: tuple[Cause, ...] = tuple(_cause(identifier) for identifier in IDS)
