"""What a shell makes of one word: quote removal, parameters, command substitution, splitting, in the shell's own order.

Not done: pathname expansion (a pattern is noted and stays as it is, which is what a shell does when no file matches).
"""

import re
from collections.abc import Callable

from probes.launches.shell.ansi import ansi_c
from probes.launches.shell.arithmetic import arithmetic
from probes.launches.shell.braced import braced
from probes.launches.shell.braces import end_of_bracket, end_of_double, end_of_escaped, expand_braces
from probes.launches.shell.fields import Expanded, Part, fields_of, joined
from probes.launches.shell.parameters import Parameters
from probes.launches.shell.scope import Scope
from probes.launches.shell.tilde import expand_tilde

_PARAMETER = re.compile(r"[A-Za-z_]\w*|[@*#?$!\-0-9]", re.ASCII)
_UNQUOTED = re.compile(r"[\\'\"$`]")
_INSIDE_DOUBLE = re.compile(r"[\\$`]")
_DEPTH = 20

Substitute = Callable[[str, Scope], str | None]
_Read = tuple[list[Part] | str, int]
"""What stands at a special character (parts, or text that is plain after all), and the index behind it."""


class Expander:
    """Expands words in a `Scope`; `substitute` predicts the output of a ``$(command)`` (None: it cannot be predicted)."""

    def __init__(self, scope: Scope, substitute: Substitute, source: str = "", depth: int = 0) -> None:
        self.scope, self.substitute, self.source, self.depth = scope, substitute, source, depth
        self.parameters = Parameters(scope, source)

    def word(self, raw: str) -> Expanded:
        """All the fields of a word of a command."""
        self.parameters.vanished = []
        raws = expand_braces(raw) if self.scope.braces else [raw]
        fields: list[str] = []
        kept: list[str] = []
        how, pattern = "braces" if len(raws) > 1 else "", False
        for one in raws:
            parts = expand_tilde(self.parts(one), self.scope, self.source, assignments=len(raws) == 1)
            made = fields_of(parts)
            kept.append("".join(part.kept or part.text for part in parts))
            if len(made) != 1 and not how and any(part.splits or part.items is not None for part in parts):
                how = "items" if any(part.items is not None for part in parts) else "split"
            pattern = pattern or any(not part.quoted and not part.splits and re.search(r"[*?]", part.text) for part in parts)
            fields += made
        return Expanded(fields, kept[0] if len(raws) == 1 else raw, how, self.parameters.vanished, pattern)

    def value(self, raw: str) -> str:
        """The value of an assignment, a redirection or a heredoc: one text, never split."""
        return joined(expand_tilde(self.parts(raw), self.scope, self.source))

    def inside(self, text: str) -> str:
        """A text expanded as within double quotes (a heredoc's body)."""
        return joined(self._double(text, escapable="$`\\\n"))

    def alternative(self, raw: str, quoted: bool) -> list[Part]:
        """The word behind an operator, which takes the place of the parameter (``${x:-word}``)."""
        if self.depth >= _DEPTH:
            return [Part(raw, quoted=True)]
        nested = Expander(self.scope, self.substitute, self.source, self.depth + 1)
        if quoted:
            # Double quotes inside "${x:-"…"}" go; what they held stays quoted.
            parts = nested._double(re.sub(r'\\.|(")', lambda match: "" if match[1] else match[0], raw)) or [Part("", quoted=True)]
        else:
            parts = expand_tilde(nested.parts(raw), self.scope, self.source)
            for part in parts:
                part.splits = part.splits or (not part.quoted and self.scope.splits)
        self.parameters.vanished += nested.parameters.vanished
        return parts

    def parts(self, raw: str) -> list[Part]:
        """The stretches of one word."""
        return _stretches(raw, _UNQUOTED, lambda at: self._special(raw, at), quoted=False)

    def _special(self, raw: str, at: int) -> _Read:
        character, following = raw[at], raw[at + 1 : at + 2]
        if character == "\\":
            if not following:
                return character, at + 1
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
                end = end_of_escaped(raw, at + 1, "'")
                return [Part(ansi_c(raw[at + 2 : end].removesuffix("'")), quoted=True, kept=raw[at:end])], end
            if following == '"':
                return self._special(raw, at + 1)
        return self._dollar(raw, at, quoted=False)

    def _quoted(self, inner: str) -> list[Part]:
        parts = self._double(inner)
        if not parts:
            return [Part("", quoted=True, kept='""')]
        for part in parts:
            part.kept = part.kept or part.text
        parts[0].kept = '"' + parts[0].kept
        parts[-1].kept += '"'
        return parts

    def _double(self, text: str, *, escapable: str = '$`"\\\n') -> list[Part]:
        def read(at: int) -> _Read:
            following = text[at + 1 : at + 2]
            if text[at] != "\\":
                return self._dollar(text, at, quoted=True)
            if following and following in escapable:
                return following.strip("\n"), at + 2
            return "\\", at + 1

        return _stretches(text, _INSIDE_DOUBLE, read, quoted=True)

    def _dollar(self, raw: str, at: int, *, quoted: bool) -> _Read:
        """The expansion that starts at `at` (``$`` or a backtick)."""
        if raw[at] == "`":
            end = end_of_escaped(raw, at, "`")
            return self._command(re.sub(r"\\([$`\\])", r"\1", raw[at + 1 : end].removesuffix("`")), raw[at:end], quoted), end
        opening = raw[at + 1 : at + 3]
        if opening.startswith(("(", "{")):
            end = end_of_bracket(raw, at + 1)
            literal = raw[at:end]
            if opening.startswith("((") and literal.endswith("))"):
                return [self._arithmetic(raw[at + 3 : end - 2], literal, quoted)], end
            inner = raw[at + 2 : end - 1]
            if opening.startswith("("):
                return self._command(inner, literal, quoted), end
            return braced(inner, literal, quoted, self.parameters, self), end
        match = _PARAMETER.match(raw, at + 1)
        return (self.parameters.expanded(match[0], quoted), match.end()) if match else (raw[at], at + 1)

    def _command(self, text: str, literal: str, quoted: bool) -> list[Part]:
        output = self.substitute(text, self.scope) if self.depth < _DEPTH else None
        if output is None:
            self.scope.doubt(f"the output of {literal[:80]} is not known before it runs", self.source)
            return [Part(literal, quoted=True)]
        return self.parameters.part(output.rstrip("\n"), quoted)

    def _arithmetic(self, text: str, literal: str, quoted: bool) -> Part:
        filled = re.sub(r"\$?\{?([A-Za-z_]\w*)\}?", lambda match: self.scope.look_up(match[1]) or "0", text)
        result = arithmetic(filled)
        if result is None:
            self.scope.doubt(f"{literal[:80]} was not computed", self.source)
            return Part(literal, quoted=True)
        return Part(str(result), quoted=quoted)


def _stretches(text: str, special: re.Pattern[str], read: Callable[[int], _Read], *, quoted: bool) -> list[Part]:
    """`text` cut into parts: `read` gives what a special character starts, what lies between is plain."""
    found: list[Part] = []
    at, plain = 0, ""
    while at < len(text):
        match = special.search(text, at)
        stop = match.start() if match else len(text)
        plain += text[at:stop]
        at = stop
        if match is None:
            break
        made, at = read(at)
        if isinstance(made, str):
            plain += made
            continue
        if plain:
            found.append(Part(plain, quoted=quoted))
            plain = ""
        found += made
    if plain:
        found.append(Part(plain, quoted=quoted))
    return found
