"""Brace expansion as bash does it: on the text of a word, before anything else, quoted parts left alone."""

import itertools
import re

_RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)(?:\.\.(-?\d+))?\Z|([A-Za-z])\.\.([A-Za-z])(?:\.\.(-?\d+))?\Z")
_MOST = 2000
_MOST_PAIRS = 150


def expand_braces(raw: str, limit: int = _MOST) -> list[str]:
    """The words that an unquoted ``a{b,c}d`` becomes, quotes kept; the word itself where nothing expands."""
    if "{" not in raw or "}" not in raw or len(raw) > 100_000 or raw.count("{") > _MOST_PAIRS:
        return [raw]
    skips = _skips(raw)
    return _expanded(raw, skips, 0, limit)


def _skips(raw: str) -> dict[int, int]:
    """Start → end of every part that brace expansion does not look into."""
    found: dict[int, int] = {}
    at = 0
    while at < len(raw):
        end = skip_quoted(raw, at)
        if end > at:
            found[at] = end
            at = end
        else:
            at += 1
    return found


def skip_quoted(raw: str, at: int) -> int:
    """The end of the quoted part, escape or expansion that starts at `at`; `at` itself where none does."""
    character = raw[at]
    if character == "\\":
        return min(at + 2, len(raw))
    if character == "'":
        end = raw.find("'", at + 1)
        return len(raw) if end < 0 else end + 1
    if character == '"':
        return end_of_double(raw, at)
    if character == "`":
        return end_of_escaped(raw, at, "`")
    if character == "$" and at + 1 < len(raw):
        following = raw[at + 1]
        if following == "'":
            return end_of_escaped(raw, at + 1, "'")
        if following in "{(":
            return end_of_bracket(raw, at + 1)
    return at


def end_of_escaped(raw: str, at: int, close: str) -> int:
    """The index behind the `close` that ends what starts at `at`, where a backslash takes the meaning of the next character away."""
    at += 1
    while at < len(raw) and raw[at] != close:
        at += 2 if raw[at] == "\\" else 1
    return min(at + 1, len(raw))


def end_of_double(raw: str, at: int) -> int:
    """The index behind the double quote that closes the one at `at`."""
    at += 1
    while at < len(raw) and raw[at] != '"':
        if raw[at] == "\\":
            at += 2
        elif raw[at] == "$" and raw[at + 1 : at + 2] in ("{", "("):
            at = end_of_bracket(raw, at + 1)
        elif raw[at] == "`":
            at = end_of_escaped(raw, at, "`")
        else:
            at += 1
    return min(at + 1, len(raw))


def end_of_bracket(raw: str, at: int) -> int:
    """The index behind the bracket that closes the one at `at`, quotes inside respected (no recursion: depth is counted)."""
    open_, close = raw[at], {"{": "}", "(": ")"}[raw[at]]
    depth, quoted = 0, False
    while at < len(raw):
        character = raw[at]
        if character == "\\":
            at += 1
        elif character == '"':
            quoted = not quoted
        elif character == "'" and not quoted:
            end = raw.find("'", at + 1)
            at = len(raw) if end < 0 else end
        elif character == open_:
            depth += 1
        elif character == close:
            depth -= 1
            if not depth:
                return at + 1
        at += 1
    return len(raw)


def _expanded(raw: str, skips: dict[int, int], start: int, limit: int) -> list[str]:
    """Expansion of `raw`, looking for the first brace pair from `start` on."""
    at = start
    while at < len(raw):
        if at in skips:
            at = skips[at]
            continue
        if raw[at] == "{":
            end, commas = _pair(raw, skips, at)
            if end > 0 and (parts := _alternatives(raw, at, end, commas)) is not None:
                return _combined(raw[:at], parts, raw[end + 1 :], limit)
        at += 1
    return [raw]


def _pair(raw: str, skips: dict[int, int], at: int) -> tuple[int, list[int]]:
    """The closing brace of the pair that opens at `at` (-1: none), and the commas at its own level."""
    depth = 0
    commas: list[int] = []
    while at < len(raw):
        if at in skips:
            at = skips[at]
            continue
        if raw[at] == "{":
            depth += 1
        elif raw[at] == "}":
            depth -= 1
            if not depth:
                return at, commas
        elif raw[at] == "," and depth == 1:
            commas.append(at)
        at += 1
    return -1, commas


def _alternatives(raw: str, at: int, end: int, commas: list[int]) -> list[str] | None:
    if commas:
        edges = [at, *commas, end]
        return [raw[left + 1 : right] for left, right in itertools.pairwise(edges)]
    match = _RANGE.match(raw[at + 1 : end])
    return _range(match) if match else None


def _range(match: re.Match[str]) -> list[str]:
    if match[1] is not None:
        first, last, step = int(match[1]), int(match[2]), abs(int(match[3] or 1)) or 1
        width = max(len(text.lstrip("-")) for text in (match[1], match[2])) if _padded(match[1]) or _padded(match[2]) else 0
        if abs(last - first) // step > _MOST:
            return [match[0]]
        numbers = range(first, last + 1, step) if first <= last else range(first, last - 1, -step)
        return [f"{'-' if number < 0 else ''}{abs(number):0{width}d}" for number in numbers]
    first, last, step = ord(match[4]), ord(match[5]), abs(int(match[6] or 1)) or 1
    letters = range(first, last + 1, step) if first <= last else range(first, last - 1, -step)
    return [chr(letter) for letter in letters]


def _padded(text: str) -> bool:
    digits = text.lstrip("-")
    return len(digits) > 1 and digits[0] == "0"


def _combined(before: str, parts: list[str], after: str, limit: int) -> list[str]:
    middles = [word for part in parts for word in expand_braces(part, limit)]
    tails = expand_braces(after, limit)
    if len(middles) * len(tails) > limit:
        return [before + "{" + ",".join(parts) + "}" + after]
    return [before + middle + tail for middle in middles for tail in tails]
