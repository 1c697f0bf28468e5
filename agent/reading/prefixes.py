"""What stands before the message of a log line: wrappers of containers and daemons, processes, logger prefixes of all eras. Pure."""

import json
import re

from msgspec import Struct

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_LEVELS = r"DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL|TRACE|NOTICE"
_DATE = r"\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?"
_ZONE = r"(?:Z|[+-]\d\d:?\d\d)?"

_PROCESS = re.compile(r"\((?P<name>[A-Za-z_][\w.:-]*)?(?: rank=\d+)? ?pid=(?P<pid>\d+)(?:, ip=[\w.:]+)?\) ?")
_RAYLET = re.compile(r"\((?P<name>raylet|autoscaler[^)]*|scheduler[^)]*)\) ?")
_RANK = re.compile(r"\[rank(?P<rank>\d+)\]: ?")
_BRACKET_DATE = re.compile(rf"\[{_DATE}{_ZONE}(?: (?P<name>[A-Z]{{2,3}}\d+(?: [A-Z]{{2,3}}\d+)*))?\] ?")
_BRACKET_GLOG = re.compile(r"\[(?P<level>[IWEF])\d{4} \d\d:\d\d:\d\d[.\d]*(?: +\d+)? (?P<logger>[\w./+-]+:\d+)\] ?")
_BRACKET_RAY = re.compile(rf"\[{_DATE} (?P<level>[IWEFCD]) \d+ \d+\] (?:\([\w-]+\) )?(?P<logger>[\w./]+:\d+): ?")
_BRACKET_POD = re.compile(r"\[(?:pod/)?[\w.-]+/[\w./-]+\] ")
_GLOG = re.compile(r"(?P<level>[IWEF])\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ (?P<logger>[\w./+-]+:\d+)\] ?")
_VLLM = re.compile(rf"(?P<level>{_LEVELS}) \d\d-\d\d \d\d:\d\d:\d\d (?:\[(?P<logger>[^\]\s]+:\d+)\]|(?P<older>[\w./]+:\d+)\]) ?")
_UVICORN = re.compile(rf"(?P<level>{_LEVELS}): {{2,}}")
_BASIC = re.compile(rf"(?P<level>{_LEVELS}):(?P<logger>[\w.]+):")
_BARE_LEVEL = re.compile(rf"\[?(?P<level>{_LEVELS})\]?(?:[ \t]+(?P<logger>[\w./]+(?:\.py)?:\d+)(?:\]| --| -)?|[ \t]*[:-]|[ \t]{{2,}})[ \t]*")
_LITELLM = re.compile(rf"\d\d:\d\d:\d\d - (?P<name>LiteLLM[\w ]*):(?P<level>{_LEVELS}): (?P<logger>[\w./]+:\d+) - ")
_ISO = re.compile(rf"{_DATE}{_ZONE}(?: std(?:out|err) [FP])?(?:[ \t]+-(?= )|:)?[ \t]")
_NAMED = re.compile(rf"(?:\d+ - )?(?P<logger>[\w.]+) - (?P<level>{_LEVELS}) - ")
_JOURNAL = re.compile(r"[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)? [\w.-]+ [^\s:\[\]]+(?:\[\d+\])?: ")
_COMPOSE = re.compile(r"(?:\d+\|)?[A-Za-z0-9][\w.-]*?(?:[-_]\d+ *| {2,})\| ?")
_GROUP = re.compile(r" {2,}(?:\| |\+ (?=Exception Group)|\+-\+?-+ ?[\w.]* ?-*\+?$)")

# First characters → the forms worth trying there, so that a line costs few regexes.
_PARENTHESIS = (_PROCESS, _RAYLET)
_SQUARE = (_BRACKET_DATE, _RANK, _BRACKET_GLOG, _BRACKET_RAY, _BRACKET_POD, _BARE_LEVEL)
_DIGIT = (_ISO, _LITELLM, _NAMED, _COMPOSE)
_LETTER = (_VLLM, _UVICORN, _BASIC, _GLOG, _BARE_LEVEL, _COMPOSE, _JOURNAL, _NAMED)
_GLOG_LEVELS = {"I": "INFO", "W": "WARNING", "E": "ERROR", "F": "CRITICAL", "C": "CRITICAL", "D": "DEBUG", "WARN": "WARNING", "FATAL": "CRITICAL"}


class Prefix(Struct, frozen=True):
    """What was taken off a line: the process (``APIServer pid=7``, ``rank0``), level and logger as far as they stand there; `text` is the rest."""

    process: str
    level: str
    logger: str
    text: str


def plain(text: str) -> str:
    """`text` without terminal escapes."""
    return _ANSI.sub("", text) if "\x1b" in text else text


def unwrapped(text: str) -> Prefix:
    """`text` (one line without its end) with every known prefix taken off, outermost first."""
    text = plain(text)
    process = level = logger = ""
    for _ in range(8):
        match = _first(text)
        if match is None:
            break
        groups = match.groupdict()
        if "pid" in groups:
            process = f"{groups['name'] or 'process'} pid={groups['pid']}"
        elif groups.get("rank"):
            process = process or f"rank{groups['rank']}"
        elif groups.get("name") and not level:
            process = process or groups["name"]
        level = groups.get("level") or level
        logger = groups.get("logger") or groups.get("older") or logger
        text = text[match.end() :]
    if text[:2] == "  " and (group := _GROUP.match(text)):
        text = text[group.end() :]
    return Prefix(process, _GLOG_LEVELS.get(level, level), logger, text)


def _first(text: str) -> re.Match[str] | None:
    start = text[:1]
    if start == "(":
        forms: tuple[re.Pattern[str], ...] = _PARENTHESIS
    elif start == "[":
        forms = _SQUARE
    elif start.isdigit():
        forms = _DIGIT
    elif start.isalpha():
        forms = _LETTER
    else:
        return None
    for form in forms:
        match = form.match(text)
        if match is not None and match.end():
            return match
    return None


def from_json(text: str) -> tuple[str, str] | None:
    """The message of a log line that is a JSON object (docker's json-file, JSON loggers), and its level; None where it is none."""
    if not text.startswith('{"') or not text.endswith("}"):
        return None
    try:
        value = json.loads(text)
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    for name in ("log", "message", "msg", "MESSAGE", "textPayload"):
        if isinstance(value.get(name), str):
            extra = next((value[key] for key in ("stacktrace", "exc_info", "traceback") if isinstance(value.get(key), str)), "")
            level = next((value[key] for key in ("level", "severity", "levelname") if isinstance(value.get(key), str)), "")
            return value[name].rstrip("\n") + ("\n" + extra if extra else ""), level.upper()
    return None
