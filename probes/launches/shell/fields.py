"""The stretches of a word and the fields that they become: word splitting."""

import re
from dataclasses import dataclass, field


@dataclass
class Part:
    """A stretch of a word: `splits` where an unquoted expansion is cut at blanks; `items` for ``"$@"`` and arrays."""

    text: str
    quoted: bool = False
    splits: bool = False
    items: list[str] | None = None
    kept: str = ""


@dataclass
class Expanded:
    """The fields that one raw word becomes. `kept` is the word with its expansions done and its quotes kept.

    `how` says what made several of one (``braces``, ``split``, ``items``); `vanished` are variables that nobody set, `pattern` whether
    unquoted pattern characters stand in it.
    """

    fields: list[str]
    kept: str
    how: str = ""
    vanished: list[str] = field(default_factory=list)
    pattern: bool = False


def joined(parts: list[Part]) -> str:
    """The one text of parts that are not split."""
    return "".join(part.text if part.items is None else " ".join(part.items) for part in parts)


def fields_of(parts: list[Part]) -> list[str]:
    """The fields of the parts of one word."""
    fields: list[str] = []
    current: str | None = None
    for part in parts:
        if part.items is not None:
            if part.items:
                fields += [part.items[0] if not current else current + part.items[0], *part.items[1:]]
                current = fields.pop()
        elif part.splits:
            current = _split(part.text, fields, current)
        elif part.text or current is None:
            current = (current or "") + part.text
    if current is not None:
        fields.append(current)
    return fields


def _split(text: str, fields: list[str], current: str | None) -> str | None:
    """Cut an unquoted expansion at blanks; whole fields go to `fields`, what is open at the end is returned."""
    words = re.split(r"[ \t\n]+", text)
    for number, word in enumerate(words):
        if number and current is not None:
            fields.append(current)
            current = None
        if word:
            current = (current or "") + word
    return current
