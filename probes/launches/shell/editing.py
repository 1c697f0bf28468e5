"""The edits of a parameter's value: ``${x#a}``, ``${x%a}``, ``${x/a/b}``, ``${x^^}``, ``${x:1:2}``."""

import fnmatch
import re
from collections.abc import Callable


def edited(text: str, operation: str, value: Callable[[str], str]) -> str | None:
    """`text` after `operation` (all that stands behind the name), operands expanded by `value`; None where it cannot be computed."""
    if match := re.match(r"(##?|%%?)(.*)\Z", operation, re.DOTALL):
        return _trimmed(text, match[1], value(match[2]))
    if match := re.match(r"(//?[#%]?)((?:\\.|[^/\\])*)(?:/(.*))?\Z", operation, re.DOTALL):
        pattern, new = value(match[2]), value(match[3] or "")
        if re.search(r"[*?\[]", pattern) or match[1][-1] in "#%":
            return None
        return text.replace(pattern, new, -1 if match[1] == "//" else 1) if pattern else text
    if operation in ("^^", ",,", "^", ","):
        made = text.upper() if operation[0] == "^" else text.lower()
        return made if len(operation) == 2 else made[:1] + text[1:]
    if match := re.match(r":\s*(-?\d+)(?::\s*(-?\d+))?\Z", operation):
        start, length = int(match[1]), match[2]
        tail = text[start:]
        return tail if length is None else tail[: int(length)]
    return None


def _trimmed(text: str, operator: str, pattern: str) -> str:
    """``${x#pattern}`` and its kin."""
    ends = range(len(text) + 1)
    if operator[0] == "#":
        order = reversed(ends) if operator == "##" else ends
        return next((text[end:] for end in order if fnmatch.fnmatchcase(text[:end], pattern)), text)
    order = ends if operator == "%%" else reversed(ends)
    return next((text[:start] for start in order if fnmatch.fnmatchcase(text[start:], pattern)), text)
