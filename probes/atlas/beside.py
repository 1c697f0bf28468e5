"""What a release's source holds beside the options: keys of JSON configurations, fields without a flag, the documentation of fields.

A part of the extractor: it runs in the target's Python (3.8 and later), standard library only.
"""

from __future__ import annotations

from typing import Any

from probes.atlas.interpreter import Package
from probes.atlas.shaping import DEPRECATED
from probes.atlas.values import UNION, Form


def _literals(annotation: Any) -> list[str] | None:
    """The allowed values of a key, or None where anything else goes too."""
    parts = annotation.args if isinstance(annotation, Form) and annotation.origin is UNION else (annotation,)
    values: list[str] = []
    for part in parts:
        origin = getattr(getattr(part, "origin", None), "name", "")
        if origin == "Literal":
            values.extend(str(value) for value in getattr(part, "args", ()))
        elif part is not type(None):
            return None
    return values or None


def _more_configs(package: Package, options: list[dict[str, Any]], configs: dict[str, type]) -> None:
    """Add the classes that plain JSON becomes after the parser: the option's destination in capitals (``speculative_config``)."""
    module = package.module(package.name + ".config")
    plain = [option["dest"] for option in options if option.get("json_config") == "dict"]
    if module is None:
        return
    for dest in ["speculative_config", *plain]:
        name = "".join(part.capitalize() for part in dest.split("_"))
        if name in configs or (name not in module.defined and name not in module.imported):
            continue
        try:
            kind = module.get(name)
        except AttributeError:
            continue
        if isinstance(kind, type):
            configs[name] = kind


def _open(kind: type, strict: bool) -> bool:
    """Whether a configuration class takes keys that it does not have: what pydantic reads does, unless it is told not to.

    `strict` where the value is validated as it is parsed; a plain dataclass that is only called with the keys refuses others by itself.
    """
    rules = getattr(kind, "nostart_extra", None)
    rules = rules if rules is not None else getattr(kind, "model_config", None)
    if rules is None:
        return strict or not kind.__dict__.get("nostart_dataclass", False)
    return not (isinstance(rules, dict) and rules.get("extra") == "forbid")


def beside_options(package: Package, options: list[dict[str, Any]], read: dict[str, Any], configs: dict[str, type]) -> dict[str, Any]:
    """What there is beside the options: fields without a flag, subcommands, variables, keys of JSON configurations."""
    fields = package.stands["dataclasses"].names["fields"]
    taken = {option["dest"] for option in options} | {name.lstrip("-").replace("-", "_") for option in options for name in option["names"]}
    api = [field.name for field in fields(read["api"])] if isinstance(read["api"], type) else []
    strict = set(configs)
    _more_configs(package, options, configs)
    declared = {
        name: [field for field in fields(kind) if not field.name.startswith("_") and field.init is not False] for name, kind in configs.items()
    }
    return {
        "api_only": [field for field in api if field not in taken and not field.startswith("_")] if options else [],
        "subcommands": read["subcommands"],
        "environment": read["environment"],
        "config_keys": {name: {field.name: _literals(field.type) for field in listed} for name, listed in sorted(declared.items()) if listed},
        "open_configs": sorted(name for name, kind in configs.items() if declared[name] and _open(kind, name in strict)),
    }


def deprecated_by_docs(package: Package, options: list[dict[str, Any]]) -> None:
    """Give options that a configuration's own documentation calls deprecated what it says."""
    for option in options:
        said = package.docs.get(option["dest"], set())
        if option["deprecated"] in ("", "deprecated") and len(said) == 1:
            text = " ".join(next(iter(said)).split())
            if DEPRECATED.search(text):
                option["deprecated"] = text
