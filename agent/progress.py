"""What a growing log says about a launch: the phases it reached, whether it still gets anywhere, where it serves. Pure."""

import re
from collections.abc import Iterable

from probes.frameworks.framework import Framework

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_VARIABLE = re.compile(r"0x[0-9a-fA-F]+|\b[0-9a-fA-F]{8,}(?:-[0-9a-fA-F]{4,})*\b|\d+")
_BAR = re.compile(r"[\s█▉▊▋▌▍▎▏░▒▓#=>|.\-]{2,}")
_PERCENT = re.compile(r"(\d{1,3})(?:\.\d+)?%")
_PART = re.compile(r"\b(\d+)/(\d+)\b")
_MOST = 50_000

HANG_SECONDS = {"arguments": 180.0, "config": 180.0, "engine": 600.0, "weights": 900.0, "cache": 600.0}
"""How long a phase may stay silent; loading weights reads tens of gigabytes, filling the cache compiles."""
HANG_OTHERWISE = 300.0

_SERVING = re.compile(r"(?i)\b(?:uvicorn running on|server(?: \d+)? on|listening at:?) +(https?)://(\[[0-9a-f:.]*\]|[\w.\-]+):(\d+)")


class Progress:
    """Whether lines bring anything new: a kind of line not seen before (digits aside), or a count that rises.

    A retry loop that says the same for ever brings nothing. Memory is bounded.
    """

    def __init__(self) -> None:
        self._best: dict[str, int] = {}

    def take(self, lines: Iterable[str]) -> bool:
        """Take in lines; True if any of them is progress."""
        new = [line for line in lines if self._is_new(line)]
        return bool(new)

    def _is_new(self, line: str) -> bool:
        plain = _ANSI.sub("", line)
        kind = _BAR.sub(" ", _VARIABLE.sub("#", plain)).strip()
        if not kind:
            return False
        count = _risen(plain)
        known = self._best.get(kind)
        if known is not None and count <= known:
            return False
        if len(self._best) >= _MOST:
            self._best.clear()
        self._best[kind] = count
        return True


def _risen(line: str) -> int:
    """The sum of what a line counts up: percentages and parts of a whole."""
    parts = [int(done) for done, whole in _PART.findall(line) if int(done) <= int(whole)]
    return sum(int(percent) for percent in _PERCENT.findall(line)) + sum(parts)


class Phases:
    """The phases of a framework as its log passes them, each once and only forward."""

    def __init__(self, framework: Framework | None) -> None:
        self._ahead = list(framework.phases) if framework else []
        self.reached: tuple[str, ...] = ()

    @property
    def last(self) -> str:
        """The last phase reached, empty before the first."""
        return self.reached[-1] if self.reached else ""

    def take(self, text: str) -> tuple[str, ...]:
        """The phases that whole lines of the log show as newly reached, in order; one that left no trace is passed over."""
        found = [index for index, (_, marks) in enumerate(self._ahead) if any(mark in text for mark in marks)]
        new = tuple(self._ahead[index][0] for index in found)
        if found:
            self._ahead = self._ahead[found[-1] + 1 :]
            self.reached += new
        return new


def hang_seconds(phase: str) -> float:
    """How long no progress in `phase` is no hang."""
    return HANG_SECONDS.get(phase, HANG_OTHERWISE)


def serving_at(text: str) -> tuple[str, str, int] | None:
    """Scheme, host and port on which a server's log says that it serves; the last such line counts."""
    found = _SERVING.findall(text)
    if not found:
        return None
    scheme, host, port = found[-1]
    return scheme.lower(), host.strip("[]"), int(port)
