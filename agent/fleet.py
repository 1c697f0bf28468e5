"""Many targets, one launch: the results in the order of the targets, grouped by cause, as text and as one document. Pure."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any, Literal

import msgspec

from agent.document import Document, Part, speakable
from agent.report import Line, percent, printable
from transcripts.errors import UsageError

SCHEMA: Literal["nostart-fleet/1"] = "nostart-fleet/1"
_WORST = (70, 4, 3, 2, 11, 10)
"""Which exit status of one target is that of all: the first of these that any of them has."""
_WIDTH = 200
_SHOWN = 12


class Member(Part, frozen=True, kw_only=True):
    """What became of one target: the exit status as of a run of its own, and its document, or the `error` for which there is none."""

    target: str
    status: int
    error: str
    document: Document | None


class Group(Part, frozen=True, kw_only=True):
    """The targets with one outcome and, where it is ``diagnosed``, one cause. `outcome` is that of a document, or ``unreachable``, ``error``."""

    outcome: Literal["up", "diagnosed", "undetermined", "unreachable", "error"]
    cause: str | None
    targets: tuple[str, ...]


class Fleet(Part, frozen=True, kw_only=True):
    """The whole document of ``--json`` with several targets."""

    schema: Literal["nostart-fleet/1"]
    targets: tuple[Member, ...]
    groups: tuple[Group, ...]


def inventory(text: str, name: str) -> tuple[str, ...]:
    """The targets that a file lists, one a line; what follows a ``#`` is a comment, and a bare name is a host of ``~/.ssh/config``.

    Raises:
        UsageError: it lists none.
    """
    words = [line.partition(" #")[0].strip() for line in text.splitlines() if not line.lstrip().startswith("#")]
    found = tuple(dict.fromkeys(word if "://" in word or word == "local" else f"ssh://{word}" for word in words if word))
    if not found:
        raise UsageError(f"--targets {name}: it lists no target; write one a line, such as ssh://user@host:22")
    return found


def fleet(members: Sequence[Member]) -> Fleet:
    """The document of several targets: the members in their order, the groups the largest first."""
    ordered = sorted(members, key=_key)
    groups = [
        Group(outcome=_outcome(found[0]), cause=_cause(found[0]) or None, targets=tuple(member.target for member in found))
        for found in (list(same) for _, same in groupby(ordered, key=_key))
    ]
    place = {member.target: index for index, member in enumerate(members)}
    groups.sort(key=lambda group: (-len(group.targets), place[group.targets[0]]))
    return Fleet(schema=SCHEMA, targets=tuple(members), groups=tuple(groups))


def status(members: Sequence[Member]) -> int:
    """The exit status of all: 0 where every target's is."""
    found = {member.status for member in members}
    return next((number for number in _WORST if number in found), max(found, default=0))


def render(whole: Fleet) -> str:
    """The document as indented JSON with a newline at its end."""
    return msgspec.json.format(msgspec.json.encode(speakable(msgspec.to_builtins(whole))), indent=2).decode() + "\n"


def json_schema() -> dict[str, Any]:
    """The document's JSON Schema, generated from these classes."""
    schema: dict[str, Any] = msgspec.json.schema(Fleet)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "The document of nostart --json with several targets", **schema}


def table(whole: Fleet) -> tuple[Line, ...]:
    """One table for people: each group with its targets, what it is, and what mends it."""
    members = {member.target: member for member in whole.targets}
    lines: list[Line] = []
    for group in whole.groups:
        found = [members[target] for target in group.targets]
        lines.append(Line(f"{len(found):>4}  {group.cause or group.outcome}", "good" if group.outcome == "up" else "bad"))
        lines.append(Line("      " + _names(group.targets)))
        lines += [Line("      " + text, kind) for text, kind in _told(found)]
    lines.append(Line(f"{len(whole.targets)} targets; their transcripts: nostart runs", "dim"))
    return tuple(lines)


def _told(found: Sequence[Member]) -> list[tuple[str, str]]:
    """What is said of a group: its errors, or its summary with the fix, each text once."""
    texts: dict[tuple[str, str], None] = {}
    for member in found:
        document = member.document
        if document is None:
            texts[printable(member.error, _WIDTH * 2), "dim"] = None
        elif document.cause is not None:
            texts[f"{printable(document.cause.summary, _WIDTH)} ({percent(document.cause.probability)})", ""] = None
            if document.fix is not None and document.fix.shell:
                texts[printable(document.fix.shell), "paste"] = None
        elif document.next:
            texts["what would tell: " + printable(document.next[0].command, _WIDTH), "dim"] = None
    told = list(texts)
    return [*told[:_SHOWN], *([(f"… and {len(told) - _SHOWN} more lines: --json has them all", "dim")] if len(told) > _SHOWN else [])]


def _names(targets: Sequence[str]) -> str:
    shown = ", ".join(printable(target) for target in targets[:_SHOWN])
    return shown + (f", and {len(targets) - _SHOWN} more" if len(targets) > _SHOWN else "")


def _outcome(member: Member) -> Literal["up", "diagnosed", "undetermined", "unreachable", "error"]:
    if member.document is None:
        return "unreachable" if member.status == 3 else "error"
    return member.document.outcome


def _cause(member: Member) -> str:
    document = member.document
    return document.cause.id if document is not None and document.outcome == "diagnosed" and document.cause is not None else ""


def _key(member: Member) -> tuple[str, str]:
    return _outcome(member), _cause(member)
