"""What was evidently meant by the words that arrive, and what each layer did to them."""

import re
import shlex
from collections.abc import Mapping, Sequence

from msgspec import Struct

from probes.launches.arrival import Loss, Word
from probes.launches.shapes import bracket_depth, json_pieces, plain_dashes, repaired_json, shape_of, without_option
from probes.launches.shell.records import Token
from transcripts.records import Layer

_EVALUATES = frozenset({"typed", "shell", "ssh", "script"})
_FLAG = re.compile(r"--[A-Za-z]")
_LITERAL = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))")
_CURLY = str.maketrans({**dict.fromkeys("“”„‟", '"'), **dict.fromkeys("‘’‚‛", "'")})


class Meaning(Struct, frozen=True, kw_only=True):
    """The words with what they meant, the whole argv that was meant, and the losses."""

    words: tuple[Word, ...]
    meant: tuple[str, ...]
    losses: tuple[Loss, ...]


class _Span(Struct, frozen=True, kw_only=True):
    """`count` words from `start` on that were one value: `meant` (with its ``--option=``); `kept` is its text at the last layer, quotes kept."""

    start: int
    count: int
    meant: str
    kept: str


def meaning(
    tokens: Sequence[Token],
    gone: Sequence[tuple[int, str, tuple[str, ...]]],
    layers: Sequence[Layer],
    cut: Sequence[Token],
    environment: Mapping[str, str],
    secrets: Sequence[str],
) -> Meaning:
    """Reconstruct the argv that was meant. `gone` are words that expanded to nothing, `cut` those that a broken line end cut off."""
    reader = _Reader(tokens, layers, environment, frozenset(secrets))
    reader.read()
    losses = reader.losses
    for index, raw, names in gone:
        what = ", ".join("$" + name for name in names)
        losses.append(
            Loss(kind="dollar", layer=reader.last_layer, before=raw, after=(), position=index, text=f"{what} is not set: {raw} expands to nothing")
        )
    meant = reader.meant
    if cut:
        tail = _Reader(cut, layers, environment, frozenset(secrets))
        tail.read()
        text = "the command ends here: the next line is run as a command of its own"
        losses.append(Loss(kind="cut", layer=cut[0].layer, before=shlex.join(tail.meant), after=(), position=len(tokens), text=text))
        meant = meant + tail.meant
    return Meaning(words=tuple(reader.words), meant=tuple(meant), losses=tuple(sorted(losses, key=lambda loss: loss.position)))


class _Reader:
    def __init__(self, tokens: Sequence[Token], layers: Sequence[Layer], environment: Mapping[str, str], secrets: frozenset[str]) -> None:
        self.tokens, self.layers, self.environment, self.secrets = tokens, layers, environment, secrets
        self.texts = [token.text for token in tokens]
        self.words: list[Word] = []
        self.meant: list[str] = []
        self.losses: list[Loss] = []

    @property
    def last_layer(self) -> int:
        """The innermost layer that evaluates shell text (-1: none)."""
        return max((index for index, layer in enumerate(self.layers) if layer.kind in _EVALUATES), default=-1)

    def read(self) -> None:
        at = 0
        while at < len(self.tokens):
            span = self._raw_span(at) or self._text_span(at)
            if span is not None:
                self._whole(span)
                at += span.count
            else:
                self._single(at)
                at += 1

    def _word(self, at: int, meant: str = "", piece_of: int = -1) -> None:
        token = self.tokens[at]
        self.words.append(Word(text=token.text, raw=token.raw, source=token.source, meant=meant, piece_of=piece_of))

    # values of several words

    def _raw_span(self, at: int) -> _Span | None:
        """A JSON value as it stands in the source text, from the raw word at `at` on."""
        token = self.tokens[at]
        if token.group < 0 or (at and self.tokens[at - 1].group == token.group) or without_option(token.kept)[1][:1] not in ("{", "["):
            return None
        kept: list[str] = []
        depth, end, group = 0, at, -1
        while end < len(self.tokens):
            current = self.tokens[end]
            if current.group != group:
                if kept and (depth <= 0 or _FLAG.match(current.kept)):
                    break
                kept.append(current.kept)
                depth += bracket_depth(without_option(current.kept)[1] if end == at else current.kept)
                group = current.group
            end += 1
        if depth != 0:
            return None
        option, value = without_option(" ".join(kept))
        repaired = repaired_json(value)
        if repaired is None or (end - at == 1 and repaired_json(without_option(token.text)[1]) == without_option(token.text)[1]):
            return None
        return _Span(start=at, count=end - at, meant=option + repaired, kept=value)

    def _text_span(self, at: int) -> _Span | None:
        """A damaged JSON value told from the words alone."""
        option, value = without_option(self.texts[at])
        count = json_pieces(self.texts, at)
        if value.lstrip("'\"“‘\\")[:1] not in ("{", "["):
            previous = self.texts[at - 1] if at else ""
            pieces = self.texts[at : at + count + 1]
            if not count or not _FLAG.match(previous) or not any(shape_of(piece) == "alternative" for piece in pieces):
                return None
        elif not count and bracket_depth(value) != 0:
            return None
        pieces = [value, *self.texts[at + 1 : at + count + 1]]
        repaired = repaired_json(pieces)
        if repaired is None or (not count and repaired == value):
            return None
        return _Span(start=at, count=count + 1, meant=option + repaired, kept=self.tokens[at].kept or value)

    def _whole(self, span: _Span) -> None:
        start, stop = span.start, span.start + span.count
        several = span.count > 1
        for index in range(start, stop):
            self._word(index, span.meant if index == start else "", start if several else -1)
        self.meant.append(span.meant)
        fields = self.tokens[start:stop]
        after = tuple(token.text for token in fields)
        layer = fields[0].layer
        quoted = _bears_quotes(span.kept)
        before = max((index for index, one in enumerate(self.layers[: max(layer, 0)]) if one.kind in _EVALUATES), default=-1)
        if several:
            braces = any(token.how == "braces" for token in fields) or not set(after[0]) & set("{[")
            kind, what = ("expanded", "expanded the braces") if braces else ("split", "split it at its spaces")
            self._lose(kind, layer, span.meant, after, start, what + (" and removed its quotes" if quoted and '"' not in "".join(after) else ""))
        if several and not quoted and before >= 0:
            self._lose("stripped", before, span.meant, (span.kept,), start, "removed its quotes")
        if not several and shape_of(without_option(after[0])[1]) in ("stripped", "alternative"):
            self._lose("stripped", layer if quoted else before, span.meant, after, start, "removed its quotes")

    def _lose(self, kind: str, layer: int, before: str, after: tuple[str, ...], position: int, what: str) -> None:
        text = f"{self._name(layer)} {what}: {before[:200]} arrives as {' | '.join(after)[:200]}"
        self.losses.append(Loss(kind=kind, layer=layer, before=before, after=after, position=position, text=text))

    def _name(self, layer: int) -> str:
        if layer < 0:
            return "what ran the command"
        found = self.layers[layer]
        names = {
            "typed": "the shell it was typed in",
            "ssh": "the remote shell behind ssh",
            "script": found.source or "the script",
            "manifest": " ".join(found.words[:1]),
        }
        return names.get(found.kind, " ".join(found.words[:2]) or found.kind)

    # single words

    def _single(self, at: int) -> None:
        token = self.tokens[at]
        text, layer = token.text, token.layer
        option, value = without_option(text)
        if text and not text.strip(" \t\\") and (token.raw or text) != '""':
            self._word(at)
            self._lose("cut", layer, "\\", (text,), at, "read a backslash before a blank as a word, so the line ends here")
            return
        if text.endswith("\r") or plain_dashes(text) != text or (value and value[0] in "“”‘’„"):
            meant = plain_dashes(text.rstrip("\r")).translate(_CURLY)
            meant = option + value.translate(_CURLY).strip("\"'\r") if value[:1] in tuple("“”‘’„") else meant
            self._word(at, meant)
            self.meant.append(meant)
            self._lose("altered", layer, meant, (text,), at, "passed on characters that only look right")
            return
        if shape_of(text) in ("joined", "joined-equals") or (at == 0 and len(self.tokens) == 1 and shape_of(text) == "whole-command"):
            parts = _parted(text)
            self._word(at)
            self.meant += parts
            self._lose("joined", layer, shlex.join(parts), (text,), at, "passed several words as one argument")
            return
        expanded = self._literal(token, value)
        if expanded is not None:
            self._word(at, option + expanded if expanded != value else "")
            self.meant.append(option + expanded)
            self._lose("dollar", layer, option + expanded, (text,), at, "left the variable as it stands")
            return
        if token.vanished and token.how != "items":
            what = ", ".join("$" + name for name in token.vanished)
            self._lose("dollar", layer, token.raw, (text,), at, f"found {what} not set")
        self._word(at)
        self.meant.append(text)

    def _literal(self, token: Token, value: str) -> str | None:
        """`value` with the variables in it that arrive literally filled in as far as they are known; None where there are none."""
        names = [match[1] or match[2] for match in _LITERAL.finditer(value)]
        tilde = value == "~" or value.startswith("~/")
        if tilde and "HOME" in self.environment and not names:
            return self.environment["HOME"] + value[1:]
        if not tilde and (not names or all(name in self.secrets for name in names)):
            return None
        # An unquoted variable that a shell saw and could not fill is a doubt, not a literal.
        seen = token.layer >= 0 and self.layers[token.layer].kind in _EVALUATES
        if seen and token.raw and not re.search(r"'|\\\$", token.raw):
            return value if tilde else None
        return _LITERAL.sub(lambda match: self._filled(match), value)

    def _filled(self, match: re.Match[str]) -> str:
        name = match[1] or match[2]
        return match[0] if name in self.secrets else self.environment.get(name, match[0])


def _bears_quotes(text: str) -> bool:
    inner = text[1:-1] if len(text) > 1 and text[0] in "\"'" and text[-1] == text[0] else text
    return '"' in inner or "'" in inner


def _parted(text: str) -> list[str]:
    head, _, rest = text.partition(" ")
    if rest.lstrip()[:1] in ("{", "["):
        return [head, rest.lstrip()]
    if len(text) > 20_000:
        return [text]
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()
