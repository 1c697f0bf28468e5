"""Every place in a log that could be the root of its failure, with how much weight it has. Pure."""

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct, structs

from agent.reading.argparse_errors import is_argparse, read_argparse
from agent.reading.click_errors import is_click, read_click
from agent.reading.client_errors import is_client, read_client
from agent.reading.kind import OTHER, Kind
from agent.reading.kinds import kind_of_failure, kind_of_line
from agent.reading.lines import Line
from agent.reading.traceback import HEADER, Failure, chains

PARSER, FATAL, SAID, ERROR, HINT, VAGUE, ECHO = range(7)
"""Tiers, the weightiest first: an argument parser's last word; an exception or a line that ends programs; a telling line; a line at level
ERROR; a warning that may explain; a line that merely sounds like trouble; the echo of another failure."""

_ECHO = re.compile(
    r"Engine core initialization failed|EngineDeadError|EngineCore encountered an issue|WorkerProc initialization failed|Worker failed with error"
    r"|Engine process failed to start|No module named ['\"]proxy_server['\"]|RuntimeError: cancelled$|CancelledError"
    r"|KeyboardInterrupt(?!: terminated)|SystemExit"
    r"|GeneratorExit|BrokenPipeError|CalledProcessError: Command .* returned non-zero exit status"
    r"|See (?:root cause|stack trace)|see the stack trace above"
    r"|returned non-zero exit status|Engine loop is not running|The above exception|RuntimeError: Engine (?:loop|process)|MQEngineDeadError"
    r"|Rank \d+ scheduler died|Subprocess exited|child process failed|failed to be inspected|Error raised in subprocess"
    r"|ChildProcessError|Connection reset by peer"
    r"|zmq\.error\.(?:Again|ContextTerminated|ZMQError: (?:Resource temporarily|Interrupted|Operation cannot|Socket operation"
    r"|not a socket|Context))|EOFError$|InitializationError: .*(?:child|worker)|ExceptionGroup: |unhandled errors in a TaskGroup|TaskGroup \("
)
_BENIGN = re.compile(
    r"Failed to load plugin|Ignore import error|Exception ignored in|raised an exception$|never retrieved|Unclosed|fetch attempt"
    r"|Failed to import (?:from|Triton)|[Ff]alling back|(?:User|Future|Deprecation|Runtime|Syntax)Warning|errors like|can cause"
    r"|cannot be preloaded|from LD_PRELOAD|will be ignored|Exception in ASGI application|nanobind|resource_tracker"
)
# What introduces a failure that is survived; a mere warning on the line above introduces nothing.
_SURVIVED = re.compile(
    r"Failed to load plugin|Ignore import error|Exception ignored in|raised an exception$|never retrieved|Unclosed|fetch attempt"
    r"|Failed to import (?:from|Triton)|[Ff]alling back|cannot be preloaded|will be ignored|Exception in ASGI application"
)
_ENDS = frozenset(
    (
        "address-in-use",
        "killed",
        "credentials-missing",
        "missing-module",
        "interpolation",
        "exec-refused",
        "command-not-found",
        "container-exec",
        "undefined-symbol",
    )
)
_QUIET = frozenset(("INFO", "DEBUG", "WARNING"))
_USAGE = re.compile(r"[Uu]sage: ")
_MAY_BE_PARSER = re.compile(
    r"rror: |unknown (?:shorthand )?flag: |^Value .*cannot be converted|^(?:unrecognized arguments|argument -|ambiguous option)"
)
_USAGE_REACH = 2000


class Candidate(Struct, frozen=True):
    """A possible root: `line` is the decisive one, `start` the number of the first line of its report, `end` that of the last."""

    tier: int
    line: Line
    start: int
    end: int
    kind: Kind
    process: str = ""
    exception: str = ""
    message: str = ""
    header: str = ""
    frames: tuple[str, ...] = ()


def find_candidates(lines: tuple[Line, ...]) -> tuple[Candidate, ...]:
    """All candidates, in the order in which they stand in the log."""
    streams: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        if not line.is_progress:
            streams.setdefault(line.stream, []).append(line)
    found: list[Candidate] = []
    for stream in streams.values():
        found.extend(_in_stream(tuple(stream)))
    return tuple(sorted(found, key=lambda candidate: (candidate.start, candidate.line.number)))


def _in_stream(lines: tuple[Line, ...]) -> Iterator[Candidate]:
    parsers = list(_parser_errors(lines))
    yield from parsers
    found, used = chains(lines)
    taken = used | {index for index, line in enumerate(lines) if any(p.start <= line.number <= p.end for p in parsers)} if parsers else used
    numbers = {p.line.number for p in parsers}
    for chain in found:
        if chain[-1].lines[0].number not in numbers:
            yield _of_chain(chain)
    yield from _said(line for index, line in enumerate(lines) if index not in taken)


def _parser_errors(lines: tuple[Line, ...]) -> Iterator[Candidate]:
    usage = -_USAGE_REACH
    for index, line in enumerate(lines):
        text = line.text
        if _USAGE.match(text):
            usage = index
        if line.level in _QUIET or not _MAY_BE_PARSER.search(text):
            continue
        above = index - usage < _USAGE_REACH
        if is_argparse(text, usage_above=above):
            read = read_argparse
        elif is_click(text, usage_above=above):
            read = read_click
        elif is_client(text):
            read = read_client
        else:
            continue
        more = list(_continued(lines, index))
        kind = read("\n".join([text, *(one.text for one in more)]))
        yield Candidate(PARSER, line, line.number, more[-1].number if more else line.number, kind, line.process, message=text.partition("rror: ")[2])
        usage = -_USAGE_REACH


def _continued(lines: tuple[Line, ...], index: int) -> Iterator[Line]:
    """The further lines of a parser's message: a report of pydantic under it, or a value that holds line ends."""
    report = "validation error" in lines[index].text
    open_value = "Value " in lines[index].text and "cannot be converted" not in lines[index].text
    for line in lines[index + 1 : index + (20 if report or open_value else 1)]:
        if not line.text.strip() or line.level:
            return
        yield line
        if "For further information" in line.text or "cannot be converted" in line.text:
            return


def _of_chain(chain: tuple[Failure, ...]) -> Candidate:
    """The candidate that a chain of exceptions makes: its root, by what the exceptions say and how they hang together."""
    kinds = [kind_of_failure(failure) for failure in chain]
    at = _root(chain, kinds)
    failure, kind = chain[at], kinds[at]
    line = failure.lines[min(kind.line, len(failure.lines) - 1)]
    if failure.code is not None and not failure.message and failure.name == "AssertionError":
        line = failure.code
    process = next((one.process for one in (line, failure.lines[0], failure.start) if one.process), "")
    candidate = Candidate(
        FATAL,
        line,
        chain[0].start.number,
        chain[-1].lines[-1].number,
        kind,
        process,
        failure.type,
        failure.message,
        "\n".join(part.header for part in chain),
        failure.frames,
    )
    return _weighed(candidate, whole=any(part.whole for part in chain))


def _root(chain: tuple[Failure, ...], kinds: list[Kind]) -> int:
    """The index of the exception that says most: the last one with a kind of its own, or what it was raised from."""
    telling = [index for index, kind in enumerate(kinds) if not _is_echo(chain[index])]
    pool = [index for index in telling if kinds[index].specific] or telling or list(range(len(chain)))
    at = pool[-1]
    while chain[at].link and at - 1 in pool and (chain[at].link == "cause" or _same_import(kinds[at], kinds[at - 1])):
        at -= 1
    return at


def _same_import(one: Kind, other: Kind) -> bool:
    imports = ("missing-module", "import-name", "undefined-symbol")
    return one.value in imports and other.value in imports


def _is_echo(failure: Failure) -> bool:
    return bool(_ECHO.search(f"{failure.type}: {failure.message}".split("\n")[0]))


def _weighed(candidate: Candidate, *, whole: bool) -> Candidate:
    first = f"{candidate.exception}: {candidate.message}".split("\n")[0]
    if _ECHO.search(first) or _SURVIVED.search(candidate.header) or _BENIGN.search(first):
        tier = ECHO
    elif whole or candidate.kind.specific or candidate.line.text.startswith(candidate.exception):
        tier = FATAL
    else:
        tier = ERROR
    return structs.replace(candidate, tier=tier)


_NEGATIVE = re.compile(
    r"(?i)\b(?:cannot|can't|does ?n[o']t|do ?n[o']t|could ?n[o']t|unknown|requires?|incompatible|fail(?:ed|ure|s)|not found|invalid|error"
    r"|unable|refused|denied|unsupported|not supported|must be|no such|missing|killed|fatal|abort(?:ed)?|not enough|insufficient|pending|waiting)\b"
)
_LOGIN = re.compile(r"-\w*sh: ")
_NATIVE_FRAME = re.compile(r"\s*(?:frame )?#\d+[: ]|Exception raised from ")
_WARNS = re.compile(
    r"Not enough free disk space|with CUDA capability|\[c10d\].*(?:failed|retrying)|No available shared memory broadcast"
    r"|Waiting for creating a placement group|in headless mode|pthread_create failed|Resource temporarily unavailable|setting membind"
    r"|shared memory segment|trap invalid opcode|oom-kill|Killed process|OOMKilled|probe failed|failed (?:liveness|startup) probe"
    r"|FailedScheduling|FailedMount|OutOfcpu|OutOfmemory|nodes are available"
)
# What a line at level INFO may tell all the same; the others are not looked at any closer, for they are most of a log.
_TALK_TELLS = re.compile(rf"signal=SIG|undefined symbol|{_WARNS.pattern}")
# A kernel's log tells of every process that it killed; these are what the servers here call theirs.
_KILLED_OURS = re.compile(r"(?i)(?:Killed process \d+ \(|task=)(?:vllm|sglang|litellm|python|pt_main|ray::|uvicorn|gunicorn)")
_WAITS = re.compile(r"\[c10d\].*retrying|No available shared memory broadcast|Waiting for creating a placement group|in headless mode")


def _said(lines: Iterable[Line]) -> Iterator[Candidate]:
    """Candidates among the lines outside any traceback."""
    for line in lines:
        text = line.text
        if (
            not text
            or HEADER in text
            or (text[0] in " \t#|+-" and not _LOGIN.match(text) and "rror" not in text and not _WARNS.search(text))
            or _NATIVE_FRAME.match(text)
        ):
            continue
        if line.level in ("INFO", "DEBUG") and not _TALK_TELLS.search(text):
            continue
        kind = kind_of_line(text)
        if _WARNS.search(text) and kind is not None and kind.specific and kind.value not in _ENDS:
            tier = SAID if _KILLED_OURS.search(text) else ERROR if line.level == "ERROR" else HINT
            yield Candidate(tier, line, line.number, line.number, kind, line.process, message=text)
        elif kind is not None and kind.specific and (line.level not in _QUIET or "signal=SIG" in text):
            tier = FATAL if kind.value in _ENDS else SAID
            if _BENIGN.search(text) or _ECHO.search(text):
                tier = ECHO
            yield Candidate(tier, line, line.number, line.number, kind, line.process, message=text)
        elif kind is not None and kind.value == "undefined-symbol":
            yield Candidate(HINT, line, line.number, line.number, kind, line.process, message=text)
        elif _WARNS.search(text):
            waits = Kind("hang") if _WAITS.search(text) else Kind(OTHER, {"message": text[:400]})
            yield Candidate(ERROR if line.level == "ERROR" else HINT, line, line.number, line.number, waits, line.process, message=text)
        elif line.level not in _QUIET and (kind is not None or line.level or _NEGATIVE.search(text)):
            tier = ECHO if _ECHO.search(text) or _BENIGN.search(text) else ERROR if kind is not None or line.level else VAGUE
            yield Candidate(tier, line, line.number, line.number, kind or Kind(OTHER, {"message": text[:400]}), line.process, message=text)
