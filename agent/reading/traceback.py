"""Python tracebacks in one stream of lines: frames, exception, message, and the chain they hang in. Pure."""

import re

from msgspec import Struct

from agent.reading.lines import Line

HEADER = "Traceback (most recent call last):"
_EXCEPTION = re.compile(r"(?P<type>[A-Za-z_][\w.]*(?:<locals>[\w.]*)?)(?:: ?(?P<message>.*)|$)", re.DOTALL)
_NAMES_EXCEPTION = re.compile(
    r"(?:[A-Za-z_]\w*\.)*(?:[A-Z]\w*(?:Error|Exception|Exit|Interrupt|NotFound|Failed|Failure|Timeout|Unavailable|Refused)|StopIteration|Exception)"
)
_BARE = re.compile(rf"(?P<type>{_NAMES_EXCEPTION.pattern}|[a-z_]\w*(?:\.\w+)*\.[A-Z]\w+(?=: ))(?:: ?(?P<message>.*)|$)", re.DOTALL)
_EMBEDDED = re.compile(rf"(?:^|[\s:(])(?P<type>{_NAMES_EXCEPTION.pattern}): (?P<message>.+)$", re.DOTALL)
_FRAME = re.compile(r'\s*File "(?P<file>[^"\n]+)", line \d+(?:, in (?P<function>\S+))?')
_LINKS = {
    "The above exception was the direct cause of the following exception:": "cause",
    "During handling of the above exception, another exception occurred:": "context",
}
_TALK = frozenset(("INFO", "DEBUG", "WARNING"))
_TALKS = re.compile(
    r"[Uu]sage: |\[ *\d+\.\d{6}\] |Process \S+:$|Fatal Python error|\[shutdown\]|Killed\b|Terminated\b|Aborted\b"
    r"|Segmentation fault|Illegal instruction|Bus error|\S+: line \d+: |\S*sh: "
)
_MESSAGE_LINES = 60
_FRAMES = 400
_READ = 2000


class Failure(Struct, frozen=True):
    """One exception as printed. `lines` are its own line and the further lines of its message, `header` what was said just before its traceback,
    `start` the first line of all.

    `code` is the statement that raised it, where it is shown.
    `link` tells how it hangs on the exception before it: ``cause`` (raised from it), ``context`` (while handling it), or not at all.
    `whole` is False for an exception line without its traceback.
    """

    type: str
    message: str
    lines: tuple[Line, ...]
    header: str
    frames: tuple[str, ...]
    start: Line
    link: str = ""
    whole: bool = True
    code: Line | None = None

    @property
    def name(self) -> str:
        """The class name without its module."""
        return self.type.rpartition(".")[2]


def chains(lines: tuple[Line, ...]) -> tuple[tuple[tuple[Failure, ...], ...], frozenset[int]]:
    """The exceptions in a stream, those that hang together as one chain; and the indices of all lines that belong to tracebacks."""
    found: list[list[Failure]] = []
    used: set[int] = set()
    link, index, last = "", 0, 0
    while index < len(lines):
        text = lines[index].text
        if HEADER in text:
            failure, stop = _traceback(lines, index, link)
        elif (kind := _LINKS.get(text.strip())) is not None and found:
            link, stop, failure = kind, index + 1, None
            used.add(index)
        else:
            failure, stop = _bare(lines, index)
        if failure is not None:
            used.update(range(index, stop))
            if link and found and index - last < 8:
                found[-1].append(failure)
            else:
                found.append([failure])
            link, last = "", stop
        index = max(stop, index + 1)
    return tuple(tuple(chain) for chain in found), frozenset(used)


def _traceback(lines: tuple[Line, ...], index: int, link: str) -> tuple[Failure | None, int]:
    """The exception whose traceback starts at `index`, and where the lines go on behind it."""
    header = lines[index].text.partition(HEADER)[0].strip(" +|:") or (lines[index - 1].text if index else "")
    frames: list[str] = []
    at = index + 1
    while at < len(lines):
        text = lines[at].text
        if lines[at].first:
            return None, at
        if lines[at].level in _TALK and lines[at].level != lines[index].level:
            at += 1
            continue
        frame = _FRAME.match(text)
        if frame is not None:
            if len(frames) < _FRAMES:
                frames.append(f"{frame['file']}:{frame['function'] or ''}")
        elif (text[:1] not in (" ", "\t") and text.strip()) or (not text.strip() and not frames):
            break
        at += 1
    if at >= len(lines) or HEADER in lines[at].text:
        return None, at
    match = _EXCEPTION.match(lines[at].text)
    if match is None:
        return None, at
    return _failure(lines, at, match, header=header, frames=tuple(frames), start=lines[index], link=link)


def _bare(lines: tuple[Line, ...], index: int) -> tuple[Failure | None, int]:
    """An exception line that stands alone (the log is cut, or a wrapper printed no more)."""
    line = lines[index]
    text = line.text[:_READ]
    if line.level in _TALK or (":" not in text and not _NAMES_EXCEPTION.search(text)):
        return None, index + 1
    match = _BARE.match(text) or _EMBEDDED.search(text) if line.text[:1] not in (" ", "\t") else None
    if match is None:
        return None, index + 1
    header = line.text[: match.start("type")].strip() or (lines[index - 1].text if index else "")
    return _failure(lines, index, match, header=header, frames=_frames_above(lines, index), start=line, link="", whole=False)


def _frames_above(lines: tuple[Line, ...], index: int) -> tuple[str, ...]:
    """The frames right above an exception whose traceback has lost its head."""
    frames: list[str] = []
    for line in reversed(lines[max(index - 30, 0) : index]):
        frame = _FRAME.match(line.text)
        if frame is not None:
            frames.append(f"{frame['file']}:{frame['function'] or ''}")
        elif line.text[:1] not in (" ", "\t"):
            break
    return tuple(reversed(frames))


def _failure(
    lines: tuple[Line, ...], at: int, match: re.Match[str], *, header: str, frames: tuple[str, ...], start: Line, link: str, whole: bool = True
) -> tuple[Failure, int]:
    stop = _message_end(lines, at)
    own = lines[at:stop]
    message = "\n".join([match["message"] or "", *(line.text for line in own[1:])]).rstrip()
    return Failure(match["type"], message, own, header, frames, start, link, whole, _code(lines, at)), stop


def _code(lines: tuple[Line, ...], at: int) -> Line | None:
    """The statement shown above the exception at `at`, over the line of carets."""
    for line in reversed(lines[max(at - 3, 0) : at]):
        if line.text[:1] not in (" ", "\t") or _FRAME.match(line.text):
            return None
        if line.text.strip(" \t^~"):
            return line
    return None


def _message_end(lines: tuple[Line, ...], at: int) -> int:
    """Behind the last line of the message that starts at `at`. A report may hold blank lines, other messages end at one."""
    # What begins with nothing (``ImportError:`` and a report under it) goes on behind blank lines as well.
    pydantic = "validation error" in lines[at].text
    report = pydantic or lines[at].text.rstrip().endswith(":")
    stop = at + 1
    while stop < len(lines) and stop - at < _MESSAGE_LINES:
        text = lines[stop].text
        if lines[stop].first or HEADER in text or text.strip() in _LINKS or lines[stop].process != lines[at].process:
            break
        if not text.strip() and not report:
            break
        if not pydantic and stop > at and (_BARE.match(text) or _is_talk(lines[stop], lines[at])):
            break
        stop += 1
        if pydantic and "For further information visit" in text and not _more_fields(lines, stop):
            break
    while stop > at + 1 and not lines[stop - 1].text.strip():
        stop -= 1
    return stop


def _more_fields(lines: tuple[Line, ...], stop: int) -> bool:
    """Whether a further field of a pydantic report follows at `stop`: its name, then an indented message."""
    if stop + 1 >= len(lines):
        return False
    name, message = lines[stop].text, lines[stop + 1].text
    return bool(re.fullmatch(r"[\w.\[\]`-]+", name)) and message.startswith("  ")


def _is_talk(line: Line, start: Line) -> bool:
    """Whether `line` is a log line of its own and no part of the message before it."""
    return (bool(line.level) and line.level != start.level) or bool(_TALKS.match(line.text))
