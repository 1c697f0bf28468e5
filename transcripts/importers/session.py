"""What every importer makes of another tool's session: raw steps, in their order. Nothing is judged here, and nothing is ever executed.

Times are RFC 3339 in UTC (empty where the session tells none), seconds those between a command and its answer (0 where unknown).
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Literal

from transcripts.records import Record


class Step(Record, frozen=True, kw_only=True):
    """One thing that happened in a session.

    `kind`: ``command`` a line given to a shell (`text`) and what it printed (`output`, `exit_status` where it is told); ``write`` a file
    (`path`) written by a tool with the content `text`; ``edit`` a file in which `text` was replaced by `output`; ``said`` words of a person
    or an agent. `source` is where it stands in the session file.
    """

    kind: Literal["command", "write", "edit", "said"]
    text: str
    output: str = ""
    path: str = ""
    exit_status: int | None = None
    at: str = ""
    seconds: float = 0.0
    source: str = ""


class Session(Record, frozen=True, kw_only=True):
    """A session as read: its steps, and what of the file could not be read (told, never guessed)."""

    format: str
    steps: tuple[Step, ...]
    skipped: int = 0


def instant(value: object) -> str:
    """A time in the record's form, from RFC 3339 text or from seconds or milliseconds since 1970; empty where it is none."""
    try:
        if isinstance(value, str) and value:
            moment = datetime.fromisoformat(value)
        elif isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            moment = datetime.fromtimestamp(value / 1000 if value > 1e11 else value, UTC)
        else:
            return ""
    except (ValueError, OverflowError, OSError):
        return ""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def between(began: str, ended: str) -> float:
    """Seconds from one time of the record to another, never negative; 0 where one is unknown."""
    if not began or not ended:
        return 0.0
    return max(round((datetime.fromisoformat(ended) - datetime.fromisoformat(began)).total_seconds(), 3), 0.0)


def mapping(value: object) -> dict[str, Any]:
    """`value` where it is a JSON object, else an empty one: foreign files are read tolerantly."""
    return value if isinstance(value, dict) else {}


def text_of(value: object) -> str:
    """The text of a message: a plain one, or the text parts of a list of them."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(part for part in map(_part, value) if part)
    return ""


def _part(value: object) -> str:
    if isinstance(value, str):
        return value
    text = mapping(value).get("text")
    return text if isinstance(text, str) and mapping(value).get("type", "text") == "text" else ""


def objects(value: object) -> Iterator[dict[str, Any]]:
    """The JSON objects of a list, whatever else stands between them."""
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, dict))


def status(value: object) -> int | None:
    """An exit status, where the value is one."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None
