"""A forgiving reader of JSON whose quotes were removed or replaced: bare words are strings unless JSON knows them."""

import json
import re
from typing import Any

_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?\Z")
_KNOWN = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_DEPTH = 60


class TooDamaged(ValueError):
    """The text is not JSON that lost its quotes."""


def parse_lenient(text: str) -> Any:
    """The object or list that `text` says when bare words count as strings; raises `TooDamaged`."""
    value, end = _value(text, _blank(text, 0), 0)
    if _blank(text, end) != len(text) or not isinstance(value, dict | list):
        raise TooDamaged(text[:80])
    return value


def _blank(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _value(text: str, at: int, depth: int) -> tuple[Any, int]:
    if depth > _DEPTH or at >= len(text):
        raise TooDamaged(text[:80])
    if text[at] == "{":
        return _object(text, at, depth)
    if text[at] == "[":
        return _list(text, at, depth)
    if text[at] in "\"'":
        return _quoted(text, at)
    return _bare(text, at)


def _object(text: str, at: int, depth: int) -> tuple[dict[str, Any], int]:
    found: dict[str, Any] = {}
    at = _blank(text, at + 1)
    while at < len(text) and text[at] != "}":
        key, at = _key(text, at)
        value, at = _value(text, _blank(text, at), depth + 1)
        found[key] = value
        at = _separator(text, at, "}")
    return found, _closed(text, at)


def _list(text: str, at: int, depth: int) -> tuple[list[Any], int]:
    found: list[Any] = []
    at = _blank(text, at + 1)
    while at < len(text) and text[at] != "]":
        value, at = _value(text, at, depth + 1)
        found.append(value)
        at = _separator(text, at, "]")
    return found, _closed(text, at)


def _separator(text: str, at: int, close: str) -> int:
    at = _blank(text, at)
    if at < len(text) and text[at] == ",":
        return _blank(text, at + 1)
    if at < len(text) and text[at] == close:
        return at
    raise TooDamaged(text[:80])


def _closed(text: str, at: int) -> int:
    if at >= len(text):
        raise TooDamaged(text[:80])
    return at + 1


def _key(text: str, at: int) -> tuple[str, int]:
    if text[at] in "\"'":
        key, at = _quoted(text, at)
        at = _blank(text, at)
    else:
        end = at
        while end < len(text) and text[end] not in ":,{}[]":
            end += 1
        key, at = text[at:end].strip(), end
    if not key or at >= len(text) or text[at] != ":":
        raise TooDamaged(text[:80])
    return key, at + 1


def _quoted(text: str, at: int) -> tuple[str, int]:
    quote, end = text[at], at + 1
    while end < len(text) and text[end] != quote:
        end += 2 if text[end] == "\\" else 1
    if end >= len(text):
        raise TooDamaged(text[:80])
    inner = text[at + 1 : end]
    if quote == "'":
        inner = inner.replace("\\'", "'").replace('"', '\\"')
    try:
        return str(json.loads(f'"{inner}"', strict=False)), end + 1
    except ValueError:
        return inner, end + 1


def _bare(text: str, at: int) -> tuple[Any, int]:
    end = at
    while end < len(text) and text[end] not in ",{}[]":
        end += 1
    word = text[at:end].strip()
    # A colon behind a blank or a quote inside the word: two members without a comma, not one value.
    if not word or re.search(r":\s|\"", word):
        raise TooDamaged(text[:80])
    if word in _KNOWN:
        return _KNOWN[word], end
    return (json.loads(word) if _NUMBER.match(word) else word), end
