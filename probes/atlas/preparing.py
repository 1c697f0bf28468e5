"""The words of a command line as `argparse` gets them, after the framework's own parser has been over them. Pure.

vLLM's moves ``--model`` to the front, turns underscores into dashes, reads ``-O3`` and gathers dotted JSON; SGLang's takes a first word for
its model.
"""

import json
import re
from typing import Any

from msgspec import Struct

from probes.frameworks.framework import ParserRules

NEGATIVE = re.compile(r"^-\d+$|^-\d*\.\d+$")
"""A negative number, which is no option."""
_BEFORE_DOT = re.compile(r"(?<=--)[^.]*")


class Token(Struct, frozen=True, kw_only=True):
    """One word as the parser gets it; `index` is its place among the words given, `span` how many of them it stands for."""

    text: str
    index: int = -1
    span: int = 1


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
        if not (token.text.startswith("-") and "." in name) or NEGATIVE.match(token.text):
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
