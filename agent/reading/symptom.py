"""What a log proves: the decisive line and its signs. Pure: an excerpt in, a symptom out.

The decisive line is not the last one. An argument parser's last word ends the program whatever was logged before; else the root is what
came first among the failures that ended something: echoes of another failure, failures after which the launch went on, and mere
warnings stand back, unless one of those warnings explains the crash (an extension that does not load, then its missing operator).
"""

import json
import re
from collections.abc import Iterator, Sequence

from msgspec import structs

from agent.reading.candidates import ECHO, ERROR, FATAL, HINT, PARSER, SAID, VAGUE, Candidate, find_candidates
from agent.reading.commands import SUBCOMMANDS, is_command, is_program
from agent.reading.exits import exit_class
from agent.reading.kind import OTHER, Kind
from agent.reading.launches import last_launch
from agent.reading.lines import Line, read_lines
from agent.reading.memory_of import memory_of
from agent.reading.phases import Progress, progress
from agent.reading.topics import of_settings, topic_of
from probes.frameworks.framework import Framework
from probes.launches.shapes import shape_of
from transcripts.records import Excerpt, Sign, Symptom

_SHAPED = frozenset(
    (
        "converter-refused",
        "json-invalid",
        "unrecognised",
        "invalid-choice",
        "invalid-value",
        "takes-no-value",
        "invalid-subcommand",
        "command-not-found",
        "repository-invalid",
    )
)
_PLAIN_SHAPES = frozenset(("path", "intact", "word"))
# A model or a command is mostly a plain word or a path: its shape tells only where it is neither.
_SHAPED_IF_ODD = frozenset(("repository-invalid", "repository-not-found", "no-such-file", "container-exec"))
_SAY_LITTLE = frozenset((OTHER, "validation", "invalid-value", "device", "attribute-missing"))
# What ranks, kernels and compilers say when they fail is mostly about something else that another line names.
_REASONS = {
    "collective": ("shared-memory", "compute-capability", "memory", "host-memory", "limit", "ranks"),
    "service": ("offline",),
    "device-fault": ("compute-capability", "driver", "memory"),
}
_SIGNALLED = frozenset(("killed", "terminated", "crashed"))
_ECHOING = frozenset(("toolchain", "collective", "device-fault", "service"))
_IMPORTS = frozenset(("missing-module", "import-name", "attribute-missing", "signature-mismatch"))
_FRAMEWORKS = frozenset(("vllm", "sglang", "litellm"))
_PACKAGE = re.compile(r"(?:site|dist)-packages/(\w+)")
_SETTINGS = re.compile(r"sglang/srt/(?:server_args|arg_groups/pipeline)\.py")
_ENGINE = re.compile(r"EngineCore|Worker|Scheduler|Engine", re.IGNORECASE)
_ENDED = re.compile(r"Application startup failed|EngineCore (?:hit|encountered)|hit an exception|failed to start|fatal error", re.IGNORECASE)
_CUT_HEAD = re.compile(r"\s+(?:File \"|return |await |raise |self\.|\^+)|\s{4,}\S")
_CUT_TAIL = re.compile(r" +File \"|    +(?:return|raise|await|self|[a-z_]+\()|.*Traceback \(most recent call last\):$")
_NATIVE = re.compile(r"\b_(?:\w*_)?C\b|_OpNamespace|torch\.ops|_rocm_C|_moe_C|_custom_ops|flash_attn")


def read_symptom(excerpt: Excerpt, framework: Framework | None = None, *, exit_status: int | None = None, ended: bool = True) -> Symptom:
    """What `excerpt` proves, read as a log of `framework` (None: whichever its marks show).

    `exit_status` is evidence where no line tells why it ended; `ended` is False for a process that was still running when its log was taken.
    """
    lines = last_launch(read_lines(excerpt))
    passed = progress(lines, framework)
    found = find_candidates(lines)
    whole = _is_whole(excerpt, lines, passed)
    root = _root(found, passed, ended=ended)
    if root is not None:
        if root.kind.value == "hang" and exit_status is not None:
            root = structs.replace(root, kind=Kind(OTHER, {"message": root.message[:400]}))
        symptom = _of_root(root, passed, whole, framework)
        return structs.replace(symptom, signs=(*symptom.signs, *_signalled(root, framework, exit_status)))
    last = passed.name(lines[-1].number) if lines else ""
    signs = []
    if passed.up:
        signs.append(Sign(variable="error", value="up", source=f"log:{passed.up}"))
    elif not ended or (not excerpt.binary and (not lines or (whole and passed.marks))):
        signs.append(Sign(variable="error", value="hang" if not ended else "none", parameters={} if ended else {"phase": last}, source="log"))
    if last and not passed.up:
        signs.append(Sign(variable="phase", value=last, source="log"))
    if exit_status is not None:
        signs.append(Sign(variable="exit", value=exit_class(exit_status), parameters={"status": str(exit_status)}, source="exit"))
    return Symptom(phase=last, signs=tuple(signs), whole=whole)


def _signalled(root: Candidate, framework: Framework | None, status: int | None) -> Iterator[Sign]:
    """The exit by a signal, beside a line that is mostly the echo of another process's end.

    SGLang ends itself by SIGKILL after any error, so there it tells nothing.
    """
    if status is None or exit_class(status) not in _SIGNALLED or root.kind.value not in _ECHOING:
        return
    if framework is None or framework.name != "sglang":
        yield Sign(variable="exit", value=exit_class(status), parameters={"status": str(status)}, source="exit")


def _root(found: Sequence[Candidate], passed: Progress, *, ended: bool) -> Candidate | None:
    """The candidate that the launch died of; None for a log that came up, or that holds none."""
    standing = [candidate for candidate in found if candidate.tier != ECHO and not _overcome(candidate, passed)]
    if passed.up:
        standing = [candidate for candidate in standing if _ends_server(candidate, found, passed.up)]
    # A shell that runs an option as a command has cut the line that the server got: whatever that died of comes from there.
    cut = [c for c in standing if c.kind.value != "container-exec" and c.kind.parameters.get("command", "").startswith("-")]
    if cut:
        return cut[0]
    # A program that still runs survived whatever it merely logged.
    for tier in (PARSER, FATAL, SAID, ERROR) if ended else (PARSER, FATAL, SAID):
        members = [candidate for candidate in standing if candidate.tier == tier]
        if members:
            return _explained(_first(members), found)
    if passed.up:
        return None
    for tier in (HINT, VAGUE) if ended else (HINT,):
        members = [candidate for candidate in standing if candidate.tier == tier]
        if members:
            return members[0]
    echoes = [candidate for candidate in found if candidate.tier == ECHO and not _overcome(candidate, passed) and _is_last_word(candidate)]
    if not echoes:
        return None
    # The kind of an echo is not the kind of what it echoes, save that a compiler's own end is all that it leaves.
    compiled = next((candidate for candidate in echoes if candidate.kind.value == "toolchain"), None)
    return compiled or structs.replace(echoes[0], kind=Kind(OTHER, {"message": echoes[0].message[:400]}))


def _first(members: Sequence[Candidate]) -> Candidate:
    """The first that came, save that an asked-for end (SIGTERM) stands back behind what failed by itself."""
    asked = [candidate for candidate in members if candidate.kind.parameters.get("signal") == "SIGTERM"]
    rest = [candidate for candidate in members if candidate not in asked]
    specific = [candidate for candidate in rest if candidate.kind.specific or candidate.tier == FATAL]
    # An exception without a word (a bare assertion aside) is told by what follows it.
    telling = [candidate for candidate in specific if candidate.kind.specific or candidate.message.strip() or "Assertion" in candidate.exception]
    return next(iter(telling or specific or rest or asked))


def _overcome(candidate: Candidate, passed: Progress) -> bool:
    """Whether the launch went on after it."""
    return candidate.tier != PARSER and passed.went_on(candidate.start, candidate.process)


def _ends_server(candidate: Candidate, found: Sequence[Candidate], up: int) -> bool:
    """Whether a candidate of a log that came up ended the server again."""
    if candidate.tier == PARSER:
        return candidate.start > up
    if candidate.start < up:
        return any(other.start > up and "Application startup failed" in other.message for other in found)
    if candidate.kind.value in ("address-in-use", "killed"):
        return True
    return bool(_ENGINE.search(candidate.process) or _ENDED.search(candidate.header) or _ENDED.search(candidate.message))


def _is_last_word(candidate: Candidate) -> bool:
    return bool(candidate.exception) and "asyncio" not in candidate.exception


def _explained(root: Candidate, found: Sequence[Candidate]) -> Candidate:
    """The warning above `root` that explains it, or `root`: what an extension lacks is missing because the extension did not load."""
    reasons = _REASONS.get(root.kind.value, ())
    if reasons:
        return next((other for other in found if other.kind.value in reasons and other.tier != ECHO), root)
    symptom = f"{root.kind.parameters.get('object', '')} {root.kind.parameters.get('module', '')} {root.message}"
    if root.kind.value not in ("attribute-missing", "missing-module", "import-name", "other", "device") or not _NATIVE.search(symptom):
        return root
    return next((hint for hint in found if hint.kind.value == "undefined-symbol" and hint.start < root.start), root)


def _named_in_a_file(root: Candidate) -> Kind:
    """The kind of the root: a module that LiteLLM's configuration names, looked up beside that file, is a file that is missing and no package."""
    last = next((frame for frame in reversed(root.frames) if "importlib" not in frame), "")
    if root.kind.value == "missing-module" and "litellm/proxy/types_utils/utils.py" in last:
        return Kind("no-such-file", {"path": root.kind.parameters["module"].replace(".", "/") + ".py"})
    return root.kind


def _of_root(root: Candidate, passed: Progress, whole: bool, framework: Framework | None) -> Symptom:
    kind = _named_in_a_file(root)
    source = f"log:{root.line.number}"
    phase = "arguments" if kind.parser else passed.name(root.line.number) or _resolving(root)
    parameters = dict(kind.parameters)
    owner = parameters.get("module", "").partition(".")[0]
    if kind.value == "missing-module" and framework is not None and owner in _FRAMEWORKS - {framework.name}:
        # Whose log it is: another framework that is missing is a package like any other.
        parameters.setdefault("importer", framework.name)
    if kind.value == "hang":
        parameters.setdefault("phase", phase)
    signs = [Sign(variable="error", value=kind.value, parameters=parameters, source=source)]
    signs.extend(_shape(kind, parameters, source))
    signs.extend(_topic(root, source))
    signs.extend(_raised_beside(root, source))
    wanted = memory_of(kind, root.message or root.line.text, root.frames, phase)
    if wanted:
        signs.append(Sign(variable="memory-of", value=wanted, source=source))
    if phase and not kind.parser:
        signs.append(Sign(variable="phase", value=phase, source=source))
    return Symptom(
        line=root.line.text.rstrip(),
        line_number=root.line.number,
        offset=root.line.offset,
        exception=root.exception,
        message=root.message,
        process=root.process.partition(" pid=")[0],
        phase=phase,
        values=_values(parameters),
        signs=tuple(signs),
        whole=whole,
    )


def _resolving(root: Candidate) -> str:
    """The phase of an error before the first mark: SGLang resolves its settings without a word, and only the frames tell of it."""
    return "config" if any(_SETTINGS.search(frame) for frame in root.frames) else ""


def _shape(kind: Kind, parameters: dict[str, str], source: str) -> Iterator[Sign]:
    """The shape of the value that the error shows."""
    value = next((parameters[name] for name in ("value", "model", "path") if name in parameters), None)
    if value is None or kind.value not in _SHAPED | _SHAPED_IF_ODD:
        return
    shape = "typographic" if "$'\\r'" in value else shape_of(value, wants_json=kind.wants_json).replace("_", "-")
    if _is_rest_of_command(kind, value, shape):
        shape = "command"
    elif kind.value == "unrecognised" and shape == "intact":
        shape = "word"
    if kind.value in _SHAPED or shape not in _PLAIN_SHAPES:
        about = {name: text for name, text in parameters.items() if name in ("flag", "model", "path", "command")} | {"value": value}
        yield Sign(variable="shape", value=shape, parameters=about, source=source)


def _is_rest_of_command(kind: Kind, value: str, shape: str) -> bool:
    """Whether the value is a word of a command that went to a program which already is the one that the command names."""
    if shape not in _PLAIN_SHAPES:
        return False
    if kind.value == "unrecognised":
        return is_command([str(token) for token in json.loads(kind.parameters["tokens"])])
    if kind.value == "container-exec":
        return value in SUBCOMMANDS
    if kind.value == "invalid-subcommand":
        return is_program(value)
    return kind.value != "command-not-found" and (value in SUBCOMMANDS or (is_program(value) and not value.endswith((".py", ".sh"))))


def _topic(root: Candidate, source: str) -> Iterator[Sign]:
    """What the message speaks of, for the kinds of error that say little by themselves."""
    if root.kind.value not in _SAY_LITTLE or root.kind.parser:
        return
    told = [root.kind.parameters.get(name, "") for name in ("class", "field", "message")]
    if not root.message:
        # A bare assertion: what it asserts, and where, is all that it says.
        told += [root.line.text, *(frame.rpartition("site-packages/")[2] for frame in root.frames[-2:])]
    topic = topic_of(" ".join((f"{root.exception}: {root.message}" if root.exception else root.message, *told)))
    topic = topic or of_settings(root.message or root.line.text, root.frames, root.kind.parameters.get("class", ""))
    if topic:
        yield Sign(variable="topic", value=topic, source=source)


def _raised_beside(root: Candidate, source: str) -> Iterator[Sign]:
    """The package that asked the framework for something which it does not have, where that is another one."""
    asked = root.kind.parameters.get("module", root.kind.parameters.get("function", ""))
    packages = [match[1] for frame in root.frames if (match := _PACKAGE.search(frame))]
    if root.kind.value not in _IMPORTS or asked.partition(".")[0] not in _FRAMEWORKS or not packages or packages[-1] in _FRAMEWORKS:
        return
    yield Sign(variable="companion", value="named", parameters={"companion": packages[-1]}, source=source)


def _values(parameters: dict[str, str]) -> tuple[str, ...]:
    """The values that the decisive line quotes, without its words about them."""
    if "tokens" in parameters:
        return tuple(json.loads(parameters["tokens"]))
    names = ("value", "path", "module", "name", "object", "symbol", "model", "port", "command", "key")
    return tuple(parameters[name] for name in names if parameters.get(name))


def _is_whole(excerpt: Excerpt, lines: Sequence[Line], passed: Progress) -> bool:
    """Whether the log begins at its beginning and ends at its end, as far as it shows."""
    if excerpt.binary:
        return False
    if not lines:
        return True
    last = next((line.text for line in reversed(lines) if line.text.strip()), "")
    if excerpt.pieces[0].offset or _CUT_HEAD.match(lines[0].text) or _CUT_TAIL.match(last):
        return False
    # A launch has no weights before it had arguments: marks that begin late are those of a log whose head is missing.
    return not passed.marks or passed.marks[0].order <= 3
