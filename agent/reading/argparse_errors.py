"""What argparse prints when it refuses a command line, in every Python from 3.8 on and with vLLM's own converters. Pure."""

import ast
import json
import re

from msgspec import structs

from agent.reading.commands import is_command
from agent.reading.kind import OTHER, Kind
from agent.reading.pydantic_errors import read_pydantic

_LINE = re.compile(r"(?:(?P<prog>[^\s:][^:\n]{0,120}): )?error: (?P<message>.*)", re.DOTALL)
_FORMS = re.compile(
    r"unrecognized arguments: |argument [^:\n]+: |ambiguous option: |the following arguments are required: |one of the arguments .* is required"
)
# What is left of such a line when somebody pastes no more than the message.
_PASTED = re.compile(
    r"Value .*cannot be converted to <|unrecognized arguments: |ambiguous option: -"
    r"|argument -[\w/-]+: (?:Value |invalid |expected |ignored |\d+ validation error)"
)
_UNRECOGNISED = re.compile(r"unrecognized arguments: (?P<tokens>.*)", re.DOTALL)
_ARGUMENT = re.compile(r"argument (?P<flag>[^:\n]+): (?P<rest>.*)", re.DOTALL)
_CONVERT = re.compile(r"Value (?P<value>.*?) ?cannot be converted to", re.DOTALL)
_CHOICE = re.compile(r"invalid choice: (?P<value>.+?)(?:, maybe you meant .*?)? \(choose from (?P<choices>.*?)\)?\s*$", re.DOTALL)
_INVALID = re.compile(r"invalid (?P<type>[\w.<> ]+?) value: (?P<value>.*)", re.DOTALL)
_EXPECTED = re.compile(r"expected (?:at least |at most )?(?:one|\d+) arguments?")
_EXPLICIT = re.compile(r"ignored explicit argument (?P<value>.*)", re.DOTALL)
_AMBIGUOUS = re.compile(r"ambiguous option: (?P<flag>\S+) could match (?P<matches>.*)", re.DOTALL)
_REQUIRED = re.compile(r"(?:the following arguments are required: (?P<names>.*)|one of the arguments (?P<some>.*) is required)", re.DOTALL)
_NUMBER = re.compile(r"-\.?\d")
_SUBCOMMANDS = ("subparser", "command", "subcommand", "cmd", "{")
_JSON_CONVERTERS = ("loads", "from_cli", "parse_json", "json")


def is_argparse(text: str, *, usage_above: bool) -> bool:
    """Whether the line is the last word of an argparse parser; an unknown message is one only behind its usage text."""
    match = _LINE.match(text)
    if match is None:
        return bool(_PASTED.match(text))
    return bool(_FORMS.match(match["message"])) or (usage_above and bool(match["prog"]))


def read_argparse(text: str) -> Kind:
    """The kind of an argparse error: `text` is its line, with the further lines of its message."""
    match = _LINE.match(text)
    message = match["message"] if match else text
    for read in (_unrecognised, _argument, _ambiguous, _required, _nameless):
        kind = read(message)
        if kind is not None:
            return kind
    return Kind(OTHER, {"message": message.strip()}, parser=True)


def primary(flag: str) -> str:
    """The long option of ``--speculative-config/-sc``."""
    names = [name.strip() for name in flag.split("/")]
    return next((name for name in names if name.startswith("--")), names[0])


def flag_like(token: str) -> bool:
    """Whether a token looks like an option and no number."""
    return len(token) > 1 and token.startswith("-") and not _NUMBER.match(token)


def unquoted(text: str) -> str:
    """The value of a Python literal as an error shows it (``'abc'``), or the text itself."""
    text = text.strip()
    if text[:1] in "'\"" and len(text) > 1:
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return text[1:-1] if text[-1] == text[0] else text[1:]
        return value if isinstance(value, str) else text
    return text


def listed(text: str) -> list[str]:
    """The items of a list as an error prints it: quoted or bare, cut or whole."""
    if "'" in text or '"' in text:
        return [unquoted(item) for item in re.findall(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", text)]
    return [item.strip() for item in text.split(",") if item.strip() and item.strip() != "..."]


def unrecognised(tokens: list[str]) -> Kind:
    """The kind of tokens that a parser did not consume: about the first option among them, or about the command that they begin with."""
    command = is_command(tokens)
    first = next((token for token in tokens if flag_like(token) and not command), tokens[0] if tokens else "")
    flag = first.partition("=")[0] if flag_like(first) else first
    parameters = {"flag": flag, "value": first, "tokens": json.dumps(tokens, ensure_ascii=False)}
    return Kind("unrecognised", parameters, parser=True)


def _unrecognised(message: str) -> Kind | None:
    match = _UNRECOGNISED.match(message)
    if match is None:
        return None
    first_line = match["tokens"].split("\n")[0]
    return unrecognised(first_line.split(" ") if first_line.strip() else [first_line])


def _argument(message: str) -> Kind | None:
    match = _ARGUMENT.match(message)
    if match is None:
        return None
    flag, rest = primary(match["flag"]), match["rest"]
    if (found := _CONVERT.match(rest)) is not None:
        return Kind("converter-refused", {"flag": flag, "value": found["value"]}, parser=True, wants_json=True)
    if (found := _CHOICE.match(rest)) is not None:
        return _short(_choice(flag, match["flag"], unquoted(found["value"]), listed(found["choices"])), match["flag"])
    if (found := _INVALID.match(rest)) is not None:
        return _short(_invalid(flag, found["type"], unquoted(found["value"].split("\n")[0])), match["flag"])
    if _EXPECTED.match(rest):
        return Kind("expected-argument", {"flag": flag}, parser=True)
    if (found := _EXPLICIT.match(rest)) is not None:
        return Kind("takes-no-value", {"flag": flag, "value": unquoted(found["value"])}, parser=True)
    if "validation error" in rest:
        kind = read_pydantic(rest)
        return Kind(kind.value, {"flag": flag, **kind.parameters}, kind.line, parser=True, wants_json=kind.value == "json-invalid")
    if rest.startswith("not allowed with argument"):
        return Kind(OTHER, {"flag": flag, "message": rest.strip()}, parser=True)
    return Kind("invalid-value", {"flag": flag, "message": rest.strip()}, parser=True)


def _short(kind: Kind, flag: str) -> Kind:
    """The kind with the option's short name, where it has one: the value may have been glued to it."""
    short = next((name.strip() for name in flag.split("/") if re.fullmatch(r"-[A-Za-z]", name.strip())), "")
    return structs.replace(kind, parameters={**kind.parameters, "short": short}) if short else kind


def _nameless(message: str) -> Kind | None:
    """A converter's refusal pasted without the flag it was for."""
    match = _CONVERT.match(message)
    return Kind("converter-refused", {"value": match["value"]}, parser=True, wants_json=True) if match else None


def _choice(flag: str, named: str, value: str, choices: list[str]) -> Kind:
    listing = json.dumps(choices, ensure_ascii=False)
    if not named.startswith("-") and (named.startswith(_SUBCOMMANDS) or "serve" in choices):
        return Kind("invalid-subcommand", {"value": value, "choices": listing}, parser=True)
    return Kind("invalid-choice", {"flag": flag, "value": value, "choices": listing}, parser=True)


def _invalid(flag: str, converter: str, value: str) -> Kind:
    if converter.strip("<>").split(".")[-1] in _JSON_CONVERTERS:
        return Kind("converter-refused", {"flag": flag, "value": value}, parser=True, wants_json=True)
    return Kind("invalid-value", {"flag": flag, "value": value, "type": converter}, parser=True)


def _ambiguous(message: str) -> Kind | None:
    match = _AMBIGUOUS.match(message)
    if match is None:
        return None
    matches = json.dumps([item.strip() for item in match["matches"].split("\n")[0].split(",")])
    return Kind("ambiguous-option", {"flag": match["flag"].partition("=")[0], "matches": matches}, parser=True)


def _required(message: str) -> Kind | None:
    match = _REQUIRED.match(message)
    if match is None:
        return None
    names = match["names"] if match["names"] is not None else match["some"]
    return Kind("required-missing", {"flag": ", ".join(primary(name) for name in re.split(r",? +", names.split("\n")[0].strip()))}, parser=True)
