"""What a terminal showed, as lines with the time at which each began: the part of a terminal that a recorded shell session needs.

Carriage returns, backspaces, erasures and cursor moves within a line are obeyed (that is how a shell redraws what is being typed); colours, titles
and other sequences are dropped. A program that takes over the whole screen (an editor, a pager) leaves nothing.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

_CONTROL = re.compile(
    r"\x1b\[(?P<args>[0-?]*)[ -/]*(?P<final>[@-~])"
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
    r"|\x1b[PX^_][^\x1b]{0,4096}\x1b\\"
    r"|\x1b[()*+#%].|\x1b[ -/]*[0-OQ-WYZ\\`-~]"
    r"|(?P<char>[\x00-\x1a\x1c-\x1f\x7f])",
    re.S,
)
_WIDEST = 100_000
_LONGEST = 4096  # characters of a sequence; a longer one is none
_SCREENS = ("?1049", "?1047", "?47")


class Shown(NamedTuple):
    """A line as it stood when it was left, and the seconds into the recording at which it began."""

    text: str
    seconds: float


class Screen:
    """A terminal of one endless page."""

    def __init__(self) -> None:
        self._lines: list[Shown] = []
        self._cells: list[str] = []
        self._column = 0
        self._began = 0.0
        self._fresh = True
        self._away = False
        self._rest = ""

    def feed(self, text: str, seconds: float = 0.0) -> None:
        """Take in what was written to the terminal at a time."""
        text = self._rest + text
        cut = _unfinished(text)
        text, self._rest = text[:cut], text[cut:]
        position = 0
        for match in _CONTROL.finditer(text):
            self._write(text[position : match.start()], seconds)
            position = match.end()
            self._control(match, seconds)
        self._write(text[position:], seconds)

    def lines(self) -> tuple[Shown, ...]:
        """All lines so far, the unfinished last one too."""
        rest = "".join(self._cells).rstrip()
        return (*self._lines, *((Shown(rest, self._began),) if rest else ()))

    def _write(self, text: str, seconds: float) -> None:
        text = text.replace("\x1b", "")
        if not text or self._away:
            return
        if self._fresh:
            self._began, self._fresh = seconds, False
        end = self._column + len(text)
        if len(self._cells) < self._column:
            self._cells += " " * (self._column - len(self._cells))
        self._cells[self._column : end] = text
        self._column = end

    def _control(self, match: re.Match[str], seconds: float) -> None:
        if match["final"]:
            self._sequence(match["args"], match["final"])
        elif match["char"] == "\n":
            if not self._away:
                self._lines.append(Shown("".join(self._cells).rstrip(), seconds if self._fresh else self._began))
            self._cells, self._column, self._fresh = [], 0, True
        elif match["char"] == "\r":
            self._column = 0
        elif match["char"] == "\b":
            self._column = max(self._column - 1, 0)
        elif match["char"] == "\t":
            self._write(" " * (8 - self._column % 8), seconds)

    def _sequence(self, arguments: str, final: str) -> None:
        number = int(arguments) if arguments.isdecimal() and len(arguments) < 6 else 1
        if final in "hl" and arguments.startswith(_SCREENS):
            self._away = final == "h"
        elif final == "K":
            if arguments in ("", "0"):
                del self._cells[self._column :]
            else:
                kept = self._cells[self._column :] if arguments == "1" else []
                self._cells = [" "] * (self._column if kept else 0) + kept
        elif final == "C":
            self._column = min(self._column + number, _WIDEST)
        elif final == "D":
            self._column = max(self._column - number, 0)
        elif final == "G":
            self._column = min(max(number - 1, 0), _WIDEST)
        elif final == "P":
            del self._cells[self._column : self._column + number]
        elif final == "@":
            self._cells[self._column : self._column] = [" "] * min(number, _WIDEST)
        elif final == "J" and arguments in ("", "0"):
            del self._cells[self._column :]


def _unfinished(text: str) -> int:
    """Where an escape sequence begins that is cut off at the end of `text` (its length: nowhere)."""
    start = text.rfind("\x1b")
    if start < 0 or len(text) - start > _LONGEST or _CONTROL.match(text, start):
        return len(text)
    return start


def shown(chunks: Iterable[tuple[float, str]]) -> tuple[Shown, ...]:
    """The lines of a recording given as (seconds, text)."""
    screen = Screen()
    for seconds, text in chunks:
        screen.feed(text, seconds)
    return screen.lines()
