"""A recorded option as a document: names, converter, values, default, what the source says of its end.

A part of the extractor: it runs in the target's Python (3.8 and later), standard library only.
"""

from __future__ import annotations

import enum
import re
from typing import Any

from probes.atlas.natives import JSON_LOADS, converters, uses
from probes.atlas.recording import Container, Recorded
from probes.atlas.values import TAINT, Form, Unknown

DEPRECATED = re.compile(
    r"^\W*deprecated|[\[(]deprecated|^(?:This \w+|\W*--?[\w-]+\W*|\w+) (?:is|are|was|has been|have been) (?:now )?(?:deprecated|obsolete)|"
    r"deprecated and will be removed|(?:This \w+|\W--?[\w-]+\W*) (?:is|has been) (?:deprecated|replaced|removed)",
    re.I,
)
"""What a help text says of an option that is deprecated itself (not of a value of it, or of what it shows)."""
_LISTED = re.compile(r"\{([^{}\s]+)\} or ")


def _shape(kind: Any, configs: dict[str, type]) -> dict[str, Any]:
    """What a converter is: ``type`` (``int``, ``json``…), ``json_config``, ``nullable`` (``None`` is taken too), ``converter`` (its full name)."""
    if kind is None or isinstance(kind, str):
        return {"type": "str", "converter": "" if kind is None else kind}
    if isinstance(kind, Unknown):
        return {"type": "", "converter": "", "uncertain": True}
    parts = list(converters(kind))
    names = [getattr(part, "__qualname__", "") for part in parts]
    found: dict[str, Any] = {"converter": "loads" if kind is JSON_LOADS else names[0], "nullable": any("optional_type" in name for name in names)}
    owner = getattr(kind, "__self__", None) or _owner(kind)
    classes = [part for part in [*parts, owner] if isinstance(part, type) and getattr(part, "nostart_dataclass", False)]
    inner = parts[-1] if any("parse_type" in name or "optional_type" in name or "nullable" in name for name in names[:-1]) else kind
    if classes:
        found.update(type="json", json_config=classes[0].__name__)
        configs[classes[0].__name__] = classes[0]
    elif JSON_LOADS in parts:
        found.update(type="json", json_config="dict", pairs=any(uses(part, "nullable_kvs") for part in parts))
    elif inner in (int, float, str, bool, complex):
        found["type"] = inner.__name__
    elif isinstance(inner, Form):
        found["type"] = "str"
    else:
        found["type"] = getattr(inner, "__name__", "").strip("<>")
    return found


def _owner(kind: Any) -> Any:
    """The class whose static method a converter is (``PoolerConfig.from_json``)."""
    holder, _, method = getattr(kind, "__qualname__", "").rpartition(".")
    package = Container.nostart_package
    module = package.module(kind.__module__) if package is not None and method.startswith("from_") else None
    return None if module is None else module.ns.get(holder)


def plain_value(value: Any) -> Any:
    """A default as JSON can hold it: an enumeration's member is its value, a set a sorted list; None for anything else."""
    if isinstance(value, enum.Enum):
        return plain_value(value.value)
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str):
        return None if TAINT in value else value
    if isinstance(value, (list, tuple)):
        return [plain_value(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted(str(item) for item in value)
    return {str(key): plain_value(item) for key, item in value.items()} if isinstance(value, dict) else None


def _texts(choices: Any) -> list[str] | None:
    """Choices as text, or None where one is not known."""
    if choices is None or isinstance(choices, Unknown):
        return None
    listed = [getattr(item, "value", item) if not isinstance(item, str) else item for item in choices]
    if any(isinstance(item, Unknown) for item in listed):
        return None
    texts = [str(item) for item in listed]
    # A set has another order in every process: sorted, two readings of one source are the same.
    return sorted(texts) if isinstance(choices, (set, frozenset)) else texts


def _named(metavar: Any) -> list[str]:
    """The values that a usage text names in the place of the value: a list of them, or ``{a,b} or something else``."""
    if isinstance(metavar, (list, tuple)):
        return _texts(metavar) or []
    match = _LISTED.match(metavar) if isinstance(metavar, str) and TAINT not in metavar else None
    return match.group(1).split(",") if match else []


def option_document(recorded: Recorded, configs: dict[str, type]) -> dict[str, Any]:
    """One recorded option as JSON can hold it; the classes that its value is parsed into are added to `configs`, by name."""
    action = recorded.action
    values = (action.type, action.choices, action.nargs, action.dest)
    doubt = recorded.doubt or any(type(value) is Unknown for value in values)
    made: dict[str, Any] = {"names": recorded.names, "dest": action.dest if isinstance(action.dest, str) else "", "group": recorded.group}
    made["default"] = plain_value(action.default)
    made["nargs"] = None if isinstance(action.nargs, Unknown) else action.nargs
    made["action"] = type(action).__name__
    made["takes_value"] = made["nargs"] != 0
    made["choices"] = _texts(action.choices)
    doubt = doubt or (made["choices"] is None and action.choices is not None)
    if made["takes_value"]:
        shape = _shape(action.type, configs)
        doubt = shape.pop("uncertain", False) or doubt
        made.update(shape)
        made["known"] = _named(action.metavar) if made["choices"] is None else []
    else:
        made["type"] = ""
    made["deprecated"] = _deprecation(action)
    made["required"] = action.required is True
    made["uncertain"] = doubt
    return made


def _deprecation(action: Any) -> str:
    """What the source says of an option that is deprecated: its help, the flag that it names as the new one, or just ``deprecated``."""
    new = getattr(action, "new_flag", None)
    if isinstance(new, str) and new:
        return "use " + new
    return said_deprecated(action.help, action.deprecated)


def said_deprecated(text: Any, mark: Any) -> str:
    """What a help `text` or the mark ``deprecated=`` says of the end of an option; empty where neither does."""
    said = " ".join(text.split()) if isinstance(text, str) and TAINT not in text else ""
    if DEPRECATED.search(said):
        return said
    return mark if isinstance(mark, str) else "deprecated" if mark is True else ""
