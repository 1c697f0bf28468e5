"""The escapes of ``$'…'``."""

import re

_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}|[0-7]{1,3}|c.|.)", re.DOTALL)
_NAMES = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def ansi_c(text: str) -> str:
    """The text of a ``$'…'`` without its delimiters."""

    def one(match: re.Match[str]) -> str:
        code = match[1]
        if code[0] in "xuU" and len(code) > 1:
            number = int(code[1:], 16)
            return chr(number) if number < 0x110000 else match[0]
        if code[0] in "01234567":
            return chr(int(code, 8) & 0xFF)
        if code[0] == "c" and len(code) > 1:
            return chr(ord(code[1]) & 0x1F)
        return _NAMES.get(code, code if code in "\\'\"?" else match[0])

    return _ESCAPE.sub(one, text)
