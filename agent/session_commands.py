"""What a command of somebody's session was for, as far as it concerns a server that does not start: pure functions of its text.

A command is only ever read: never executed, and never completed by anything that is not in the session.
"""

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from probes.frameworks.catalogue import FRAMEWORKS, by_name
from probes.frameworks.framework import Framework

Use = Literal["help", "signature", "version", "log", "request", "other"]

_WORDS = r"(?:>&|&>|[^|;&\n\"']|\"[^\"\n]*\"){0,400}?"
_NAMES = "|".join(framework.name for framework in FRAMEWORKS)
_PROGRAM = rf"(?<![\w-])(?:{_NAMES})\b|python[\d.]*\s+-m\s+(?:{_NAMES})[\w.]*"
_HELP = re.compile(rf"(?P<program>{_PROGRAM})(?P<words>{_WORDS})\s(?P<help>-h|--help(?:=[\w\-]+)?)(?![\w-])(?:>&|&>|[^|;\n&])*(?P<filter>\|[^;\n]*)?")
_PATTERN = re.compile(r"\b(?:grep|egrep|rg|ag|ack|findstr)\b(?P<words>[^|\n]*)")
_SIGNATURE = re.compile(
    r"(?:inspect\.(?:signature|getfullargspec|getsource|getmembers)|dataclasses\.fields|__dataclass_fields__|__annotations__|help)\b"
    r"(?s:.{0,200}?)\b(?P<name>\w*(?:EngineArgs|ServerArgs))\b|\b(?P<first>\w*(?:EngineArgs|ServerArgs))\b(?s:.{0,200}?)"
    r"(?:__dataclass_fields__|__annotations__|inspect\.signature)"
)
_VERSION = re.compile(
    rf"\bpip3?\s+(?:show|freeze|list)\b|\bpip\s+index\b|(?:{_NAMES})\s+(?:--version|-v)\b|__version__|metadata[\s.(].{{0,40}}version|\bconda\s+list\b"
)
_READERS = re.compile(r"(?:^|[;&|(\n]\s*|\bsudo\s+|['\"]\s*)(?:tail|cat|head|less|more|grep|egrep|rg|sed|awk|bat)\s(?P<words>[^|;&\n]*)")
_LOGS = re.compile(
    r"\b(?:docker|podman|nerdctl|kubectl)\s+(?:compose\s+)?logs\b|\bjournalctl\b|: output of a background command|\btmux\s+capture-pane"
)
_LOG_NAME = re.compile(r"\.(?:log|out|err)(?:\.\d+)?$|(?:^|/)(?:nohup|stdout|stderr)[\w.]*$|log[\w\-]*(?:\.txt)?$", re.I)
_REDIRECTED = re.compile(r"(?:&>>?|(?<![\d&<])1?>>?|\btee\s+(?:-a\s+)?)\s*(?P<path>[\w./~\-{}$+:]+)")
_REQUEST = re.compile(r"\b(?:curl|wget|http|https)\b.*?/(?P<path>v1/[\w/]+|health\w*|generate|models)")
_DOCUMENT = re.compile(r"\b(?:cat|tee)\b(?P<before>[^\n|<]*)<<-?\s*\\?['\"]*(?P<word>[A-Za-z_]\w*)['\"]*(?P<after>[^\n]*)\n")
_ECHOED = re.compile(r"(?:echo|printf)\s+(?:-\w+\s+)?(?P<text>'[^']*'|\"(?:[^\"\\]|\\.)*\")\s*>\s*(?P<path>[\w./~\-]+)")
_COPIED = re.compile(r"\b(?:scp|cp|rsync)\s+(?:-\S+\s+)*(?P<from>[\w./~\-]+)\s+(?P<to>[\w./~@:\-]+)")
_LONGEST = 20_000  # characters
_NESTED = ("'\"'\"'", "'\\''")
_OPERATORS = re.compile(r"[;&|\n]|\bnohup\b|\bssh\b")


class HelpAsked(NamedTuple):
    """A look into a program's help: of which framework, in which mode (``plain``, ``full``), and what was grepped for (empty: all was shown)."""

    framework: Framework
    mode: str
    pattern: str
    filtered: bool


def plain(command: str) -> str:
    """The command with the quotes that nest one shell in another undone, for a look at its words: those that a person would still look at."""
    return _unnested(command[:_LONGEST])


def _unnested(command: str) -> str:
    for nested in _NESTED:
        command = command.replace(nested, "'")
    return command


def use_of(command: str) -> Use:
    """What the command asks, where it launches nothing."""
    text = plain(command)
    if _HELP.search(text):
        return "help"
    if _SIGNATURE.search(text):
        return "signature"
    if _VERSION.search(text):
        return "version"
    if _REQUEST.search(text):
        return "request"
    return "log" if _LOGS.search(text) or any(True for _ in logs_read(text)) else "other"


def help_asked(command: str) -> HelpAsked | None:
    """What was looked for in which help; None where no help was asked for."""
    match = _HELP.search(plain(command))
    framework = framework_named(match["program"]) if match else None
    if match is None or framework is None:
        return None
    words = f"{match['words']} {match['help']}".split()
    full = all(word in words for word in framework.full_help)
    filtered = match["filter"] or ""
    found = _PATTERN.search(filtered)
    return HelpAsked(framework, "full" if full else "plain", _pattern(found["words"]) if found else "", bool(filtered.strip("| '\"")))


def _pattern(words: str) -> str:
    """The pattern among the words of a grep."""
    try:
        split = shlex.split(words)
    except ValueError:
        split = words.replace('"', " ").replace("'", " ").split()
    takes = False
    for index, word in enumerate(split):
        if word in ("-e", "--regexp", "--"):
            return split[index + 1] if index + 1 < len(split) else ""
        if takes or (word.startswith("-") and not word.startswith(("--spec", "-\\-")) and len(word) > 1):
            takes = not takes and word in ("-A", "-B", "-C", "-m", "-f")
            continue
        return word
    return ""


def bare(pattern: str) -> tuple[str, ...]:
    """The plain alternatives of a grep's pattern (``\\-\\-spec`` is ``--spec``)."""
    unescaped = re.sub(r"\\(?=[\-.\[\]^$*])", "", pattern).replace("\\|", "|")
    return tuple(word for part in unescaped.split("|") if (word := re.sub(r"[\^$\[\]*+?()]|\.\*|\\[bwsd]", "", part).strip()))


def asked_about(pattern: str, flags: Mapping[str, None]) -> str:
    """The flag that a grep asks about: one of those in question that the pattern would find, else the pattern as a flag."""
    words = bare(pattern)
    for word in words:
        stem = word.lower().replace("_", "-").lstrip("-")
        found = next((flag for flag in flags if stem and stem in flag.lower()), "")
        if found:
            return found
    return "--" + words[0].lstrip("-") if words and re.fullmatch(r"-*[A-Za-z][\w\-]*", words[0]) else next(iter(flags), "")


def api_inspected(command: str) -> str:
    """The class whose signature was looked at, or an empty text."""
    match = _SIGNATURE.search(plain(command))
    return (match["name"] or match["first"]) if match else ""


def logs_read(command: str) -> Iterator[str]:
    """The files that look like logs among those that the command shows."""
    for match in _READERS.finditer(plain(command)):
        for word in match["words"].replace('"', " ").replace("'", " ").split():
            if not word.startswith("-") and _LOG_NAME.search(word):
                yield word


def log_shown(command: str) -> str:
    """The log that the command shows: a file's path, or the command that printed it."""
    return next(logs_read(command), "") or (plain(command).strip().splitlines() or [""])[0][:200]


def logs_written(command: str) -> tuple[str, ...]:
    """The files to which the command sends output."""
    return tuple(match["path"] for match in _REDIRECTED.finditer(plain(command)) if match["path"] not in ("/dev/null", "&1", "&2"))


def answers(output: str) -> bool:
    """Whether a server's answer to a request stands in the output: choices of a completion, or a list of models."""
    return re.search(r"\"(?:choices|text)\"\s*:\s*\[|\"object\"\s*:\s*\"list\"", output) is not None


def framework_named(text: str) -> Framework | None:
    """The framework that a text names first, or None."""
    match = re.search(rf"(?<![A-Za-z])({_NAMES})(?![A-Za-z])", text)
    return by_name(match[1]) if match else None


def own_status(command: str) -> bool:
    """Whether the command's exit status is the launched program's own: no pipe, no list, no background, no other host."""
    return _OPERATORS.search(re.sub(r"\d?>&\d|&>", "", command.strip())) is None


def files_written(command: str) -> Iterator[tuple[str, str]]:
    """(path, text) of every file whose content stands in the command: here-documents, ``echo … > FILE``."""
    text = _unnested(command)
    for words, document in _documents(text):
        target = re.search(r">>?\s*['\"]?(?P<path>[^\s'\"<>|;&]+)", words) or re.search(r"^\s*(?:-a\s+)?['\"]?(?P<path>[/~\w.][^\s'\"<>|;&]*)", words)
        if target is not None:
            yield target["path"], document
    for match in _ECHOED.finditer(text):
        yield match["path"], match["text"][1:-1] + "\n"


def _documents(text: str) -> Iterator[tuple[str, str]]:
    """(the words around it, the text) of every here-document that is closed."""
    position = 0
    open_words: set[str] = set()
    while match := _DOCUMENT.search(text, position):
        position = match.end()
        if match["word"] in open_words:
            continue
        end = re.compile(rf"^\s*{re.escape(match['word'])}(?=['\"]?\s*$|['\"\s;)&])", re.M).search(text, position)
        if end is None:
            open_words.add(match["word"])
            continue
        yield f"{match['before']} {match['after']}", text[position : end.start()]
        position = end.end()


def files_copied(command: str) -> Iterator[tuple[str, str]]:
    """(from, to) of every file that the command copies; the host before a path is left out."""
    for match in _COPIED.finditer(plain(command)):
        target = match["to"].rpartition(":")[2]
        name = match["from"].rpartition("/")[2]
        yield match["from"], target + name if target.endswith("/") else target
