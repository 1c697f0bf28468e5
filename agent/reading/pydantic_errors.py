"""What pydantic prints when a configuration object refuses a value (v1 and v2). Pure."""

import ast
import re

from agent.reading.kind import OTHER, Kind

_HEAD = re.compile(r"\d+ validation errors? for (?P<class>[\w.\[\], |]+)")
_TYPE = re.compile(r"\[type=(?P<type>[\w.]+), input_value=(?P<input>.*), input_type=(?P<input_type>[\w.]+)\]?", re.DOTALL)
_FIELD = re.compile(r"[\w.\[\]`'-]+(?: -> [\w.]+)*")
_JSON = re.compile(r"\binvalid json\b", re.IGNORECASE)


def is_pydantic(text: str) -> bool:
    """Whether `text` holds a pydantic report."""
    return bool(_HEAD.search(text))


def read_pydantic(text: str) -> Kind:
    """The kind of the first complaint in a pydantic report, with the index of the line that says it."""
    lines = text.split("\n")
    head = next((index for index, line in enumerate(lines) if _HEAD.search(line)), 0)
    match = _HEAD.search(lines[head])
    name = match["class"].strip() if match else ""
    field, at, message = "", head, ""
    for index in range(head + 1, len(lines)):
        line = lines[index]
        if not line.startswith(" ") and _FIELD.fullmatch(line.strip()) and not message:
            field = line.strip()
        elif line.strip() and "For further information" not in line:
            message, at = line.strip(), index
            break
    return _kind(name, field, message, "\n".join(lines[at:]), at)


def _kind(name: str, field: str, message: str, rest: str, at: int) -> Kind:
    found = _TYPE.search(rest)
    type_ = found["type"] if found else ""
    said = message.partition(" [type=")[0]
    if type_ in ("unexpected_keyword_argument", "extra_forbidden") or said.startswith(
        ("Unexpected keyword argument", "Extra inputs are not", "extra fields not")
    ):
        return Kind("unexpected-key", {"class": name, "key": field.rpartition(".")[2]}, at)
    if type_ == "json_invalid" or _JSON.search(said):
        return Kind("json-invalid", {"class": name, "value": _literal(found["input"]) if found else ""}, at)
    if not message:
        return Kind(OTHER, {"class": name}, at)
    parameters = {"class": name, "field": field, "message": said.removeprefix("Value error, ").removeprefix("Assertion failed, ")}
    if found and "..." not in found["input"] and len(found["input"]) < 500 and not found["input"].startswith("ArgsKwargs"):
        parameters["value"] = _literal(found["input"])
    return Kind("validation", parameters, at)


def _literal(text: str) -> str:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
    return value if isinstance(value, str) else text
