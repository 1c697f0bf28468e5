"""opencode's ``opencode export``: one JSON document with the session's messages, of 1.x and of 2.x.

1.x: ``messages`` of ``{info, parts}``; a part of type ``tool`` has the tool's name and a ``state`` with input, output, metadata (``exit``) and
times in milliseconds. 2.x: a message holds its parts in ``content``, a tool part is called by ``name``, and its output is a list of text parts.
"""

import json
from collections.abc import Iterator
from typing import Any

from transcripts.errors import UsageError
from transcripts.importers.session import Session, Step, between, instant, mapping, objects, status, text_of

_SHELLS = ("bash", "shell")


def read(data: bytes) -> Session:
    """The steps of an exported session.

    Raises:
        UsageError: it is no export of opencode.
    """
    text = data.decode("utf-8", "replace")
    try:
        # the program prints a line about itself before the document where both streams were caught
        document = json.loads(text[max(text.find("{"), 0) :])
    except ValueError as error:
        raise UsageError(f"this is no export of opencode: it is no JSON document ({error}); make one by: opencode export ID > FILE") from error
    messages = list(objects(mapping(document).get("messages")))
    if not any("parts" in message or "content" in message for message in messages):
        raise UsageError("this is no export of opencode: it holds no messages with parts; make one by: opencode export ID > FILE")
    return Session(format="opencode", steps=tuple(step for number, message in enumerate(messages, 1) for step in _steps(message, number)))


def _steps(message: dict[str, Any], number: int) -> Iterator[Step]:
    info = mapping(message.get("info")) or message
    at = instant(mapping(info.get("time")).get("created"))
    parts = message.get("parts", message.get("content", message.get("text")))
    if isinstance(parts, str):
        parts = [{"type": "text", "text": parts}]
    for part in objects(parts):
        source = f"message {number}"
        if part.get("type") == "text" and isinstance(part.get("text"), str) and part["text"].strip() and not part.get("synthetic"):
            yield Step(kind="said", text=part["text"], at=at, source=source)
        elif part.get("type") == "tool":
            yield from _tool(part, at, source)


def _tool(part: dict[str, Any], at: str, source: str) -> Iterator[Step]:
    name = str(part.get("tool", part.get("name", "")))
    state = mapping(part.get("state"))
    given, kept = _given(state.get("input")), mapping(state.get("metadata")) or mapping(state.get("structured"))
    times = mapping(state.get("time")) or mapping(part.get("time"))
    began, ended = instant(times.get("start", times.get("ran"))) or at, instant(times.get("end", times.get("completed")))
    path = str(given.get("filePath", given.get("path", "")))
    if name in _SHELLS and isinstance(given.get("command"), str):
        output = _output(state, kept)
        code = status(kept.get("exit", kept.get("exitCode")))
        seconds = between(began, ended)
        yield Step(kind="command", text=given["command"], output=output, exit_status=code, at=began, seconds=seconds, source=source)
    elif name == "write" and isinstance(given.get("content"), str):
        yield Step(kind="write", text=given["content"], path=path, at=began, source=source)
    elif name == "edit" and isinstance(given.get("oldString"), str) and isinstance(given.get("newString"), str):
        yield Step(kind="edit", text=given["oldString"], output=given["newString"], path=path, at=began, source=source)


def _given(value: object) -> dict[str, Any]:
    """A tool's input: an object, or the JSON text of one."""
    if isinstance(value, str):
        try:
            return mapping(json.loads(value))
        except ValueError:
            return {}
    return mapping(value)


def _output(state: dict[str, Any], kept: dict[str, Any]) -> str:
    """What the command printed; of a failed call, why it failed."""
    candidates = (state.get("output"), kept.get("output"), text_of(state.get("content")), state.get("error"))
    return next((text for text in candidates if isinstance(text, str) and text), "")
