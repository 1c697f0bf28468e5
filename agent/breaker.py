"""When a supervisor's loop of restarts is broken: the same deterministic cause twice in a row is not launched a third time. Pure."""

from collections.abc import Sequence

import msgspec

from transcripts.records import Record

MOST = 2
"""So many failures of one cause in a row, and the same launch is not made again."""

_FAMILIES = ("quoting/", "flag/", "config/", "version/")
_OTHERS = frozenset({"process/command-not-found", "process/wrong-entrypoint", "environment/variable-collision", "model/remote-code"})


class Remembered(Record, frozen=True, kw_only=True):
    """What is known of a launch that failed: its cause, how often in a row, the status it ended with, and the verdict as text."""

    cause: str
    count: int
    status: int
    verdict: str


def is_deterministic(cause: str) -> bool:
    """Whether the same launch is sure to fail of this cause again: it lies in the command and what is installed, not in what goes on outside."""
    return cause.startswith(_FAMILIES) or cause in _OTHERS


def after(before: Remembered | None, cause: str, status: int, verdict: str) -> Remembered | None:
    """What is remembered after one more failure; nothing where the next launch may go another way."""
    if not cause or not is_deterministic(cause):
        return None
    count = before.count + 1 if before is not None and before.cause == cause else 1
    return Remembered(cause=cause, count=count, status=status, verdict=verdict)


def is_broken(before: Remembered | None) -> bool:
    """Whether the launch is not made again."""
    return before is not None and before.count >= MOST


def fingerprint(argv: Sequence[str], environment: Sequence[str], files: Sequence[tuple[str, int, int]]) -> bytes:
    """What makes a launch the same one: its words, the variables that matter to it, and its files with size and time of writing."""
    return msgspec.json.encode([list(argv), sorted(environment), sorted(files)])
