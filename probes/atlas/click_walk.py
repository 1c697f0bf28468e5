"""A simulation of click's option parser over the words of a command line. Pure.

click stops at the first unknown option, option without its value, or value for a switch; values are converted after all words were read.
"""

import json

from probes.atlas.argparse_walk import Trouble, Walked
from probes.atlas.converters import flag_name, refusal
from probes.atlas.preparing import Token
from probes.atlas.table import Flag, FlagTable


def walk_click(words: tuple[str, ...], table: FlagTable) -> Walked:
    """What click says of `words`: its own first error first, then those that would follow it."""
    names = {name: flag for flag in table.flags for name in flag.names}
    spare = any(not flag.names and flag.nargs == -1 for flag in table.flags)
    troubles: list[Trouble] = []
    left: list[tuple[Token, str]] = []
    seen: set[str] = set()
    place, last, after = 0, "", False
    while place < len(words):
        word = words[place]
        name, equals, value = word.partition("=")
        flag = names.get(name)
        if word == "--" and not after:
            after = True
        elif after or not word.startswith("-") or word == "-":
            if not spare or last:
                left.append((Token(text=word, index=place), last))
        elif name == "--help":
            return Walked(troubles=tuple(troubles), left=tuple(left), positionals=(), seen=frozenset(seen), helped=True)
        elif flag is None:
            attached = names.get(word[:2]) if not word.startswith("--") else None
            if attached is not None:
                seen.update(attached.names)
                _value(troubles, attached, word[2:], place, 1, table)
            else:
                left.append((Token(text=name, index=place), ""))
                if not equals and place + 1 < len(words) and not words[place + 1].startswith("-"):
                    place += 1
                    left.append((Token(text=words[place], index=place), name))
        else:
            seen.update(flag.names)
            place, last = _known(troubles, flag, (name, equals, value), words, place, table)
            continue
        place += 1
        last = ""
    kept = tuple(item for item in left if item[0].text.startswith("-") or item[1] or not spare)
    return Walked(troubles=tuple(troubles), left=kept, positionals=(), seen=frozenset(seen))


def _known(troubles: list[Trouble], flag: Flag, split: tuple[str, str, str], words: tuple[str, ...], place: int, table: FlagTable) -> tuple[int, str]:
    """Consume a known option; the next place, and the option's name where it is a switch that a stray value may follow."""
    name, equals, value = split
    if not flag.takes_value:
        if equals:
            text = f"{name} is a switch and takes no value, and gets {value!r}"
            troubles.append(_trouble("takes-no-value", flag, place, 1, text, value=value))
        return place + 1, name
    if equals:
        _value(troubles, flag, value, place, 1, table)
        return place + 1, ""
    if place + 1 >= len(words):
        troubles.append(_trouble("expected-argument", flag, place, 1, f"{name} gets no value: it is the last word", value=""))
        return place + 1, ""
    _value(troubles, flag, words[place + 1], place, 2, table)
    return place + 2, ""


def _value(troubles: list[Trouble], flag: Flag, value: str, place: int, length: int, table: FlagTable) -> None:
    refused = refusal(flag, value, table)
    if refused is not None:
        troubles.append(_trouble(refused.kind, flag, place, length, refused.text, stage=2, **refused.parameters))


def _trouble(kind: str, flag: Flag, place: int, length: int, text: str, *, stage: int = 1, **parameters: str) -> Trouble:
    if kind == "invalid-choice" and "choices" not in parameters:
        parameters["choices"] = json.dumps(list(flag.choices or ()))
    return Trouble(kind=kind, flag=flag_name(flag), index=place, length=length, stage=stage, text=text, parameters=parameters, option=flag)
