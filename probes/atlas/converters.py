"""What the converter of an option says to a value: nothing, or the error it ends the parser with. Pure, by the option's type in a flag table."""

import difflib
import json
import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field, structs

from probes.atlas.releases import release_key
from probes.atlas.table import Flag, FlagTable

_HUMAN = re.compile(r"(\d+(?:\.\d+)?)([kKmMgGtT])")
_BARE_HUMAN = re.compile(r"\b\d+(?:\.\d+)?[kKmMgGtT]\b")
_STRING = re.compile(r'("(?:[^"\\]|\\.)*")')
_OBJECT = re.compile(r"(?s)^\s*\{.*\}\s*$")
_WHOLE = re.compile(r"[+-]?\d(?:_?\d)*")
_ONE_LINE = re.compile(r"^\{.*\}$")
"""What vLLM took for JSON where it also took pairs."""
_NUMBERS: Mapping[str, Any] = {"int": int, "float": float, "integer": int, "complex": complex}


_VALIDATED = (0, 9, 1)
"""Since this vLLM every configuration is validated, by pydantic."""
_PLAIN = frozenset({"str", "int", "float", "integer", "choice", "text"})
_LATE_JSON = frozenset({"json_model_override_args", "model_loader_extra_config", "hisparse_config", "modelexpress_config"})
"""Destinations of options that are declared as text and read as JSON long after the parser (SGLang; older releases of vLLM)."""
_BOOLEANS = frozenset({"1", "true", "t", "yes", "y", "on", "0", "false", "f", "no", "n", "off"})


class Refusal(Struct, frozen=True, kw_only=True):
    """An error about one value: `kind` and `parameters` of its ``error`` sign, and a sentence. `late` errors come after all parsing."""

    kind: str
    text: str
    parameters: dict[str, str] = field(default_factory=dict)
    late: bool = False


def refusal(flag: Flag, value: str, table: FlagTable) -> Refusal | None:
    """Why `flag` does not take `value`, or None where it does, or where its converter is not known."""
    if flag.uncertain:
        return None
    if flag.nullable and value in ("", "None"):
        # The converter makes it None, which the parser then looks for among the choices, where it stands as text.
        return _refused_choice(flag, "None", flag.choices) if flag.choices else None
    if flag.type == "nullable_kvs" or (flag.pairs and not _ONE_LINE.match(value)):
        return _pairs(flag, value)
    if flag.type == "json":
        return _json(flag, value, table)
    if flag.type == "union_dict_and_str":
        return _plain_json(flag, value) if _OBJECT.match(value) else None
    if late_json(flag):
        return _late(flag, value)
    refused = _number(flag, value)
    return refused or _choice(flag, value)


def wants_json(flag: Flag) -> bool:
    """Whether the option's value is JSON, or may be."""
    return flag.type in ("json", "union_dict_and_str") or late_json(flag)


def late_json(flag: Flag) -> bool:
    """Whether the parser takes any text for the option, and its JSON is read later."""
    return flag.type == "str" and flag.choices is None and (flag.default == "{}" or flag.dest in _LATE_JSON)


def late_json_name(name: str) -> bool:
    """The same of an option that is known by its full name only."""
    return name.startswith("--") and name[2:].replace("-", "_") in _LATE_JSON


def _late(flag: Flag, value: str) -> Refusal | None:
    refused = _plain_json(flag, value)
    return None if refused is None else structs.replace(refused, kind="json-invalid", late=True)


def _number(flag: Flag, value: str) -> Refusal | None:
    kind = flag.type
    try:
        if kind in _NUMBERS:
            _NUMBERS[kind](value)
        elif kind.startswith("human_readable_int"):
            _human(kind, value.strip())
        elif kind == "integer range":
            int(value)
        elif kind == "boolean":
            return _boolean(flag, value)
        elif kind == "check_port":
            return _port(flag, value)
        else:
            return None
    except ValueError:
        name = flag_name(flag)
        if flag.nullable:
            return Refusal(
                kind="converter-refused", text=f"{name} wants {_article(kind)}, and gets {value!r}", parameters={"value": value, "type": kind}
            )
        return Refusal(kind="invalid-value", text=f"{name} wants {_article(kind)}, and gets {value!r}", parameters={"value": value, "type": kind})
    return None


def _article(kind: str) -> str:
    return {"int": "a whole number", "integer": "a whole number", "float": "a number"}.get(kind, "a whole number such as 4096 or 4k")


def _human(kind: str, value: str) -> None:
    """ValueError where `human_readable_int` (or its ``_or_auto`` form) would not take `value`."""
    if kind.endswith("_or_auto") and value.lower() == "auto":
        return
    match = _HUMAN.fullmatch(value)
    if match is None or (match[2].isupper() and "." in match[1]):
        int(value)


def _boolean(flag: Flag, value: str) -> Refusal | None:
    if value.strip().lower() in _BOOLEANS:
        return None
    text = f"{flag_name(flag)} wants true or false, and gets {value!r}"
    return Refusal(kind="invalid-value", text=text, parameters={"value": value, "type": "boolean"})


def _port(flag: Flag, value: str) -> Refusal | None:
    if value.strip().isdigit() and 1024 <= int(value) <= 65535:
        return None
    text = f"{flag_name(flag)} wants a port between 1024 and 65535, and gets {value!r}"
    return Refusal(kind="invalid-value", text=text, parameters={"value": value, "type": "check_port"})


def _pairs(flag: Flag, value: str) -> Refusal | None:
    if value == "" or _numbered(value):
        return None
    text = f"{flag_name(flag)} wants KEY=NUMBER pairs, separated by commas{', or JSON' if flag.pairs else ''}, and gets {value!r}"
    return Refusal(kind="invalid-value", text=text, parameters={"value": value, "type": "nullable_kvs"})


def _numbered(value: str) -> bool:
    """Whether it is a list of ``KEY=NUMBER``."""
    parts = [item.split("=") for item in value.split(",")]
    return all(len(part) == 2 and _WHOLE.fullmatch(part[1].strip()) is not None for part in parts)


def _choice(flag: Flag, value: str) -> Refusal | None:
    choices = flag.choices
    if choices is None or flag.type not in _PLAIN:
        return None
    shown = str(int(value)) if flag.type in ("int", "integer") else value
    return None if shown in choices else _refused_choice(flag, value, choices)


def _refused_choice(flag: Flag, value: str, choices: tuple[str, ...]) -> Refusal:
    near = difflib.get_close_matches(value, choices, n=1)
    hint = f"; the nearest is {near[0]}" if near else f"; it takes {', '.join(choices[:8])}"
    parameters = {"value": value, "choices": json.dumps(list(choices))}
    return Refusal(kind="invalid-choice", text=f"{flag_name(flag)} does not take {value!r}{hint}", parameters=parameters)


def _plain_json(flag: Flag, value: str) -> Refusal | None:
    try:
        json.loads(value)
    except (ValueError, RecursionError):
        return Refusal(kind="converter-refused", text=f"the value {value!r} of {flag_name(flag)} is no JSON", parameters={"value": value})
    return None


def _json(flag: Flag, value: str, table: FlagTable) -> Refusal | None:
    config = config_class(flag, table)
    strict = flag.json_config not in ("", "dict")
    try:
        parsed = json.loads(_expanded(value) if strict else value)
    except (ValueError, RecursionError):
        kind = "json-invalid" if strict else "converter-refused"
        return Refusal(kind=kind, text=f"the value {value!r} of {flag_name(flag)} is no JSON", parameters={"value": value})
    if strict and not isinstance(parsed, dict):
        text = f"{flag_name(flag)} wants a JSON object, and gets {value!r}"
        return Refusal(
            kind="validation", text=text, parameters={"class": config, "field": "", "message": "Input should be an object", "value": value}
        )
    keys = table.config_keys.get(config)
    if keys is None or not isinstance(parsed, dict):
        return None
    if config not in table.open_configs:
        unknown = _unknown_key(flag, config, parsed, keys, not strict)
        if unknown is not None:
            return unknown
    # What becomes a plain dataclass after the parser is not validated: there a literal is only a word to the reader.
    checked = strict or release_key(table.release) >= _VALIDATED
    return _wrong_value(flag, config, parsed, keys, not strict) if checked else None


def config_class(flag: Flag, table: FlagTable) -> str:
    """The class that the option's JSON becomes: named by its converter, or by its destination (``speculative_config``); empty for none known."""
    if flag.json_config not in ("", "dict"):
        return flag.json_config
    name = "".join(part.capitalize() for part in flag.dest.split("_"))
    return name if name in table.config_keys else ""


def _unknown_key(flag: Flag, config: str, parsed: Mapping[str, Any], keys: Mapping[str, tuple[str, ...] | None], late: bool) -> Refusal | None:
    key = next((key for key in parsed if key not in keys), None)
    if key is None:
        return None
    near = difflib.get_close_matches(key, keys, n=1)
    hint = f"; the nearest is {near[0]!r}" if near else ""
    parameters = {"class": config, "key": key, **({"near": near[0]} if near else {})}
    text = f"{config}, the value of {flag_name(flag)}, has no key {key!r}{hint}"
    return Refusal(kind="unexpected-key", text=text, parameters=parameters, late=late)


def _wrong_value(flag: Flag, config: str, parsed: Mapping[str, Any], keys: Mapping[str, tuple[str, ...] | None], late: bool) -> Refusal | None:
    for key, item in parsed.items():
        allowed = keys.get(key)
        if allowed and isinstance(item, str) and item not in allowed:
            near = difflib.get_close_matches(item, allowed, n=1)
            hint = f"; the nearest is {near[0]!r}" if near else ""
            message = f"Input should be {', '.join(map(repr, allowed))}"
            parameters = {"class": config, "field": key, "message": message, "value": item}
            return Refusal(kind="validation", text=f"{key!r} in {flag_name(flag)} does not take {item!r}{hint}", parameters=parameters, late=late)
    return None


def _expanded(value: str) -> str:
    """JSON with its bare human-readable numbers (``80m``) replaced by plain ones, as the parser does before it reads a config."""
    parts = _STRING.split(value)
    parts[::2] = [_BARE_HUMAN.sub("1", part) for part in parts[::2]]
    return "".join(parts)


def flag_name(flag: Flag) -> str:
    """The primary long option."""
    return next((name for name in flag.names if name.startswith("--")), flag.names[0] if flag.names else flag.dest)
