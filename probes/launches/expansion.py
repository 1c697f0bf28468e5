"""What a shell makes of one word: quote removal, parameters, command substitution, splitting, in the shell's own order.

Not done: pathname expansion (a pattern is noted and stays as it is, which is what a shell does when no file matches).
"""

import fnmatch
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from probes.launches.braces import end_of_bracket, end_of_double, expand_braces
from probes.launches.scope import USUAL, Scope

_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_SPECIAL = re.compile(r"[@*#?$!\-0-9]")
_PARAMETER = re.compile(r"(#|!)?([A-Za-z_]\w*|\d+|[@*#?$!-])(?:\[([^\]]*)\])?(.*)\Z", re.DOTALL | re.ASCII)
_ANSI = re.compile(r"\\(x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}|[0-7]{1,3}|c.|.)", re.DOTALL)
_ANSI_NAMES = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_UNQUOTED = re.compile(r"[\\'\"$`]")
_INSIDE_DOUBLE = re.compile(r"[\\$`]")
_DEPTH = 20

Substitute = Callable[[str, Scope], str | None]


@dataclass
class Part:
    """A stretch of a word: `splits` where an unquoted expansion is cut at blanks; `items` for ``"$@"`` and arrays."""

    text: str
    quoted: bool = False
    splits: bool = False
    items: list[str] | None = None
    kept: str = ""


@dataclass
class Expanded:
    """The fields that one raw word becomes. `kept` is the word with its expansions done and its quotes kept.

    `how` says what made several of one (``braces``, ``split``, ``items``); `vanished` are variables that nobody set, `pattern` whether
    unquoted pattern characters stand in it.
    """

    fields: list[str]
    kept: str
    how: str = ""
    vanished: list[str] = field(default_factory=list)
    pattern: bool = False


class Expander:
    """Expands words in a `Scope`; `substitute` predicts the output of a ``$(command)`` (None: it cannot be predicted)."""

    def __init__(self, scope: Scope, substitute: Substitute, source: str = "", depth: int = 0) -> None:
        self.scope, self.substitute, self.source, self.depth = scope, substitute, source, depth
        self.vanished: list[str] = []

    def word(self, raw: str) -> Expanded:
        """All the fields of a word of a command."""
        self.vanished = []
        raws = expand_braces(raw) if self.scope.braces else [raw]
        fields: list[str] = []
        kept: list[str] = []
        how, pattern = "braces" if len(raws) > 1 else "", False
        for one in raws:
            parts = self._tilde(self.parts(one), assignments=len(raws) == 1)
            made = self._fields(parts)
            kept.append("".join(part.kept or part.text for part in parts))
            if len(made) != 1 and not how and any(part.splits or part.items is not None for part in parts):
                how = "items" if any(part.items is not None for part in parts) else "split"
            pattern = pattern or any(not part.quoted and not part.splits and re.search(r"[*?]", part.text) for part in parts)
            fields += made
        return Expanded(fields, kept[0] if len(raws) == 1 else raw, how, self.vanished, pattern)

    def value(self, raw: str) -> str:
        """The value of an assignment, a redirection or a heredoc: one text, never split."""
        parts = self._tilde(self.parts(raw))
        return "".join(part.text if part.items is None else " ".join(part.items) for part in parts)

    def inside(self, text: str) -> str:
        """A text expanded as within double quotes (a heredoc's body)."""
        return "".join(part.text if part.items is None else " ".join(part.items) for part in self._double(text, heredoc=True))

    def parts(self, raw: str) -> list[Part]:
        """The stretches of one word."""
        found: list[Part] = []
        at, plain = 0, ""
        while at < len(raw):
            special = _UNQUOTED.search(raw, at)
            if special is None or special.start() > at:
                stop = special.start() if special else len(raw)
                plain += raw[at:stop]
                at = stop
                continue
            made, end = self._special(raw, at)
            if made is None:
                plain += raw[at:end]
            else:
                if plain:
                    found.append(Part(plain))
                    plain = ""
                found += made
            at = end
        if plain:
            found.append(Part(plain))
        return found

    def _special(self, raw: str, at: int) -> tuple[list[Part] | None, int]:
        character, following = raw[at], raw[at + 1 : at + 2]
        if character == "\\":
            if not following:
                return None, at + 1
            return ([] if following == "\n" else [Part(following, quoted=True, kept="\\" + following)]), at + 2
        if character == "'":
            end = raw.find("'", at + 1)
            end = len(raw) if end < 0 else end
            return [Part(raw[at + 1 : end], quoted=True, kept=raw[at : end + 1])], end + 1
        if character == '"':
            end = end_of_double(raw, at)
            inner = raw[at + 1 : end - 1] if raw[end - 1 : end] == '"' and end - 1 > at else raw[at + 1 : end]
            return self._quoted(inner), end
        if character == "$" and self.scope.shell not in ("sh", "dash"):
            if following == "'":
                end = self._ansi_end(raw, at + 2)
                return [Part(ansi_c(raw[at + 2 : end]), quoted=True, kept=raw[at : end + 1])], end + 1
            if following == '"':
                return self._special(raw, at + 1)
        return self._dollar(raw, at, quoted=False)

    @staticmethod
    def _ansi_end(raw: str, at: int) -> int:
        while at < len(raw) and raw[at] != "'":
            at += 2 if raw[at] == "\\" else 1
        return min(at, len(raw))

    def _quoted(self, inner: str) -> list[Part]:
        parts = self._double(inner)
        if not parts:
            return [Part("", quoted=True, kept='""')]
        for part in parts:
            part.kept = part.kept or part.text
        parts[0].kept = '"' + parts[0].kept
        parts[-1].kept += '"'
        return parts

    def _double(self, text: str, *, heredoc: bool = False) -> list[Part]:
        found: list[Part] = []
        at, plain = 0, ""
        while at < len(text):
            special = _INSIDE_DOUBLE.search(text, at)
            if special is None or special.start() > at:
                stop = special.start() if special else len(text)
                plain += text[at:stop]
                at = stop
                continue
            character, following = text[at], text[at + 1 : at + 2]
            if character == "\\" and following and following in ("$`\\\n" if heredoc else '$`"\\\n'):
                plain += "" if following == "\n" else following
                at += 2
                continue
            if character in "$`":
                made, end = self._dollar(text, at, quoted=True)
                if made is not None:
                    if plain:
                        found.append(Part(plain, quoted=True))
                        plain = ""
                    found += made
                    at = end
                    continue
            plain += character
            at += 1
        if plain:
            found.append(Part(plain, quoted=True))
        return found

    def _dollar(self, raw: str, at: int, *, quoted: bool) -> tuple[list[Part] | None, int]:
        """The expansion that starts at `at` (``$`` or a backtick); None where it is a plain character."""
        if raw[at] == "`":
            end = at + 1
            while end < len(raw) and raw[end] != "`":
                end += 2 if raw[end] == "\\" else 1
            return self._command(re.sub(r"\\([$`\\])", r"\1", raw[at + 1 : end]), raw[at : end + 1], quoted), min(end + 1, len(raw))
        rest = raw[at + 1 : at + 3]
        if rest.startswith("(("):
            end = end_of_bracket(raw, at + 1)
            if raw[end - 2 : end] == "))":
                return [self._arithmetic(raw[at + 3 : end - 2], raw[at:end], quoted)], end
        if rest.startswith("("):
            end = end_of_bracket(raw, at + 1)
            return self._command(raw[at + 2 : end - 1], raw[at:end], quoted), end
        if rest.startswith("{"):
            end = end_of_bracket(raw, at + 1)
            return self._braced(raw[at + 2 : end - 1], raw[at:end], quoted), end
        match = _NAME.match(raw, at + 1) or _SPECIAL.match(raw, at + 1)
        if not match:
            return None, at + 1
        return self._parameter(match[0], quoted), match.end()

    def _made(self, text: str, quoted: bool) -> list[Part]:
        return [Part(text, quoted=quoted, splits=not quoted and self.scope.splits)]

    def _command(self, text: str, literal: str, quoted: bool) -> list[Part]:
        output = self.substitute(text, self.scope) if self.depth < _DEPTH else None
        if output is None:
            self.scope.doubt(f"the output of {literal[:80]} is not known before it runs", self.source)
            return [Part(literal, quoted=True)]
        return self._made(output.rstrip("\n"), quoted)

    def _arithmetic(self, text: str, literal: str, quoted: bool) -> Part:
        filled = re.sub(r"\$?\{?([A-Za-z_]\w*)\}?", lambda match: self.scope.look_up(match[1]) or "0", text)
        result = arithmetic(filled)
        if result is None:
            self.scope.doubt(f"{literal[:80]} was not computed", self.source)
            return Part(literal, quoted=True)
        return Part(str(result), quoted=quoted)

    def _parameter(self, name: str, quoted: bool) -> list[Part]:
        if name in "@*":
            items = list(self.scope.positional)
            return self._items(items, quoted, star=name == "*")
        return self._made(self._value(name), quoted)

    def _items(self, items: list[str], quoted: bool, *, star: bool) -> list[Part]:
        if quoted and star:
            return [Part(" ".join(items), quoted=True)]
        if quoted:
            return [Part("", quoted=True, items=items, kept=" ".join(items))]
        return self._made(" ".join(items), quoted=False)

    def _value(self, name: str) -> str:
        value = self._maybe(name)
        if value is not None:
            return value
        if name in USUAL:
            self.scope.doubt(f"${name} is not known here", self.source)
            return "$" + name
        if name in self.scope.unknown:
            self.scope.doubt(f"${name} is set by a command whose output is not known before it runs", self.source)
            return "$" + name
        if not name.isdigit() and name not in "!?$-":
            self.vanished.append(name)
            self.scope.problem(f"nobody sets ${name}: it expands to nothing", self.source)
            if not self.scope.known:
                self.scope.doubts.append(name)
        return ""

    def _maybe(self, name: str) -> str | None:
        """The value of a parameter, or None where it is not set."""
        if name.isdigit():
            if name == "0":
                return self.scope.zero or self.scope.file or self.scope.shell
            index = int(name) - 1
            return self.scope.positional[index] if index < len(self.scope.positional) else None
        if name == "#":
            return str(len(self.scope.positional))
        if name in "?!$-":
            return {"?": "0"}.get(name)
        if name == "BASH_SOURCE":
            return self.scope.file or None
        return self.scope.look_up(name)

    def _braced(self, inner: str, literal: str, quoted: bool) -> list[Part]:
        match = _PARAMETER.match(inner)
        if not match:
            self.scope.doubt(f"{literal[:80]} was not understood", self.source)
            return [Part(literal, quoted=True)]
        prefix, name, index, rest = match[1], match[2], match[3], match[4]
        if index in ("@", "*") or (name in "@*" and not prefix):
            items = self._array(name)
            if prefix == "#":
                return [Part(str(len(items)), quoted=quoted)]
            if prefix == "!" or (rest and not rest.startswith((":-", ":+", "-", "+"))):
                self.scope.doubt(f"{literal[:80]} was not followed", self.source)
            elif rest and (bool(items) == ("+" in rest[:2])):
                return self._alternative(rest.lstrip(":")[1:], quoted)
            elif rest and not items:
                return self._made("", quoted)
            return self._items(items, quoted, star=index == "*" or name == "*")
        if index is not None:
            value = self._element(name, index)
        elif prefix == "!":
            target = self._maybe(name)
            value = self._maybe(target) if target else None
        else:
            value = self._maybe(name)
        if prefix == "#":
            return [Part(str(len(value or "")), quoted=quoted)]
        return self._operated(name, value, rest, literal, quoted)

    def _array(self, name: str) -> list[str]:
        if name in "@*":
            return list(self.scope.positional)
        if name in self.scope.arrays:
            return self.scope.arrays[name]
        value = self._maybe(name)
        if value is None and name in self.scope.unknown:
            self.scope.doubt(f"the array {name} is not known before it runs", self.source)
        elif value is None:
            self.vanished.append(name)
            self.scope.problem(f"nobody sets the array {name}: it expands to nothing", self.source)
        return [] if value is None else [value]

    def _element(self, name: str, index: str) -> str | None:
        if name == "BASH_SOURCE":
            return self.scope.file or None
        items = self.scope.arrays.get(name)
        number = arithmetic(self.value(index)) if index else None
        if items is None or number is None:
            return self._maybe(name) if number == 0 else None
        return items[number] if -len(items) <= number < len(items) else None

    def _alternative(self, raw: str, quoted: bool) -> list[Part]:
        nested = Expander(self.scope, self.substitute, self.source, self.depth + 1)
        if self.depth >= _DEPTH:
            return [Part(raw, quoted=True)]
        if quoted:
            # Double quotes inside "${x:-"…"}" go; what they held stays quoted.
            parts = nested._double(re.sub(r'\\.|(")', lambda match: "" if match[1] else match[0], raw)) or [Part("", quoted=True)]
        else:
            parts = nested._tilde(nested.parts(raw))
            for part in parts:
                part.splits = part.splits or (not part.quoted and self.scope.splits)
        self.vanished += nested.vanished
        return parts

    def _operated(self, name: str, value: str | None, rest: str, literal: str, quoted: bool) -> list[Part]:
        """Apply the operator in `rest` (``:-default``, ``%.txt``, ``/a/b``, ``^^``…) to a parameter's value."""
        if not rest:
            return self._made(self._value(name) if value is None else value, quoted)
        colon = rest.startswith(":") and rest[1:2] in "-=+?" and len(rest) > 1
        operator, operand = (rest[1], rest[2:]) if colon else (rest[0], rest[1:])
        if operator in "-=+?":
            missing = value is None or (colon and not value)
            if operator == "+":
                return self._made("", quoted) if missing else self._alternative(operand, quoted)
            if not missing:
                return self._made(value or "", quoted)
            if operator == "?":
                self.scope.problem(f"{name} must be set: {operand or 'the shell stops here'}", self.source)
                self.vanished.append(name)
                return self._made("", quoted)
            parts = self._alternative(operand, quoted)
            if operator == "=":
                self.scope.set(name, "".join(part.text for part in parts))
            return parts
        text = self._value(name) if value is None else value
        changed = self._edited(text, rest)
        if changed is None:
            self.scope.doubt(f"{literal[:80]} was not computed", self.source)
            changed = text
        return self._made(changed, quoted)

    def _edited(self, text: str, rest: str) -> str | None:
        if match := re.match(r"(##?|%%?)(.*)\Z", rest, re.DOTALL):
            return trimmed(text, match[1], self.value(match[2]))
        if match := re.match(r"(//?[#%]?)((?:\\.|[^/\\])*)(?:/(.*))?\Z", rest, re.DOTALL):
            pattern, new = self.value(match[2]), self.value(match[3] or "")
            if re.search(r"[*?\[]", pattern) or match[1][-1] in "#%":
                return None
            return text.replace(pattern, new, -1 if match[1] == "//" else 1) if pattern else text
        if rest in ("^^", ",,", "^", ","):
            made = text.upper() if rest[0] == "^" else text.lower()
            return made if len(rest) == 2 else made[:1] + text[1:]
        if match := re.match(r":\s*(-?\d+)(?::\s*(-?\d+))?\Z", rest):
            start, length = int(match[1]), match[2]
            tail = text[start:]
            return tail if length is None else tail[: int(length)]
        return None

    def _tilde(self, parts: list[Part], *, assignments: bool = False) -> list[Part]:
        if not parts or parts[0].quoted or parts[0].splits or parts[0].items is not None:
            return parts
        if not parts[0].text.startswith("~"):
            # Bash expands it behind NAME= too.
            match = re.match(r"([A-Za-z_]\w*=)(~.*)\Z", parts[0].text, re.DOTALL | re.ASCII) if assignments and self.scope.shell == "bash" else None
            return [Part(match[1]), *self._tilde([Part(match[2]), *parts[1:]])] if match else parts
        user, slash, rest = parts[0].text[1:].partition("/")
        if user or (not slash and len(parts) > 1):
            if user:
                self.scope.doubt(f"the home folder in {parts[0].text} is not known", self.source)
            return parts
        home = self.scope.look_up("HOME")
        if home is None:
            self.scope.doubt("$HOME is not known here", self.source)
            return parts
        return [Part(home, quoted=True), *([Part(slash + rest)] if slash else []), *parts[1:]]

    @staticmethod
    def _fields(parts: list[Part]) -> list[str]:
        fields: list[str] = []
        current: str | None = None
        for part in parts:
            if part.items is not None:
                if part.items:
                    fields += [part.items[0] if not current else current + part.items[0], *part.items[1:]]
                    current = fields.pop()
            elif part.splits:
                current = _split(part.text, fields, current)
            elif part.text or current is None:
                current = (current or "") + part.text
        if current is not None:
            fields.append(current)
        return fields


def _split(text: str, fields: list[str], current: str | None) -> str | None:
    """Cut an unquoted expansion at blanks; whole fields go to `fields`, what is open at the end is returned."""
    words = re.split(r"[ \t\n]+", text)
    for number, word in enumerate(words):
        if number and current is not None:
            fields.append(current)
            current = None
        if word:
            current = (current or "") + word
    return current


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
        return _ANSI_NAMES.get(code, code if code in "\\'\"?" else match[0])

    return _ANSI.sub(one, text)


def trimmed(text: str, operator: str, pattern: str) -> str:
    """``${x#pattern}`` and its kin."""
    ends = range(len(text) + 1)
    if operator[0] == "#":
        order = reversed(ends) if operator == "##" else ends
        return next((text[end:] for end in order if fnmatch.fnmatchcase(text[:end], pattern)), text)
    order = ends if operator == "%%" else reversed(ends)
    return next((text[:start] for start in order if fnmatch.fnmatchcase(text[start:], pattern)), text)


def arithmetic(text: str) -> int | None:
    """An integer expression of ``+ - * / %`` and brackets; None for anything else."""
    tokens = re.findall(r"\d+|[-+*/%()]", text)
    if "".join(tokens) != re.sub(r"\s+", "", text) or not tokens or len(tokens) > 200:
        return None
    try:
        value, end = _sum(tokens, 0)
    except (IndexError, ValueError, ZeroDivisionError, RecursionError):
        return None
    return value if end == len(tokens) else None


def _sum(tokens: list[str], at: int) -> tuple[int, int]:
    value, at = _product(tokens, at)
    while at < len(tokens) and tokens[at] in "+-":
        right, end = _product(tokens, at + 1)
        value, at = (value + right if tokens[at] == "+" else value - right), end
    return value, at


def _product(tokens: list[str], at: int) -> tuple[int, int]:
    value, at = _factor(tokens, at)
    while at < len(tokens) and tokens[at] in "*/%":
        operator = tokens[at]
        right, at = _factor(tokens, at + 1)
        quotient = int(value / right) if operator != "*" else 0
        value = value * right if operator == "*" else quotient if operator == "/" else value - quotient * right
    return value, at


def _factor(tokens: list[str], at: int) -> tuple[int, int]:
    if tokens[at] in "+-":
        value, at = _factor(tokens, at + 1)
        return (-value if tokens[at - 2] == "-" else value), at
    if tokens[at] == "(":
        value, at = _sum(tokens, at + 1)
        if tokens[at] != ")":
            raise ValueError(tokens[at])
        return value, at + 1
    return int(tokens[at]), at + 1
