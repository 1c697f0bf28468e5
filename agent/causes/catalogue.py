"""Every cause, one line each: the id ``quoting/json-split`` is the file ``quoting/json_split.py`` with its constant ``CAUSE``."""

from importlib import import_module
from importlib.resources import files

from agent.causes.cause import Cause
from agent.causes.fitted import decode, refitted

IDS: tuple[str, ...] = (
    "quoting/boolean-value",
    "quoting/brace-expansion",
    "quoting/command-as-string",
    "quoting/joined-arguments",
    "quoting/json-split",
    "quoting/json-stripped",
    "quoting/line-continuation",
    "quoting/literal-quotes",
    "quoting/no-shell",
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
    "model/unservable",
    "process/command-not-found",
    "process/hang",
    "process/killed-by-supervisor",
    "process/port-in-use",
    "process/service-down",
    "process/shadowed",
    "process/stale-observation",
    "process/wrong-entrypoint",
    "environment/collective",
    "environment/compute-capability",
    "environment/cpu-features",
    "environment/disk",
    "environment/driver",
    "environment/fork",
    "environment/library",
    "environment/limits",
    "environment/no-device",
    "environment/permission",
    "environment/proxy",
    "environment/shared-memory",
    "environment/toolchain",
    "environment/variable-collision",
    "memory/capture",
    "memory/device-occupied",
    "memory/host",
    "memory/kv-cache",
    "memory/weights",
)


def _cause(identifier: str) -> Cause:
    family, _, slug = identifier.partition("/")
    cause: Cause = import_module(f"agent.causes.{family}.{slug.replace('-', '_')}").CAUSE
    return cause


def _laid_over(causes: tuple[Cause, ...]) -> tuple[Cause, ...]:
    """The causes with the fitted table over their own numbers, where one is installed."""
    table = files("agent.causes").joinpath("fitted.json")
    return refitted(causes, decode(table.read_bytes())) if table.is_file() else causes


BY_HAND: tuple[Cause, ...] = tuple(_cause(identifier) for identifier in IDS)
"""The causes with the numbers that stand in their files."""

CAUSES: tuple[Cause, ...] = _laid_over(BY_HAND)
