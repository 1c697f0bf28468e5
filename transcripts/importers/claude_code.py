"""Claude Code's session file: one JSON object a line, as it lies under ``~/.claude/projects``.

``assistant`` lines hold ``tool_use`` blocks (``Bash`` with a command, ``Write`` with a whole file, ``Edit`` with a replacement); their results
come in later ``user`` lines as ``tool_result`` blocks with the same id, beside a ``toolUseResult`` that keeps stdout and stderr apart. A failed
command's text begins with ``Exit code N``. Lines of other types (summaries, snapshots, queue operations) are passed over.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from transcripts.errors import UsageError
from transcripts.importers.session import Session, Step, between, instant, mapping, objects, text_of

_EXIT = re.compile(r"\A(?:Error: )?Exit code (-?\d+)\n?")
_WRAPPED = re.compile(r"</?(?:tool_use_error|system-reminder)>")


class _Use(NamedTuple):
    name: str
    given: dict[str, Any]
    at: str
    source: str


def read(data: bytes) -> Session:
    """The steps of a session.

    Raises:
        UsageError: no line of it is one of Claude Code's.
    """
    lines, skipped = _lines(data)
    if not any(line.get("type") in ("user", "assistant") and isinstance(line.get("message"), dict) for _, line in lines):
        raise UsageError("this is no session of Claude Code: no line is a JSON object with a user's or the assistant's message")
    return Session(format="claude-code", steps=tuple(_steps(lines)), skipped=skipped)


def _lines(data: bytes) -> tuple[list[tuple[int, dict[str, Any]]], int]:
    found: list[tuple[int, dict[str, Any]]] = []
    skipped = 0
    for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError:
            value = None
        if isinstance(value, dict):
            found.append((number, value))
        else:
            skipped += 1
    return found, skipped


def _steps(lines: list[tuple[int, dict[str, Any]]]) -> Iterator[Step]:
    results = _results(lines)
    for number, line in lines:
        message = mapping(line.get("message"))
        at, source = instant(line.get("timestamp")), f"line {number}"
        if line.get("isMeta") or line.get("type") not in ("user", "assistant"):
            continue
        content = message.get("content")
        said = text_of(content)
        if said.strip():
            yield Step(kind="said", text=said, at=at, source=source)
        for block in objects(content):
            if block.get("type") == "tool_use":
                use = _Use(str(block.get("name")), mapping(block.get("input")), at, source)
                yield from _step(use, results.get(str(block.get("id"))))


def _results(lines: list[tuple[int, dict[str, Any]]]) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Tool call id → (its result block, the line that brought it)."""
    return {
        str(block.get("tool_use_id")): (block, line)
        for _, line in lines
        for block in objects(mapping(line.get("message")).get("content"))
        if block.get("type") == "tool_result"
    }


def _step(use: _Use, result: tuple[dict[str, Any], dict[str, Any]] | None) -> Iterator[Step]:
    given = use.given
    path = str(given.get("file_path", ""))
    if use.name == "Bash" and isinstance(given.get("command"), str):
        output, code, at = _answer(result)
        seconds = between(use.at, at)
        yield Step(kind="command", text=given["command"], output=output, exit_status=code, at=use.at, seconds=seconds, source=use.source)
    elif use.name in ("BashOutput", "TaskOutput") and result is not None:
        yield Step(kind="command", text=": output of a background command", output=_answer(result)[0], at=use.at, source=use.source)
    elif use.name == "Write" and isinstance(given.get("content"), str):
        yield Step(kind="write", text=given["content"], path=path, at=use.at, source=use.source)
    elif use.name in ("Edit", "MultiEdit"):
        for edit in [given, *objects(given.get("edits"))]:
            if isinstance(edit.get("old_string"), str) and isinstance(edit.get("new_string"), str):
                kind: Literal["edit"] = "edit"
                yield Step(kind=kind, text=edit["old_string"], output=edit["new_string"], path=path, at=use.at, source=use.source)


def _answer(result: tuple[dict[str, Any], dict[str, Any]] | None) -> tuple[str, int | None, str]:
    """Output, exit status and time of a result. The streams that were kept apart are the better text; the block's own has the status."""
    if result is None:
        return "", None, ""
    block, line = result
    text = _WRAPPED.sub("", text_of(block.get("content")))
    match = _EXIT.match(text)
    code = int(match[1]) if match else None if block.get("is_error") else 0
    output = text[match.end() :] if match else text
    kept = mapping(line.get("toolUseResult"))
    streams = [str(kept[name]) for name in ("stdout", "stderr") if isinstance(kept.get(name), str) and kept[name]]
    if len(list(objects(mapping(line.get("message")).get("content")))) == 1 and streams:
        output = "\n".join(streams)
    if kept.get("interrupted") or kept.get("backgroundTaskId"):
        code = None
    return output, code, instant(line.get("timestamp"))
