"""A simulation of `argparse` over the words of a command line, as the CPython module works through them: what it would consume, refuse and leave.

The rules are those of `ArgumentParser.parse_known_args` (classification of words, prefixes, short options with a value attached, arity, converters,
choices, required options, what is left), with what vLLM's own parser does before it: ``--model`` moved to the front, underscores, ``-O3``,
dotted JSON. Pure.
"""

import json
import re
from typing import Any

from msgspec import Struct, field, structs

from probes.atlas.converters import Refusal, flag_name, refusal
from probes.atlas.table import Flag, FlagTable
from probes.frameworks.framework import ParserRules

_NEGATIVE = re.compile(r"^-\d+$|^-\d*\.\d+$")
_PAIR = re.compile(r"^[\"']?\w+[\"']?:[^/]")
_BEFORE_DOT = re.compile(r"(?<=--)[^.]*")


class Token(Struct, frozen=True, kw_only=True):
    """One word as the parser gets it; `index` is its place among the words given, `span` how many of them it stands for."""

    text: str
    index: int = -1
    span: int = 1


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


def prepared(words: tuple[str, ...], rules: ParserRules, framework: str) -> tuple[list[Token], int]:
    """The words as `argparse` gets them after the framework's own treatment, and how many of them at the front are the model by ``--model``."""
    tokens = [Token(text=word, index=index) for index, word in enumerate(words)]
    front = 0
    if framework == "vllm" and rules.positionals:
        tokens, front = _model_first(tokens)
    if framework == "sglang":
        tokens = _without_model_type(tokens)
    if framework == "sglang" and words and not words[0].startswith("-"):
        # ``sglang serve MODEL`` is the same as ``--model-path MODEL``.
        tokens.insert(0, Token(text="--model-path", index=0))
    if framework in ("vllm", "sglang"):
        tokens = _without_config(tokens)
    if rules.underscores:
        tokens = [_dashed(token) for token in tokens]
    if rules.dotted_json:
        tokens = _undotted(_levels(tokens))
    return tokens, front


def _model_first(tokens: list[Token]) -> tuple[list[Token], int]:
    for place, token in enumerate(tokens):
        if token.text == "--model" and place + 1 < len(tokens):
            moved = Token(text=tokens[place + 1].text, index=token.index, span=2)
            return [moved, *tokens[:place], *tokens[place + 2 :]], 1
        if token.text.startswith("--model="):
            moved = Token(text=token.text.removeprefix("--model="), index=token.index)
            return [moved, *tokens[:place], *tokens[place + 1 :]], 1
    return tokens, 0


def _without_model_type(tokens: list[Token]) -> list[Token]:
    """Without ``--model-type KIND``, which ``sglang serve`` itself takes before the parser sees the words."""
    kept: list[Token] = []
    place = 0
    while place < len(tokens):
        text = tokens[place].text
        if text == "--model-type":
            place += 1
        elif not text.startswith("--model-type="):
            kept.append(tokens[place])
        place += 1
    return kept


def _without_config(tokens: list[Token]) -> list[Token]:
    """Without ``--config FILE``: what the file says is not in the words."""
    for place, token in enumerate(tokens[:-1]):
        if token.text == "--config":
            return [*tokens[:place], *tokens[place + 2 :]]
    return tokens


def _dashed(token: Token) -> Token:
    if not token.text.startswith("--"):
        return token
    name, equals, value = token.text.partition("=")
    name = _BEFORE_DOT.sub(lambda match: match[0].replace("_", "-"), name, count=1)
    return Token(text=name + equals + value, index=token.index, span=token.span)


def _levels(tokens: list[Token]) -> list[Token]:
    made: list[Token] = []
    for place, token in enumerate(tokens):
        following = tokens[place + 1].text if place + 1 < len(tokens) else ""
        if token.text.startswith("-O") and token.text != "-O":
            made.append(Token(text="--optimization-level", index=token.index))
            made.append(Token(text=token.text[3:] if token.text[2] == "=" else token.text[2:], index=token.index))
        elif token.text == "-O" and following in ("0", "1", "2", "3"):
            made.append(Token(text="--optimization-level", index=token.index))
        else:
            made.append(token)
    return made


def _undotted(tokens: list[Token]) -> list[Token]:
    """``--x.key v`` gathered into one ``--x {"key": …}`` at the end."""
    kept: list[Token] = []
    gathered: dict[str, tuple[dict[str, Any], int, int]] = {}
    place = 0
    while place < len(tokens):
        token = tokens[place]
        name, equals, value = token.text.partition("=")
        if not (token.text.startswith("-") and "." in name) or _NEGATIVE.match(token.text):
            kept.append(token)
            place += 1
            continue
        span = 1
        if not equals:
            if place + 1 >= len(tokens):
                kept.append(token)
                break
            value, span = tokens[place + 1].text, 2
        key, *path = name.rstrip("+").split(".")
        tree, index, _ = gathered.get(key, ({}, token.index, span))
        _merge(tree, _nested(path, value.split(",") if name.endswith("+") else _loaded(value)))
        gathered[key] = (tree, index, span)
        place += span
    for key, (tree, index, span) in gathered.items():
        kept += [Token(text=key, index=index, span=span), Token(text=json.dumps(tree), index=index, span=span)]
    return kept


def _loaded(value: str) -> Any:
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _nested(path: list[str], value: Any) -> dict[str, Any]:
    for key in reversed(path):
        value = {key: value}
    return dict(value)


def _merge(into: dict[str, Any], more: dict[str, Any]) -> None:
    for key, value in more.items():
        old = into.get(key)
        if isinstance(old, dict) and isinstance(value, dict):
            _merge(old, value)
        elif isinstance(old, list) and isinstance(value, list):
            into[key] = [*old, *value]
        else:
            into[key] = value


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
        if _NEGATIVE.match(text) or " " in text:
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
