"""One rule of the reader: a wording and the kind of error that it says. Data."""

import re

from msgspec import Struct, field

Q = r"['\"`‘]"
E = r"['\"`’]"


class Rule(Struct, frozen=True):
    """Text that matches `pattern` says `value`. `alone` marks wordings that are telling in any line, not only in an exception's own.

    `needs` is a literal that every match holds, for patterns that begin with anything: they would be tried at every character. `weak` marks
    wordings that any other line of the same message outweighs; `told` adds the line itself as the parameter ``message``.
    """

    value: str
    pattern: re.Pattern[str]
    alone: bool = False
    needs: str = ""
    fixed: dict[str, str] = field(default_factory=dict)
    weak: bool = False
    told: bool = False

    def search(self, text: str) -> re.Match[str] | None:
        """The first match in `text`."""
        return self.pattern.search(text) if self.needs in text else None


def rule(value: str, pattern: str, *, alone: bool = False, needs: str = "", **fixed: str) -> Rule:
    """A rule of the parts of the launch that come first (the shell, arguments, imports)."""
    return Rule(value, re.compile(pattern), alone, needs, fixed)


def late(value: str, pattern: str, *, alone: bool = True, weak: bool = False, **fixed: str) -> Rule:
    """A rule of the later phases: telling wherever it stands, and shown with its words."""
    return Rule(value, re.compile(pattern), alone, "", fixed, weak, True)
