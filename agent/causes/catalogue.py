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
    "config/chat-template",
    "config/context-too-long",
    "config/credentials",
    "config/file-malformed",
    "config/file-missing",
    "config/incompatible",
    "config/invalid-choice",
    "config/invalid-json",
    "config/invalid-value",
    "config/parallelism",
    "config/quantization",
    "config/speculative",
    "config/unknown-key",
    "version/abi",
    "version/broken-install",
    "version/dependency",
    "version/framework-too-new",
    "version/framework-too-old",
    "version/plugin",
    "version/wrong-interpreter",
    "model/architecture",
    "model/corrupt",
    "model/gated",
    "model/incomplete",
    "model/not-found",
    "model/offline",
    "model/remote-code",
    "model/tokenizer",
    "process/command-not-found",
    "process/hang",
    "process/killed-by-supervisor",
    "process/port-in-use",
    "process/service-down",
    "process/stale-observation",
    "process/wrong-entrypoint",
    "environment/disk",
    "environment/library",
    "environment/limits",
    "environment/no-device",
    "environment/permission",
    "environment/variable-collision",
    "memory/device-occupied",
    "memory/host",
    "memory/kv-cache",
    "memory/weights",
)


def _cause(identifier: str) -> Cause:
    family, _, slug = identifier.partition("/")
    cause: Cause = import_module(f"agent.causes.{family}.{slug.replace('-', '_')}").CAUSE
    return cause


CAUSES: tuple[Cause, ...] = tuple(_cause(identifier) for identifier in IDS)
