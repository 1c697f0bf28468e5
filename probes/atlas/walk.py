"""The static walk: every fault of the argument parser that a command line will meet, predicted from the flag table without running anything."""

import json

from msgspec import structs

from probes.atlas.argparse_walk import Machine, Trouble, Walked
from probes.atlas.click_walk import walk_click
from probes.atlas.converters import flag_name, late_json, wants_json
from probes.atlas.kinship import kin
from probes.atlas.preparing import Token, prepared
from probes.atlas.table import FlagTable
from probes.frameworks.framework import Framework
from probes.launches.shapes import plain_dashes, shape_of
from transcripts.records import Fault, Sign

_FIRST = 20
_SOURCE = "check"
_LATE = 60
"""Faults that show only after the parser (a swallowed word that became the model, a key that a later check refuses)."""
_BOOLEAN = frozenset({"true", "false", "yes", "no", "on", "off", "1", "0"})


def walk(options: tuple[str, ...], table: FlagTable, framework: Framework, *, offset: int = 0) -> tuple[Fault, ...]:
    """The faults of `options` (the words after the entry point), in the order in which the parser would die of them.

    `offset` is the index of the first of them in the whole argv. Nothing is said of an option that the table is not sure of.
    """
    if framework.rules.kind == "click":
        walked = walk_click(options, table)
        stray: tuple[tuple[Token, str], ...] = ()
    else:
        tokens, front = prepared(options, framework.rules, framework.name)
        walked = Machine(table, framework.rules).run(tokens)
        stray = walked.positionals[front:]
    click = framework.rules.kind == "click"
    tokens_left = "" if click else json.dumps([token.text for token, _ in walked.left], ensure_ascii=False)
    split, walked = _behind_json(walked)
    troubles = [*split, *_required(walked, table, framework, options), *_left(walked, stray), *_models(walked, stray)]
    troubles.sort(key=lambda trouble: trouble.stage)
    return tuple(_fault(trouble, place, table, framework, offset, tokens_left) for place, trouble in enumerate(troubles))


def subcommand_fault(argv: tuple[str, ...], table: FlagTable, framework: Framework, *, offset: int = 0) -> Fault | None:
    """The fault of a first word behind the program (`argv`, program word first) that is none of its subcommands; `offset` is that of `argv`."""
    word = argv[1] if len(argv) > 1 else ""
    if not table.subcommands or not word or word.startswith("-") or word in table.subcommands:
        return None
    parameters = {"value": word, "choices": json.dumps(list(table.subcommands)), "index": str(offset + 1), "length": "1"}
    text = f"{framework.program} has no command {word!r}; it has {', '.join(table.subcommands)}"
    return Fault(signs=(Sign(variable="error", value="invalid-subcommand", parameters=parameters, source=_SOURCE),), order=_FIRST - 1, text=text)


def _required(walked: Walked, table: FlagTable, framework: Framework, options: tuple[str, ...]) -> list[Trouble]:
    if walked.helped or framework.config_flag in options:
        return []
    missing = [flag for flag in table.flags if flag.required and flag.names and not flag.uncertain and not walked.seen & set(flag.names)]
    if not missing:
        return []
    names = ", ".join(flag_name(flag) for flag in missing)
    return [Trouble(kind="required-missing", flag=names, index=-1, length=0, stage=2, text=f"{framework.name} needs {names}")]


def _behind_json(walked: Walked) -> tuple[list[Trouble], Walked]:
    """The troubles, and what is left over otherwise: words behind JSON that the parser took for plain text are the rest of that JSON."""
    troubles: list[Trouble] = []
    left = list(walked.left)
    for trouble in walked.troubles:
        end = trouble.index + trouble.length
        while trouble.option is not None and late_json(trouble.option):
            piece = next((item for item in left if item[0].index == end and not item[0].text.startswith("-")), None)
            if piece is None:
                break
            left.remove(piece)
            end += piece[0].span
        rest = end - trouble.index
        troubles.append(trouble if rest == trouble.length else structs.replace(trouble, kind="unrecognised", stage=3, length=rest))
    return troubles, structs.replace(walked, left=tuple(left))


def _left(walked: Walked, stray: tuple[tuple[Token, str], ...]) -> list[Trouble]:
    """One trouble for each root among the words left over: an unknown option with the words behind it, or a word that belongs to none."""
    if walked.helped:
        return []
    roots: list[Trouble] = []
    innocent = {token.index + token.span for token, _ in walked.left if " " in token.text and token.text.startswith("-") and token.span > 1}
    swallowed = any(" " in token.text and token.text.startswith("-") for token, _ in stray)
    for token, after in walked.left:
        flag_like = plain_dashes(token.text).startswith("-") and " " not in token.text
        previous = roots[-1] if roots else None
        joined = token.text.startswith("--") and " " in token.text
        if (
            not flag_like
            and not joined
            and previous is not None
            and not previous.known
            and previous.index <= token.index <= previous.index + previous.length
        ):
            roots[-1] = structs.replace(previous, length=max(previous.length, token.index + token.span - previous.index))
            continue
        if previous is not None and previous.index == token.index:
            continue  # the JSON that the parser made of a joined word with a dot in it
        if not flag_like and token.index in innocent:
            continue  # the value of an option that such a word took for its own value
        if not flag_like and swallowed and " " not in token.text and token.text.lower() not in _BOOLEAN:
            continue  # the innocent model: a joined word stands in its place
        roots.append(_root(token, after, flag_like))
    return roots


def _root(token: Token, after: str, flag_like: bool) -> Trouble:
    head = token.text.split(None, 1)[0] if token.text.startswith("-") and " " in token.text else token.text
    name = head.partition("=")[0] if flag_like or head.startswith("-") else head
    parameters = {"value": token.text, **({"after": after} if after else {})}
    text = _left_text(token, after)
    return Trouble(
        kind="unrecognised",
        flag=name,
        index=token.index,
        length=token.span if flag_like else 1,
        stage=3,
        text=text,
        parameters=parameters,
        known=not flag_like,
    )


def _left_text(token: Token, after: str) -> str:
    if " " in token.text and token.text.startswith("-"):
        return f"{token.text!r} arrives as one word; an option and its value are two"
    if token.text.startswith("-"):
        return f"{token.text.partition('=')[0]} is no option of this command"
    return f"the word {token.text!r}" + (f" behind {after}" if after else "") + " belongs to no option"


def _models(walked: Walked, stray: tuple[tuple[Token, str], ...]) -> list[Trouble]:
    """Words that the optional model argument swallowed though they are none."""
    found: list[Trouble] = []
    innocent = any(not token.text.startswith("-") for token, _ in walked.left)
    for token, after in stray:
        joined = token.text.startswith("-") and " " in token.text
        boolean = bool(after) and token.text.lower() in _BOOLEAN
        if not joined and not boolean:
            continue
        name = token.text.split(None, 1)[0].partition("=")[0] if joined else token.text
        text = _left_text(token, after) + "; it is taken for the model"
        if innocent:
            found.append(Trouble(kind="unrecognised", flag=name, index=token.index, length=1, stage=3, text=text, parameters={"value": token.text}))
        else:
            kind = "repository-invalid" if joined else "repository-not-found"
            parameters = {"value": token.text, "model": token.text, **({"after": after} if after else {})}
            found.append(Trouble(kind=kind, flag=name, index=token.index, length=1, stage=4, text=text, parameters=parameters))
    return found


def _fault(trouble: Trouble, place: int, table: FlagTable, framework: Framework, offset: int, tokens: str) -> Fault:
    parameters = {"flag": trouble.flag, **trouble.parameters}
    if trouble.index >= 0:
        parameters.update(index=str(offset + trouble.index), length=str(trouble.length))
    if trouble.kind == "unrecognised":
        # click names the first one only
        parameters["tokens"] = tokens or json.dumps([trouble.parameters.get("value", trouble.flag)], ensure_ascii=False)
    signs = [Sign(variable="error", value=trouble.kind, parameters=parameters, source=_SOURCE)]
    signs += _shape(trouble)
    signs += _registered(trouble, table, framework)
    return Fault(signs=tuple(signs), order=(_LATE if trouble.stage == 4 else _FIRST) + place, text=trouble.text[:1].upper() + trouble.text[1:] + ".")


def _shape(trouble: Trouble) -> list[Sign]:
    value = trouble.parameters.get("value")
    if value is None or trouble.kind in ("unexpected-key", "validation"):
        return []
    if trouble.kind == "expected-argument":
        shape = "next-flag" if value.startswith("-") else "empty"
    else:
        option = trouble.option
        shape = shape_of(value, wants_json=option is not None and wants_json(option)).replace("_", "-")
        if trouble.kind == "unrecognised" and shape == "intact" and not value.startswith("-"):
            shape = "word"
    return [Sign(variable="shape", value=shape, parameters={"flag": trouble.flag, "value": value}, source=_SOURCE)]


def _registered(trouble: Trouble, table: FlagTable, framework: Framework) -> list[Sign]:
    if trouble.option is not None and trouble.flag not in trouble.option.names and trouble.flag.startswith("-"):
        return list(kin(trouble.flag, table=table, framework=framework.name, release=table.release, command=table.command))
    if trouble.option is not None and trouble.known:
        return [Sign(variable="registered", value="yes", parameters={"flag": trouble.flag}, source=_SOURCE)]
    if " " in trouble.parameters.get("value", "") and trouble.flag.startswith("--"):
        found = [sign for sign in kin(trouble.flag, table=table, framework=framework.name, release=table.release) if sign.variable == "registered"]
        return found if trouble.known else []
    if trouble.kind == "unrecognised" and not trouble.known:
        return list(kin(trouble.flag, table=table, framework=framework.name, release=table.release, command=table.command))
    return []
