"""The lines of an excerpt, each with its number and offset in the whole log, freed of wrappers and told apart by process. Pure."""

import re
from collections.abc import Iterator

from msgspec import Struct

from agent.reading.prefixes import Prefix, from_json, unwrapped
from transcripts.records import Excerpt

_BAR = re.compile(r"\d%\||\d%[^|]*\| *\d|\d+(?:\.\d+)?(?:it|s|[kMGT]?i?B)/(?:s|it)\b|\[\d\d:\d\d<")
_SHOWS_DATA = re.compile(r"(?:^|: )error: (?:unrecognized|argument|ambiguous)|^Error: ")
LONGEST = 20_000
"""Characters of a line that are read; what follows in it is not."""


class Line(Struct, frozen=True):
    """One line: `number` counts ``\\n`` from 1, `offset` is in bytes; `text` is the message; `first` marks the first line of a piece.

    `stream` is what belongs together when processes write in turns: the process, and the logger where the line has one.
    """

    number: int
    offset: int
    process: str
    level: str
    logger: str
    text: str
    first: bool = False

    @property
    def stream(self) -> tuple[str, str]:
        """Lines of one stream follow each other in the program that wrote them.

        A name without a pid (SGLang's ``TP0``) stands on first lines only, what follows has none: it makes no stream of its own.
        """
        own = self.process if "pid=" in self.process or self.process.startswith("rank") else ""
        return own, self.logger

    @property
    def is_progress(self) -> bool:
        """Whether it is a progress bar, which falls between any other lines."""
        return bool(_BAR.search(self.text[:300]))


def read_lines(excerpt: Excerpt) -> tuple[Line, ...]:
    """Every line of `excerpt`; a line that a progress bar wrote over (``\\r``) gives one for each state that holds text."""
    return tuple(line for piece in excerpt.pieces for line in _piece_lines(piece.line, piece.offset, piece.text))


def _piece_lines(number: int, offset: int, text: str) -> Iterator[Line]:
    first = True
    ascii_only = text.isascii()
    # Where only some lines end in a carriage return it is no line end: a script with Windows line ends passed it on as data.
    returns = text.count("\r\n") * 2 > text.count("\n")
    for raw in text.split("\n"):
        for part in _states(raw[:LONGEST], returns):
            prefix = unwrapped(part)
            if prefix.text.startswith('{"') and (found := from_json(prefix.text.rstrip("\r"))):
                yield from _told_as_json(found, prefix, number, offset, first)
                first = False
                continue
            yield Line(number, offset, prefix.process, prefix.level, prefix.logger, prefix.text, first)
            first = False
        number += 1
        offset += (len(raw) if ascii_only else len(raw.encode("utf-8", "backslashreplace"))) + 1


def _told_as_json(found: tuple[str, str], outer: Prefix, number: int, offset: int, first: bool) -> Iterator[Line]:
    """The lines of a message that a JSON object carried, with what stood around the object."""
    message, level = found
    for part in message.split("\n"):
        inner = unwrapped(part)
        yield Line(
            number, offset, inner.process or outer.process, inner.level or level or outer.level, inner.logger or outer.logger, inner.text, first
        )
        first = False


def _states(raw: str, returns: bool) -> Iterator[str]:
    if "\r" not in raw:
        yield raw
        return
    parts = raw.split("\r")
    while len(parts) > 1 and (not parts[0].strip() or _BAR.search(parts[0])):
        parts.pop(0)
    if _SHOWS_DATA.search(parts[0]):
        text = "\r".join(parts)
        yield text.removesuffix("\r") if returns else text
        return
    yield from [part for part in parts if part.strip()] or [""]
