"""What click prints when it refuses a command line (LiteLLM; releases 7 to 8.5). Pure."""

import json
import re

from agent.reading.argparse_errors import flag_like, listed, primary, unquoted, unrecognised
from agent.reading.kind import OTHER, Kind

_LINE = re.compile(r"Error: (?P<message>.*)", re.DOTALL)
_NO_OPTION = re.compile(
    r"[Nn]o such option:? (?P<flag>'[^']*'|[^\n]+?)\.?(?: \(?(?:Did you mean|Possible options:) (?:one of: )?(?P<near>.*?)\)?)?\s*$", re.DOTALL
)
_EXTRA = re.compile(r"Got unexpected extra arguments? \((?P<tokens>.*?)\)\s*$", re.DOTALL)
_INVALID = re.compile(r"Invalid value(?: for (?P<flag>(?:'[^']*'|\"[^\"]*\"|[^:'\"]+)(?: / '[^']*')*))?: (?P<rest>.*)", re.DOTALL)
_NOT_A = re.compile(r"(?P<value>'(?:[^'\\]|\\.)*'|\"[^\"]*\"|\S+) is not (?:a )?valid (?P<type>[\w -]+?)(?: range)?\.?\s*$")
_NOT_IN = re.compile(r"(?P<value>'[^']*'|\S+) is not in the range (?P<type>.*)")
_NOT_ONE = re.compile(r"(?:(?P<value>'[^']*') is not one of|invalid choice: (?P<older>\S+)\. \(choose from) (?P<choices>.*?)\)?\.?\s*$", re.DOTALL)
_FILE = re.compile(r"(?:File|Path|Directory|Could not open file:?) ['\"](?P<path>[^'\"]*)['\"](?:: | )(?P<what>.*)")
_NEEDS = re.compile(r"(?:Option (?P<flag>'[^']*'|\S+) requires (?:an argument|\d+ arguments)|(?P<older>\S+) option requires an argument)")
_TAKES_NONE = re.compile(r"(?:Option (?P<flag>'[^']*'|\S+) does not take a value|(?P<older>\S+) option does not take a value)")
_MISSING = re.compile(r"Missing (?:option|argument|parameter)s?:? (?P<name>.*?)\.?\s*$")
_COMMAND = re.compile(r"(?:No such command |Unknown command: )(?P<value>'[^']*'|.*?)\.?\s*$")
_KNOWN = (_NO_OPTION, _EXTRA, _INVALID, _NEEDS, _TAKES_NONE, _MISSING, _COMMAND)


def is_click(text: str, *, usage_above: bool) -> bool:
    """Whether the line is the last word of a click command."""
    match = _LINE.match(text)
    return match is not None and (usage_above or any(form.match(match["message"]) for form in _KNOWN))


def read_click(text: str) -> Kind:
    """The kind of a click usage error."""
    match = _LINE.match(text)
    message = (match["message"] if match else text).strip()
    for read in (_no_option, _extra, _invalid, _needs, _missing):
        kind = read(message)
        if kind is not None:
            return kind
    return Kind(OTHER, {"message": message}, parser=True)


def _flag(text: str) -> str:
    names = [unquoted(name) for name in text.split(" / ")]
    return primary("/".join(names)) if names[0].startswith("-") else names[0]


def _no_option(message: str) -> Kind | None:
    match = _NO_OPTION.match(message)
    if match is None:
        return None
    flag = unquoted(match["flag"])
    name = flag.split(" ")[0].partition("=")[0] if flag.startswith("-") else flag
    parameters = {"flag": name, "value": flag, "tokens": json.dumps([flag])}
    near = listed(match["near"]) if match["near"] else []
    if near:
        parameters["near"] = json.dumps([name.rstrip("?") for name in near])
    return Kind("unrecognised", parameters, parser=True)


def _extra(message: str) -> Kind | None:
    match = _EXTRA.match(message)
    return unrecognised(match["tokens"].split(" ")) if match else None


def _invalid(message: str) -> Kind | None:
    match = _INVALID.match(message)
    if match is None:
        return None
    flag, rest = _flag(match["flag"] or ""), match["rest"]
    if (found := _NOT_ONE.match(rest)) is not None:
        value = unquoted(found["value"] or found["older"])
        parameters = {"flag": flag, "value": value, "choices": json.dumps(listed(found["choices"]))}
        return Kind("invalid-choice", parameters, parser=True)
    if (found := _NOT_A.match(rest) or _NOT_IN.match(rest)) is not None:
        return Kind("invalid-value", {"flag": flag, "value": unquoted(found["value"]), "type": found["type"].strip()}, parser=True)
    if (found := _FILE.match(rest)) is not None:
        denied = "readable" in found["what"] or "ermission" in found["what"]
        return Kind("permission-denied" if denied else "no-such-file", {"flag": flag, "path": found["path"]}, parser=True)
    return Kind("invalid-value", {"flag": flag, "message": rest}, parser=True)


def _needs(message: str) -> Kind | None:
    for form, value in ((_NEEDS, "expected-argument"), (_TAKES_NONE, "takes-no-value")):
        match = form.match(message)
        if match is not None:
            return Kind(value, {"flag": unquoted(match["flag"] or match["older"])}, parser=True)
    return None


def _missing(message: str) -> Kind | None:
    match = _COMMAND.match(message)
    if match is not None:
        value = unquoted(match["value"])
        if message.startswith("Unknown") and flag_like(value.split(" ")[-1]):
            return unrecognised(value.split(" "))
        return Kind("invalid-subcommand", {"value": value}, parser=True)
    match = _MISSING.match(message)
    return Kind("required-missing", {"flag": _flag(match["name"])}, parser=True) if match else None
