"""The dotted form of a JSON option (``--speculative-config.method dflash``), which needs no quoting in any shell.

vLLM's parser collects ``--x.key value`` into the JSON value of ``--x``; a value is read as JSON, else as a human number (``4k``), else as
text, and ``--x.key+ item`` appends the *text* of an item to a list.
"""

import json
import re
from typing import Any

_KEY = re.compile(r"[A-Za-z_][\w-]*\Z")
# What the parser reads as a number although JSON does not: 1k, 2M, 1.5G …
_HUMAN = re.compile(r"[+-]?[\d_.]+\s*[A-Za-z]?i?\Z")
_DEPTH = 20


def dotted(flag: str, json_text: str) -> tuple[str, ...] | None:
    """The words that say the JSON object `json_text` of `flag` in dotted form; None where they would be read as something else."""
    if not flag.startswith("--") or "." in flag or "=" in flag:
        return None
    try:
        value = json.loads(json_text)
    except (ValueError, RecursionError):
        return None
    return _members(flag, value, 0) if isinstance(value, dict) else None


def _members(prefix: str, members: dict[str, Any], depth: int) -> tuple[str, ...] | None:
    if not members or depth > _DEPTH:
        return None
    words: tuple[str, ...] = ()
    for key, value in members.items():
        said = _member(f"{prefix}.{key}", value, depth) if _KEY.match(key) else None
        if said is None:
            return None
        words += said
    return words


def _member(name: str, value: Any, depth: int) -> tuple[str, ...] | None:
    if isinstance(value, dict):
        return _members(name, value, depth + 1)
    if isinstance(value, list):
        return _items(name, value)
    if isinstance(value, str):
        return (name, value) if _stays_text(value) else None
    return (name, json.dumps(value))


def _items(name: str, items: list[Any]) -> tuple[str, ...] | None:
    if not items:
        return None
    if all(isinstance(item, str) for item in items):
        if any(not item or "," in item or item.startswith("-") for item in items):
            return None
        return tuple(word for item in items for word in (name + "+", item))
    if all(isinstance(item, int | float) for item in items):
        # Appended items are text, so numbers go as one list without blanks.
        return (name, json.dumps(items, separators=(",", ":")))
    return None


def _stays_text(value: str) -> bool:
    if not value or value.startswith("-") or _HUMAN.match(value):
        return False
    try:
        json.loads(value)
    except ValueError:
        return True
    except RecursionError:
        return False
    return False
