"""A text split into words as compose does it (a shell's quoting, without its expansions), each word with its place."""

import io
import shlex

from msgspec import Struct


class Piece(Struct, frozen=True):
    """A word, its raw text, and the span of that in the text."""

    text: str
    raw: str
    start: int
    stop: int


def split_words(text: str) -> tuple[Piece, ...]:
    """The words of `text`.

    Raises:
        ValueError: a quote stays open, or a backslash ends the text.
    """
    stream = io.StringIO(text)
    lexer = shlex.shlex(stream, posix=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    found: list[Piece] = []
    while True:
        began = stream.tell()
        word = lexer.get_token()
        if word is None:
            return tuple(found)
        raw = text[began : stream.tell()]
        # the lexer has read the blank behind a word, and perhaps the blanks in front of it
        start = began + len(raw) - len(raw.lstrip())
        found.append(Piece(word, raw.strip() if not raw.rstrip().endswith("\\") else raw.lstrip(), start, start + len(raw.strip())))


def closed(text: str) -> str | None:
    """`text` with the quote closed that stays open in it, or taken away where it opens nothing; None where no quote is open."""
    for _ in range(3):
        at = open_quote(text)
        if at is None:
            return text
        text = _closed_at(text, at)
    return None


def open_quote(text: str) -> int | None:
    """The place of the quote that stays open in `text`."""
    quote, place, at = "", 0, 0
    while at < len(text):
        character = text[at]
        if character == "\\" and quote != "'":
            at += 1
        elif quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote, place = character, at
        at += 1
    return place if quote else None


def _closed_at(text: str, at: int) -> str:
    quote, rest = text[at], text[at + 1 :]
    begins = at == 0 or text[at - 1] in " \t\n="
    if not begins:
        return text[:at] + rest
    if rest[:1] in ("{", "["):
        end = _bracketed(rest)
        return text[: at + 1] + rest[:end] + quote + rest[end:]
    end = min((place for place in (rest.find(" --"), rest.find(" -"), len(rest.rstrip())) if place >= 0), default=len(rest))
    return text[: at + 1] + rest[:end].rstrip() + quote + rest[end:]


def _bracketed(text: str) -> int:
    """The end of the brackets that open `text` (the text's end where they stay open)."""
    depth, quoted = 0, False
    for at, character in enumerate(text):
        if character == '"' and text[at - 1 : at] != "\\":
            quoted = not quoted
        elif not quoted:
            depth += (character in "{[") - (character in "}]")
            if depth == 0:
                return at + 1
    return len(text.rstrip())
