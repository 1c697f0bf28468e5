"""A simulation of `argparse` over the words of a command line, as the CPython module works through them: what it would consume, refuse and leave.

The rules are those of `ArgumentParser.parse_known_args` (classification of words, prefixes, short options with a value attached, arity, converters,
choices, required options, what is left); the words come from `probes.atlas.preparing`, which does what the framework's own parser does before. Pure.
"""

import json
import re

from msgspec import Struct, field, structs

from probes.atlas.converters import Refusal, flag_name, refusal
from probes.atlas.preparing import NEGATIVE, Token
from probes.atlas.table import Flag, FlagTable
from probes.frameworks.framework import ParserRules

_PAIR = re.compile(r"^[\"']?\w+[\"']?:[^/]")


class Trouble(Struct, frozen=True, kw_only=True):
    """One error: its kind, its parameters, and the words it is about.

    `stage` orders: 0 classification, 1 words, 2 required, 3 left over, 4 after the parser.
    """

    kind: str
    flag: str
    index: int
    length: int
    stage: int
    text: str
    parameters: dict[str, str] = field(default_factory=dict)
    option: Flag | None = None
    known: bool = True


class Walked(Struct, frozen=True, kw_only=True):
    """The result: troubles in the order in which they were met, words left over (with the option before each), positionals, the options seen."""

    troubles: tuple[Trouble, ...]
    left: tuple[tuple[Token, str], ...]
    positionals: tuple[tuple[Token, str], ...]
    seen: frozenset[str]
    helped: bool = False


class _Option(Struct, frozen=True, kw_only=True):
    """A word classified as an option: the flag (None: unknown), the name it goes by, and the value attached to it."""

    flag: Flag | None
    name: str
    attached: str | None = None
    ambiguous: tuple[str, ...] = ()


class Machine:
    """One run of the simulation."""

    def __init__(self, table: FlagTable, rules: ParserRules) -> None:
        self.table = table
        self.rules = rules
        self.names = {name: flag for flag in table.flags for name in flag.names if name.startswith("-")}
        self.troubles: list[Trouble] = []
        self.left: list[tuple[Token, str]] = []
        self.positionals: list[tuple[Token, str]] = []
        self.seen: set[str] = set()
        self.capacity = [flag for flag in table.flags if not flag.names or not flag.names[0].startswith("-")]
        self.helped = False
        self.last = ""

    def run(self, tokens: list[Token]) -> Walked:
        """Work through `tokens`."""
        options = self._classified(tokens)
        place = 0
        while place < len(tokens) and not self.helped:
            place = self._option(tokens, place, options) if place in options else self._words(tokens, place, options)
        return Walked(
            troubles=tuple(self.troubles), left=tuple(self.left), positionals=tuple(self.positionals), seen=frozenset(self.seen), helped=self.helped
        )

    def _classified(self, tokens: list[Token]) -> dict[int, _Option]:
        found: dict[int, _Option] = {}
        for place, token in enumerate(tokens):
            if token.text == "--":
                break
            option = self._parse(token.text)
            if option is not None:
                found[place] = option
        return found

    def _parse(self, text: str) -> _Option | None:
        if not text.startswith("-") or len(text) == 1:
            return None
        if text in self.names:
            return _Option(flag=self.names[text], name=text)
        name, equals, value = text.partition("=")
        if equals and name in self.names:
            return _Option(flag=self.names[name], name=name, attached=value)
        if self.rules.abbreviations:
            matches = self._matches(text)
            if len(matches) > 1:
                return _Option(flag=None, name=name, attached=value if equals else None, ambiguous=tuple(match.name for match in matches))
            if matches:
                return matches[0]
        if NEGATIVE.match(text) or " " in text:
            return None
        return _Option(flag=None, name=name)

    def _matches(self, text: str) -> list[_Option]:
        if text.startswith("--"):
            prefix, equals, value = text.partition("=")
            return [_Option(flag=flag, name=name, attached=value if equals else None) for name, flag in self.names.items() if name.startswith(prefix)]
        found: list[_Option] = []
        for name, flag in self.names.items():
            if name == text[:2]:
                found.append(_Option(flag=flag, name=name, attached=text[2:]))
            elif name.startswith(text):
                found.append(_Option(flag=flag, name=name))
        return found

    def _option(self, tokens: list[Token], place: int, options: dict[int, _Option]) -> int:
        option, token = options[place], tokens[place]
        if option.ambiguous:
            self.last = option.name
            text = f"{option.name} could be {', '.join(option.ambiguous[:6])}"
            end = place + 1
            while end < len(tokens) and end not in options and option.attached is None and end - place < 2:
                end += 1
            self._trouble(
                "ambiguous-option", option.name, token, end - place, text, stage=0, known=False, parameters={"matches": json.dumps(option.ambiguous)}
            )
            return end
        if option.flag is None:
            self.left.append((token, ""))
            self.last = token.text
            return place + 1
        flag = option.flag
        self.seen.update(flag.names)
        self.last = option.name
        if option.attached is None and "--help" in flag.names:
            self.helped = True
            return place + 1
        if not flag.takes_value:
            return self._switch(option, tokens, place, options)
        if option.attached is not None:
            length = self._typed_length(flag, tokens, place, options)
            refused = self._convert(flag, [(token, option.attached)], token, length)
            return place + (length if refused else 1)
        return self._valued(flag, tokens, place, options)

    def _switch(self, option: _Option, tokens: list[Token], place: int, options: dict[int, _Option]) -> int:
        flag, token = option.flag, tokens[place]
        if option.attached is None or flag is None or flag.uncertain:
            return place + 1
        length = self._typed_length(flag, tokens, place, options)
        text = f"{option.name} is a switch and takes no value, and gets {option.attached!r}"
        self._trouble("takes-no-value", self._named(flag, token), token, length, text, option=flag, parameters={"value": option.attached})
        return place + length

    def _typed_length(self, flag: Flag, tokens: list[Token], place: int, options: dict[int, _Option]) -> int:
        """2 for ``-host 0.0.0.0``, whose value belongs to the option that was meant; else 1."""
        meant = self._named(flag, tokens[place]) != flag_name(flag)
        return 2 if meant and place + 1 < len(tokens) and place + 1 not in options and "=" not in tokens[place].text else 1

    def _valued(self, flag: Flag, tokens: list[Token], place: int, options: dict[int, _Option]) -> int:
        low, high = _arity(flag.nargs)
        end = place + 1
        while end < len(tokens) and end not in options and tokens[end].text != "--" and end - place <= high:
            end += 1
        values = [(tokens[i], tokens[i].text) for i in range(place + 1, end)]
        if len(values) < low:
            if not flag.uncertain:
                following = tokens[end].text if end < len(tokens) else ""
                text = f"{flag_name(flag)} gets no value: " + (f"{following} follows it" if following else "it is the last word")
                self._trouble("expected-argument", flag_name(flag), tokens[place], end - place, text, option=flag, parameters={"value": following})
            return end
        refused = self._convert(flag, values, tokens[place], 1 + len(values))
        if refused:
            return self._swallow(flag, tokens, end, options, 1 + len(values))
        return end

    def _swallow(self, flag: Flag, tokens: list[Token], end: int, options: dict[int, _Option], length: int) -> int:
        """After a refused value: the words up to the next option are pieces of the same value, for JSON."""
        if flag.type not in ("json", "union_dict_and_str"):
            return end
        start = end
        text = tokens[end - 1].text
        while end < len(tokens) and end not in options and (_depth(text) > 0 or _PAIR.match(tokens[end].text)):
            text += tokens[end].text
            end += 1
        if end > start:
            self.troubles[-1] = structs.replace(self.troubles[-1], length=length + end - start)
        return end

    def _convert(self, flag: Flag, values: list[tuple[Token, str]], token: Token, length: int) -> bool:
        for _, value in values:
            refused = refusal(flag, value, self.table)
            if refused is not None:
                self._refused(flag, refused, token, length)
                return True
        return False

    def _refused(self, flag: Flag, refused: Refusal, token: Token, length: int) -> None:
        self._trouble(
            refused.kind,
            self._named(flag, token),
            token,
            length,
            refused.text,
            stage=4 if refused.late else 1,
            option=flag,
            parameters=refused.parameters,
        )

    def _named(self, flag: Flag, token: Token) -> str:
        """What an error about `flag` is about: ``-host`` itself where the parser takes it for ``-h`` with a value, and ``--host`` was meant."""
        typed = token.text.partition("=")[0]
        if typed.startswith("--") or typed in self.names or "-" + typed not in self.names or typed[:2] not in flag.names:
            return flag_name(flag)
        return typed

    def _words(self, tokens: list[Token], place: int, options: dict[int, _Option]) -> int:
        end = place
        while end < len(tokens) and end not in options:
            end += 1
        for at in range(place, end):
            token = tokens[at]
            if token.text == "--" and self.capacity and at + 1 < end:
                continue
            if self.capacity and token.text != "--":
                flag = self.capacity[0]
                if flag.nargs not in ("*", "+"):
                    self.capacity.pop(0)
                self.positionals.append((token, self.last))
            else:
                self.left.append((token, self.last))
        return end

    def _trouble(
        self,
        kind: str,
        flag: str,
        token: Token,
        length: int,
        text: str,
        *,
        stage: int = 1,
        option: Flag | None = None,
        known: bool = True,
        parameters: dict[str, str] | None = None,
    ) -> None:
        span = token.span if token.span > 1 else length
        self.troubles.append(
            Trouble(
                kind=kind, flag=flag, index=token.index, length=span, stage=stage, text=text, parameters=parameters or {}, option=option, known=known
            )
        )


def _arity(nargs: str | int | None) -> tuple[int, int]:
    """How many words an option takes: at least, at most."""
    if nargs is None:
        return 1, 1
    if isinstance(nargs, int):
        return nargs, nargs
    return {"?": (0, 1), "*": (0, 10**6), "+": (1, 10**6)}.get(nargs, (0, 10**6))


def _depth(text: str) -> int:
    """How many brackets are still open."""
    return sum(text.count(char) for char in "{[") - sum(text.count(char) for char in "}]")
