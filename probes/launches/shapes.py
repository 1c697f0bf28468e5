"""The shape of a value as an argument parser got it, and the JSON that a damaged one evidently was.

Everything here is a pure function of text: what the shell layers did can be told from what is left of the value.
"""

import ast
import json
import re
from collections.abc import Sequence

from probes.launches.lenient import TooDamaged, parse_lenient

_TYPOGRAPHIC = re.compile("[“”„‟‘’‚‛«»–—‒−\u00a0\u2007\u202f\u200b\ufeff\u3000\r]")
_STRAIGHT = str.maketrans(
    {
        **dict.fromkeys("“”„‟«»", '"'),
        **dict.fromkeys("‘’‚‛", "'"),
        **dict.fromkeys("\u00a0\u2007\u202f\u3000", " "),
        "\u200b": "",
        "\ufeff": "",
        "\r": "",
    }
)
_DOLLAR = re.compile(r"\$(?:\{[A-Za-z_!]|[A-Za-z_]|\(|\d)|^~(?:/|$)")
_TEMPLATE = re.compile(r"\{\{|\{%|\{[A-Za-z_]\w*\}|^<[\w .-]+>$|\$\$")
_ESCAPED = re.compile(r"\\[\"'{}\[\]:,]")
_WINDOWS = re.compile(r"^[A-Za-z]:[\\/]|^\\\\\w")
_ALTERNATIVE = re.compile(r"^([\"']?)([A-Za-z_][\w-]*)\1:(?!//)(.+)$", re.DOTALL)
_OLD_FORMAT = re.compile(r"^[A-Za-z_]\w*=[^=,\s]+(?:,[A-Za-z_]\w*=[^=,\s]+)*$")
_JOINED_EQUALS = re.compile(r"^--?[A-Za-z][\w.-]*=\S*\s+--?[A-Za-z]")
_JOINED = re.compile(r"^--?[A-Za-z][\w.+-]*\s+\S")
_COMMAND = re.compile(r"^[^\s-]\S*\s+(?:\S+\s+)*(?:--?[A-Za-z]|serve\b)")
_BOOLEAN = frozenset({"true", "false", "yes", "no", "on", "off", "1", "0"})
_NUMBER = re.compile(r"^-?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?[kKmMgGtT]?$")
_PATH = re.compile(r"^(?:/|\.\.?/|\.\.?$)|\.(?:json|ya?ml|jinja2?|txt|toml|py|sh|safetensors|gguf)$")
_PREFIX = re.compile(r"^(--?[A-Za-z][\w.-]*=)(.*)$", re.DOTALL)
_LIMIT = 2_000_000
_DASHES = re.compile(r"^(?:[–—−‐‑]-?|-[–—−‐‑])(?=[A-Za-z])")


def shape_of(value: str, *, wants_json: bool = False) -> str:
    """The value of the variable ``shape`` that `value` has; `wants_json` says that its option takes JSON (or that it follows an option)."""
    for shape in (_marked, _flag_like, _bracketed):
        if found := shape(value, wants_json):
            return found
    return _plain(value, wants_json)


def _marked(value: str, wants_json: bool) -> str:
    """Shapes that one telling character decides."""
    if not value:
        return "empty"
    if value.strip(" \t\n") in ("", "\\"):
        return "backslash"
    if _TYPOGRAPHIC.search(value):
        return "typographic"
    if _WINDOWS.search(value):
        return "windows-path"
    if _is_json(value):
        return "dollar" if _DOLLAR.search(value) else "intact-json"
    if value[0] in "\"'" and (value[1:2] in ("{", "[") or (len(value) > 1 and value[-1] == value[0])):
        return "quoted"
    if _ESCAPED.search(value):
        return "escaped"
    if _DOLLAR.search(value):
        return "dollar"
    if _TEMPLATE.search(value):
        return "template"
    return ""


def _flag_like(value: str, wants_json: bool) -> str:
    if value.startswith("-") and not _NUMBER.match(value) and value != "-":
        if _JOINED_EQUALS.match(value):
            return "joined-equals"
        if _JOINED.match(value):
            return "joined"
        if wants_json:
            return "next-flag"
        return "flag" if value.startswith("--") or len(value) == 2 else "single-dash"
    return ""


def _bracketed(value: str, wants_json: bool) -> str:
    if value[0] not in "{[":
        return ""
    quotes = '"' in value or "'" in value
    depth, spaces = bracket_depth(value), _unquoted_space(value)
    if depth > 0:
        if not quotes:
            return "cut-stripped" if not spaces else "stripped"
        return "cut-kept" if not spaces and value[-1] in ":,{[\"'" else "broken-json"
    if isinstance(_literal(value), dict | list):
        return "python-literal"
    return "broken-json" if quotes else "stripped"


def _plain(value: str, wants_json: bool) -> str:
    if _COMMAND.match(value):
        return "whole-command"
    if value in ("True", "False", "None") and wants_json:
        return "python-literal"
    if value.lower() in _BOOLEAN:
        return "boolean-word"
    if bracket_depth(value) < 0 or value[-1] in ",:":
        return "json-tail"
    if _is_alternative(value, wants_json):
        return "alternative"
    if _OLD_FORMAT.match(value):
        return "old-format"
    if _PATH.search(value) or (wants_json and "/" in value):
        return "path"
    return "word" if wants_json and not _NUMBER.match(value) and value != "null" else "intact"


def _is_alternative(value: str, wants_json: bool) -> bool:
    match = _ALTERNATIVE.match(value)
    if not match or value[0] == "/":
        return False
    key, rest = match[2], match[3]
    if wants_json or match[1] or "_" in key:
        return True
    # host:port and model:tag look alike; a small number or a JSON word behind the colon does not.
    return rest in ("true", "false", "null") or (rest.isdigit() and len(rest) < 4)


def repaired_json(text_or_pieces: str | Sequence[str]) -> str | None:
    """The JSON object or list that was evidently meant by a damaged text, or by the words that it was split into; None if that cannot be told.

    Valid JSON comes back unchanged. Mended: quotes gone, single quotes and Python literals, words of a cut value, braces expanded
    (several pieces ``key:value``), backslashes before quotes, quotes around the whole, curly quotes, a trailing comma, doubled braces,
    a missing closing brace. Bare ``true``, ``false``, ``null`` and numbers stay bare.
    """
    if isinstance(text_or_pieces, str):
        text = text_or_pieces
    else:
        pieces = [piece for piece in text_or_pieces if piece]
        if len(pieces) > 1 and all(_ALTERNATIVE.match(piece) and bracket_depth(piece) == 0 for piece in pieces):
            text = "{" + ",".join(pieces) + "}"
        else:
            text = " ".join(text_or_pieces)
    if len(text) > _LIMIT:
        return None
    if _is_json(text):
        return text
    return _mended(text.translate(_STRAIGHT).strip())


def _mended(text: str) -> str | None:
    candidates = [text]
    if len(text) > 1 and text[0] in "\"'" and text[-1] == text[0]:
        candidates.append(text[1:-1])
    candidates += [re.sub(r"\\([^\w\s])", r"\1", one) for one in candidates if "\\" in one]
    candidates += [one.replace("{{", "{").replace("}}", "}") for one in candidates if one.startswith("{{") and one.endswith("}}")]
    for candidate in candidates:
        candidate = candidate.strip()
        if candidate[:1] not in ("{", "["):
            continue
        if _is_json(candidate):
            return candidate
        value = _literal(candidate)
        if not isinstance(value, dict | list):
            try:
                value = parse_lenient(candidate)
            except TooDamaged:
                value = _closed(candidate)
        said = _dumped(value)
        if said is not None:
            return said
    return None


def _closed(text: str) -> object:
    """The value of a JSON text that lacks only its last brackets; None where that is not so."""
    depth = bracket_depth(text)
    if not 0 < depth < 20 or text[-1] in ":,{[":
        return None
    open_, closers, quoted = [], {"{": "}", "[": "]"}, False
    previous = ""
    for character in text:
        if character == '"' and previous != "\\":
            quoted = not quoted
        elif not quoted and character in "{[":
            open_.append(closers[character])
        elif not quoted and character in "}]" and open_:
            open_.pop()
        previous = character
    try:
        return json.loads(text + "".join(reversed(open_)))
    except (ValueError, RecursionError):
        return None


def _dumped(value: object) -> str | None:
    if not isinstance(value, dict | list):
        return None
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return None


def json_pieces(argv: Sequence[str], start: int) -> int:
    """How many words after `argv[start]` belong to the JSON value that begins there and was cut; 0 for a whole one, or where no end is found."""
    if start >= len(argv):
        return 0
    first = without_option(argv[start])[1].lstrip("'\"“‘")
    if first[:1] not in ("{", "["):
        return _alternatives(argv, start)
    depth = bracket_depth(first)
    count = 0
    while depth > 0:
        count += 1
        if start + count >= len(argv) or re.match(r"--[A-Za-z]", argv[start + count]):
            return 0
        depth += bracket_depth(argv[start + count])
    return count


def _alternatives(argv: Sequence[str], start: int) -> int:
    if not _ALTERNATIVE.match(argv[start]) or not _is_alternative(argv[start], wants_json=True):
        return 0
    count = 0
    while start + count + 1 < len(argv) and _ALTERNATIVE.match(argv[start + count + 1]) and not argv[start + count + 1].startswith("-"):
        count += 1
    return count


def plain_dashes(word: str) -> str:
    """An option whose leading dashes are typographic (``–-port``, ``—port``) as it was meant; any other word as it is."""
    return _DASHES.sub("--", word)


def without_option(word: str) -> tuple[str, str]:
    """``--option=`` and the value of a word, the first empty where the word has none."""
    match = _PREFIX.match(word)
    return (match[1], match[2]) if match else ("", word)


def _is_json(text: str) -> bool:
    if text[:1] not in ("{", "[", " ", "\n"):
        return False
    try:
        return isinstance(json.loads(text), dict | list)
    except (ValueError, RecursionError):
        return False


def _literal(text: str) -> object:
    if len(text) > 100_000 or text.count("{") + text.count("[") > 80:
        return None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None


def bracket_depth(text: str) -> int:
    """Opening less closing brackets, those inside double quotes left out (where the quotes pair up)."""
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', "", text)
    return sum(bare.count(open_) for open_ in "{[") - sum(bare.count(close) for close in "}]")


def _unquoted_space(text: str) -> bool:
    return bool(re.search(r"\s", re.sub(r'"(?:[^"\\]|\\.)*"|' + r"'(?:[^'\\]|\\.)*'", "", text)))
