"""mini-swe-agent's trajectory (``*.traj.json``), of its releases 1 and 2.

Release 1: the assistant's text holds one ``bash`` block, and the next user message its ``<returncode>`` and ``<output>``. Release 2: the commands
stand in ``extra.actions`` (or in tool calls), each answered by a message whose ``extra`` has ``returncode`` and ``raw_output``.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from transcripts.errors import UsageError
from transcripts.importers.session import Session, Step, between, instant, mapping, objects, status, text_of

_BLOCK = re.compile(r"```(?:bash|sh|mswea_bash_command)[ \t]*\n(.*?)\n?```", re.S)
_CODE = re.compile(r"<returncode>\s*(-?\d+)\s*</returncode>")
_OUTPUT = re.compile(r"<output>\n?(.*?)</output>", re.S)
_PARTS = re.compile(r"<output_(?:head|tail)>\n?(.*?)</output_(?:head|tail)>", re.S)


def read(data: bytes) -> Session:
    """The steps of a trajectory.

    Raises:
        UsageError: it is no trajectory of mini-swe-agent.
    """
    try:
        document = mapping(json.loads(data.decode("utf-8", "replace")))
    except ValueError as error:
        raise UsageError(f"this is no trajectory of mini-swe-agent: it is no JSON document ({error})") from error
    messages = list(objects(document.get("messages")))
    if not any(message.get("role") in ("assistant", "tool", "exit") or message.get("type") == "function_call_output" for message in messages):
        raise UsageError("this is no trajectory of mini-swe-agent: it holds no messages of an assistant")
    return Session(format="mini-swe-agent", steps=tuple(_steps(messages)))


def _steps(messages: list[dict[str, Any]]) -> Iterator[Step]:
    for index, message in enumerate(messages):
        if message.get("role") != "assistant":
            continue
        at, source = _time(message), f"message {index + 1}"
        text = text_of(message.get("content"))
        words = _BLOCK.sub("", text).strip()
        if words:
            yield Step(kind="said", text=words, at=at, source=source)
        following = _following(messages[index + 1 :])
        for place, (call, command) in enumerate(_commands(message, text)):
            answer = _answer(following, call, place)
            output, code = _observed(answer) if answer else ("", None)
            seconds = between(at, _time(answer)) if answer else 0.0
            yield Step(kind="command", text=command, output=output, exit_status=code, at=at, seconds=seconds, source=source)


def _following(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages up to the assistant's next turn."""
    end = next((index for index, message in enumerate(messages) if message.get("role") == "assistant"), len(messages))
    return messages[:end]


def _commands(message: dict[str, Any], text: str) -> list[tuple[str, str]]:
    """(tool call id, command) of every action of a turn."""
    actions = [
        (str(action.get("tool_call_id", "")), action["command"])
        for action in objects(mapping(message.get("extra")).get("actions"))
        if isinstance(action.get("command"), str)
    ]
    if actions:
        return actions
    for call in objects(message.get("tool_calls")):
        try:
            command = mapping(json.loads(str(mapping(call.get("function")).get("arguments")))).get("command")
        except ValueError:
            continue
        if isinstance(command, str):
            actions.append((str(call.get("id", "")), command))
    return actions or [("", command) for command in _BLOCK.findall(text)[:1]]


def _answer(following: list[dict[str, Any]], call: str, place: int) -> dict[str, Any] | None:
    own = next((message for message in following if call and message.get("tool_call_id", message.get("call_id")) == call), None)
    if own is not None:
        return own
    return following[place] if place < len(following) else None


def _observed(message: dict[str, Any]) -> tuple[str, int | None]:
    extra = mapping(message.get("extra"))
    text = text_of(message.get("content")) or str(message.get("output", ""))
    code = _CODE.search(text)
    told = status(extra.get("returncode"))
    if isinstance(extra.get("raw_output"), str):
        return extra["raw_output"], told if told is not None else int(code[1]) if code else None
    try:
        plain = mapping(json.loads(text))
    except ValueError:
        plain = {}
    if isinstance(plain.get("output"), str):
        return plain["output"], status(plain.get("returncode"))
    body = _OUTPUT.search(text)
    parts = [body[1]] if body else _PARTS.findall(text)
    return "\n...\n".join(parts) if parts else text, told if told is not None else int(code[1]) if code else None


def _time(message: dict[str, Any]) -> str:
    extra = mapping(message.get("extra"))
    return instant(extra.get("timestamp", message.get("timestamp")))
