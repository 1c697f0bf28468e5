"""From an exception, or a line that stands alone, to the kind of error it is. Pure."""

import json
import re

from agent.reading.kind import OTHER, Kind
from agent.reading.pydantic_errors import is_pydantic, read_pydantic
from agent.reading.rule import Rule, Rules
from agent.reading.rules import RULES
from agent.reading.traceback import Failure

_SIGNALS = {"4": "SIGILL", "6": "SIGABRT", "7": "SIGBUS", "9": "SIGKILL", "11": "SIGSEGV", "15": "SIGTERM"}
_YAML = re.compile(r"(?:yaml|ruamel\.yaml)\.\w+\.(?:\w*Error)|\b(?:ParserError|ScannerError|ComposerError|ConstructorError|YAMLError)\b")
_MARK = re.compile(r'in "(?P<path>[^"]+)", line (?P<line>\d+)')
_CONFIG_FRAME = re.compile(r"(?:litellm/proxy/proxy_server\.py:(?:load_config|_load_\w+|get_config|initialize)|litellm/router\.py)")
_KEY = re.compile(r"KeyError: ['\"](?P<key>[\w.-]+)['\"]|(?:missing|required)\W+(?P<other>[\w.]+)")
_EXEC_FRAME = re.compile(r"subprocess\.py:_execute_child|os>?\.?(?:py)?:_?exec|asyncio/base_events\.py:subprocess")
_QUOTED = re.compile(r"(['\"])(.*)\1$")


_ALL = Rules(RULES)
_ALONE = Rules(tuple(rule for rule in RULES if rule.alone))
_CREDENTIALS = Rules(tuple(rule for rule in RULES if rule.value == "credentials-missing"))
_READ = 2000
"""Characters of a line that the rules see: what a line says stands at its start, and patterns must not be led on by megabytes."""


def kind_of_failure(failure: Failure) -> Kind:
    """The kind of an exception: by its class and the lines of its message, where needed by the frames it passed."""
    lines = f"{failure.type}: {failure.message}".split("\n")
    for read in (_pydantic, _yaml, _refused, _executed):
        kind = read(failure, lines)
        if kind is not None:
            return kind
    found = _imported(_best(lines, _ALL), failure)
    if found is None and any(map(_TOKENIZER_FRAME.search, failure.frames[-3:])):
        found = Kind("no-tokenizer", {"exception": failure.name, "message": failure.message[:400]})
    return found or Kind(OTHER, {"exception": failure.name, "message": failure.message[:400]})


_TOKENIZER_FRAME = re.compile(
    r"tokenization_\w+\.py|sentencepiece/|tokenizers?/\w+\.py:(?:get_tokenizer|from_pretrained)|transformers_utils/tokenizer\w*\.py"
)
_FRAMEWORK_FRAME = re.compile(r"(?:site|dist)-packages/(?P<package>vllm|sglang|litellm)/|/(?P<tree>sglang)/python/sglang/")


_HUB_FRAME = re.compile(r"(?:site|dist)-packages/(?:huggingface_hub|modelscope)/|transformers/utils/hub\.py")


def _imported(kind: Kind | None, failure: Failure) -> Kind | None:
    """A module that is missing, with the framework whose file imports it: to another framework it is a package like any other."""
    if kind is not None and kind.value == "service" and any(map(_HUB_FRAME.search, failure.frames)):
        return Kind("offline", kind.parameters, kind.line)
    if kind is None or kind.value != "missing-module" or not failure.frames:
        return kind
    match = _FRAMEWORK_FRAME.search(failure.frames[-1])
    return Kind(kind.value, {**kind.parameters, "importer": match["package"] or match["tree"]}, kind.line) if match else kind


def kind_of_line(text: str) -> Kind | None:
    """The kind that a line says by itself, outside any traceback; None where it says none."""
    return _best([text], _ALONE)


def _best(lines: list[str], rules: Rules) -> Kind | None:
    """The kind that the first telling rule finds in any of the lines; a weak one stands where no other line says more."""
    weak: Kind | None = None
    for index, line in enumerate(lines[:40]):
        text = line[:_READ]
        for rule in rules.fitting(text):
            match = rule.search(text)
            if match is None:
                continue
            if not rule.weak:
                return _kind(rule, match, index)
            weak = weak or _kind(rule, match, index)
            break
    return weak


def _kind(rule: Rule, match: re.Match[str], index: int) -> Kind:
    # A name may stand twice in a pattern: `model` and `model2`.
    parameters = {**rule.fixed, **{name.rstrip("2"): value for name, value in match.groupdict().items() if value}}
    if rule.value == "invalid-choice":
        parameters["choices"] = json.dumps([choice.strip(" '\"") for choice in re.split(r",| or ", parameters["choices"])])
    if rule.value in ("command-not-found", "container-exec", "exec-refused") and "command" in parameters:
        parameters["value"] = parameters["command"]
    if number := parameters.pop("number", ""):
        parameters["signal"] = _SIGNALS.get(number, f"signal {number}")
    if rule.value == OTHER or rule.told:
        parameters.setdefault("message", match.string[:400])
    return Kind(rule.value, parameters, index)


def _pydantic(failure: Failure, lines: list[str]) -> Kind | None:
    text = "\n".join(lines)
    if not is_pydantic(text):
        return None
    kind = read_pydantic(text)
    if kind.value != "validation":
        return kind
    # A validator's own words may name a kind of their own: the model that is not there, the file that cannot be read.
    named = _best(lines[kind.line :], _THROUGH_VALIDATION)
    if named is not None and named.specific:
        about = {**kind.parameters, **named.parameters} if "message" in named.parameters else named.parameters
        return Kind(named.value, about, kind.line + named.line)
    telling = next((index for index, line in enumerate(lines) if "trust_remote_code=True" in line), kind.line)
    return Kind(kind.value, kind.parameters, telling)


_NAMED_BY_VALIDATORS = frozenset(
    (
        "repository-invalid",
        "repository-not-found",
        "offline",
        "no-such-file",
        "permission-denied",
        "missing-module",
        "undefined-symbol",
        "credentials-missing",
        "remote-code",
        "gated",
        "no-tokenizer",
        "incomplete-weights",
        "compute-capability",
        "device",
        "driver",
        "ranks",
    )
)
_THROUGH_VALIDATION = Rules(tuple(rule for rule in RULES if rule.value in _NAMED_BY_VALIDATORS))


def _yaml(failure: Failure, lines: list[str]) -> Kind | None:
    if not _YAML.search(failure.type):
        return None
    mark = _MARK.search(failure.message)
    parameters = {"path": mark["path"], "line": mark["line"]} if mark else {}
    return Kind("file-malformed", {**parameters, "message": failure.message.split("\n")[0][:200]})


def _refused(failure: Failure, lines: list[str]) -> Kind | None:
    """A configuration file that parses and is refused: an exception of plain Python while the proxy takes its entries apart."""
    if failure.name not in ("KeyError", "TypeError", "ValueError", "AttributeError") or not any(map(_CONFIG_FRAME.search, failure.frames[-3:])):
        return None
    if any(rule.search(lines[0]) for rule in _CREDENTIALS.fitting(lines[0])):
        return None
    match = _KEY.search(lines[0])
    key = (match["key"] or match["other"]) if match else ""
    return Kind("file-refused", {"key": key, "message": failure.message[:200]})


def _executed(failure: Failure, lines: list[str]) -> Kind | None:
    """A program that Python itself could not execute (`subprocess`, `os.exec…`): its "file" is the command."""
    if failure.name not in ("FileNotFoundError", "PermissionError", "NotADirectoryError") or not any(map(_EXEC_FRAME.search, failure.frames[-2:])):
        return None
    match = _QUOTED.search(lines[0])
    command = match[2] if match else ""
    value = "exec-refused" if failure.name == "PermissionError" else "command-not-found"
    return Kind(value, {"path" if value == "exec-refused" else "command": command, "value": command})
