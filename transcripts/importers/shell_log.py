"""A plain shell log: what somebody copied from a terminal, prompts and all.

A prompt is recognised by its form (``$ ``, ``user@host:~/x# ``, ``[user@host x]$ ``, ``(venv) ❯ ``, ``PS C:\\> ``), and a bare ``# `` or ``% ``
counts only where no other prompt stands in the text. A command goes on while a quote, a here-document or a final backslash leaves it open; the
``> `` that the shell prints before such lines is no part of it. ``echo $?`` tells the exit status of the command before it.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import structs

from transcripts.errors import UsageError
from transcripts.importers.session import Session, Step
from transcripts.importers.terminal import Shown, shown

_VENV = r"(?:\([\w.\-/ ]+\)\s*)*"
_STAMP = r"(?:\[?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?Z?\]?\s+)?"
_PROMPTS = (
    re.compile(rf"^{_STAMP}{_VENV}\[?[\w.\-]+@[\w.\-]+[: ][^\s$#%❯>]*(?: [^\s$#%❯>\]]+)*\]?\s?[$#%❯]\s(?P<command>.*)$"),
    re.compile(rf"^{_STAMP}{_VENV}(?:[~/][\w./~\-]*\s)?[$❯➜]\s(?P<command>.*)$"),
    re.compile(r"^PS [^>]*>\s(?P<command>.*)$"),
    re.compile(rf"^{_VENV}(?:ba|z|da|k)?sh-[\d.]+[$#%]\s(?P<command>.*)$"),
)
_BARE = re.compile(rf"^{_VENV}[#%]\s(?P<command>\S.*)$")
_DOCUMENT = re.compile(r"<<(?P<dash>-?)\s*(?P<quote>['\"\\]?)(?P<word>[A-Za-z_]\w*)")
_STATUS = re.compile(r"echo\s+[\"']?(?:[\w=: ]*)\$(?:\?|\{\?\})[\"']?")
_MOST_OPEN = 2000


class _Prompted(NamedTuple):
    command: str
    line: int
    seconds: float


def read(data: bytes) -> Session:
    """The steps of a shell log.

    Raises:
        UsageError: no prompt is recognised in it.
    """
    lines = shown([(0.0, data.decode("utf-8", "replace"))])
    steps = steps_of(lines)
    if not steps:
        raise UsageError("no prompt is recognised in this shell log: a line such as '$ command' or 'user@host:~$ command' begins each step")
    return Session(format="shell", steps=steps)


def steps_of(lines: Sequence[Shown]) -> tuple[Step, ...]:
    """The steps of lines with prompts; `source` names the line, `seconds` is from a prompt to the next (times are relative, see `timed`)."""
    return _with_statuses([step for step, _ in placed(lines)])


def placed(lines: Sequence[Shown]) -> list[tuple[Step, float]]:
    """The steps with the seconds into the recording at which each was typed, without the statuses that a later ``echo $?`` tells."""
    prompts = _prompts(lines)
    found: list[tuple[Step, float]] = []
    index, count = 0, len(lines)
    while index < count:
        match = _prompted(lines[index].text, prompts)
        if match is None:
            index += 1
            continue
        start = index
        command, index = _whole(match, lines, index + 1)
        end = index
        while end < count and _prompted(lines[end].text, prompts) is None:
            end += 1
        output = "".join(line.text + "\n" for line in lines[index:end])
        last = lines[end].seconds if end < count else lines[end - 1].seconds
        seconds = round(max(last - lines[start].seconds, 0.0), 3)
        if command.strip():
            step = Step(kind="command", text=command, output=output, seconds=seconds, source=f"line {start + 1}")
            found.append((step, lines[start].seconds))
        index = end
    return found


def _prompts(lines: Sequence[Shown]) -> tuple[re.Pattern[str], ...]:
    clear = any(pattern.match(line.text) for line in lines for pattern in _PROMPTS)
    return _PROMPTS if clear else (_BARE,)


def _prompted(text: str, prompts: Sequence[re.Pattern[str]]) -> str | None:
    # a prompt with nothing typed after it has lost the space that ended it
    for pattern in prompts:
        match = pattern.match(text) or pattern.match(text + " ")
        if match:
            return match["command"]
    return None


def _whole(command: str, lines: Sequence[Shown], index: int) -> tuple[str, int]:
    """The command with the lines that it was continued on, and the index of the first line of its output."""
    start, first = index, command
    while index < len(lines) and is_open(command) and index - start < _MOST_OPEN:
        text = lines[index].text
        command += "\n" + (text[2:] if text.startswith("> ") else "" if text == ">" else text)
        index += 1
    # a quote that is never closed was no open command but a command that is wrong
    return (first, start) if is_open(command) and index - start > 0 else (command, index)


def is_open(command: str) -> bool:
    """Whether a shell would ask for another line: a quote, a here-document or a final backslash leaves the command open."""
    quote, position = "", 0
    while position < len(command):
        character = command[position]
        if character == "\\" and quote != "'":
            if position + 1 >= len(command):
                return True
            position += 2
            continue
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif command.startswith("<<", position) and not command.startswith("<<<", position) and command[position - 1 : position] != "<":
            after = _after_document(command, position)
            if after < 0:
                return True
            if after:
                position = after
                continue
        elif character == "#" and (position == 0 or command[position - 1] in " \t\n;"):
            position = command.find("\n", position)
            if position < 0:
                return False
        position += 1
    return bool(quote)


def _after_document(command: str, position: int) -> int:
    """Where a here-document that begins at `position` ends (0: it is none, -1: not yet)."""
    match = _DOCUMENT.match(command, position)
    if match is None:
        return 0
    tabs = r"\t*" if match["dash"] else ""
    end = re.compile(rf"^{tabs}{re.escape(match['word'])}$", re.M).search(command, command.find("\n", position) + 1)
    return end.end() if end and "\n" in command[position:] else -1


def _with_statuses(steps: list[Step]) -> tuple[Step, ...]:
    """The steps with the exit status that a following ``echo $?`` printed."""
    return tuple(_told(step, steps[index + 1] if index + 1 < len(steps) else None) for index, step in enumerate(steps))


def _told(step: Step, following: Step | None) -> Step:
    if following is None or not _STATUS.fullmatch(following.text.strip()):
        return step
    number = re.search(r"-?\d+", following.output)
    return structs.replace(step, exit_status=int(number[0])) if number else step


def statuses(steps: Sequence[Step]) -> Iterator[Step]:
    """`steps` with the exit statuses that later ones tell."""
    return iter(_with_statuses(list(steps)))
