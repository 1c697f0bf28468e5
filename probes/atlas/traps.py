"""What a parser takes without a word though something else was meant: no error, in no log. Pure but for the shipped data.

An option that the parser drops, an abbreviation that it takes for another option, a value that it no longer looks at. None of these ends the launch
in the parser, so none is held to be lethal.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from probes.atlas.converters import flag_name
from probes.atlas.history import history, release_key
from probes.atlas.questions import canonical, lifetime, options_of
from probes.atlas.table import FlagTable
from probes.frameworks.framework import Framework
from transcripts.records import Fault, Sign

_SOURCE = "check"
_SILENT = 62
"""After every error of the parser: these show late, or never."""
_FALSE_KEPT = "0.28.0"
"""The first vLLM that makes ``--no-x`` of ``x: false`` in its configuration file."""


def traps(options: tuple[str, ...], table: FlagTable, framework: Framework, *, offset: int = 0) -> tuple[Fault, ...]:
    """What the parser of this release takes silently among `options` (the words after the entry point, the first of them at `offset` in the argv)."""
    if framework.rules.kind != "argparse":
        return ()
    found: list[Fault] = []
    for index, word in enumerate(options):
        if word == "--":
            break
        if not word.startswith("--"):
            continue
        name, equals, value = word.partition("=")
        given = value if equals else options[index + 1] if index + 1 < len(options) else ""
        place = {"index": str(offset + index), "length": "1"}
        found += _ignored_file(word, framework, place)
        found += _caught(canonical(framework.name, name), table, framework, place)
        found += _unchecked(canonical(framework.name, name), given, table, {**place, "length": "1" if equals else "2"})
    return tuple(found)


def _ignored_file(word: str, framework: Framework, place: Mapping[str, str]) -> Iterator[Fault]:
    """vLLM looks for the word ``--config`` alone, in every release that has it."""
    if framework.name == "vllm" and word.startswith("--config="):
        path = word.partition("=")[2]
        sign = Sign(variable="delivery", value="joined", parameters={"flag": "--config", "value": word, **place}, source=_SOURCE)
        text = f"{word} is one word, and vLLM looks for --config alone: the file is never read, and nothing says so. Write --config {path}."
        yield Fault(signs=(sign,), order=_SILENT, text=text)


def _caught(name: str, table: FlagTable, framework: Framework, place: Mapping[str, str]) -> Iterator[Fault]:
    """An abbreviation of exactly one option: the parser takes it for that."""
    if not framework.rules.abbreviations or "." in name:
        return
    options = [(other, option) for option in table.flags for other in option.names if other.startswith(name)]
    if len({other for other, _ in options}) != 1 or options[0][0] == name or options[0][1].uncertain:
        return
    taken = options[0][0]
    life = lifetime(table.framework, name)
    own = f" {name} is an option of its own in {life.first} to {life.last}." if life.spans else ""
    sign = Sign(variable="kin", value="near", parameters={"flag": name, "near": taken, **place}, source=_SOURCE)
    text = f"{name} is no option of this release; the parser takes it for {taken}, which begins so.{own} Write {taken} if that is meant."
    yield Fault(signs=(sign,), order=_SILENT, text=text, established=False)


def _unchecked(name: str, value: str, table: FlagTable, place: Mapping[str, str]) -> Iterator[Fault]:
    """A value outside those that the usage of this release names: its parser takes any text, and what comes after it fails, if no plugin knows it."""
    option = table.find(name)
    if option is None or option.uncertain or not option.known or not value or value.startswith("-") or value in option.known:
        return
    if option.nullable and value == "None":
        return
    since = _since_unchecked(name, table)
    known = ", ".join(option.known)
    parameters = {"flag": flag_name(option), "value": value, "choices": json.dumps(list(option.known)), **place}
    sign = Sign(variable="error", value="invalid-choice", parameters=parameters, source=_SOURCE)
    text = (
        f"The parser takes any text for {name}{f' since {since}' if since else ''}; this release knows {known}, and not {value!r}. "
        "If no plugin adds it, the launch fails after its arguments."
    )
    yield Fault(signs=(sign,), order=_SILENT, text=text, established=False)


def _since_unchecked(name: str, table: FlagTable) -> str:
    """The first release, not newer than the table's, whose parser no longer held the value against a list; empty where none ever did."""
    known = history(table.framework)
    key = release_key(table.release)
    if known is None or not key:
        return ""
    ends = [runs[-1] for option, runs in options_of(known, name) if option.choices and known.keys[runs[-1]] < key]
    return known.releases[max(ends) + 1] if ends and max(ends) + 1 < len(known.releases) else ""


def dropped_keys(config: Mapping[str, Any], table: FlagTable, framework: Framework, path: str) -> tuple[Fault, ...]:
    """Keys of vLLM's configuration file that are ``false`` where the option is on by itself: dropped before 0.28.0, so the option stays on."""
    key = release_key(table.release)
    if framework.name != "vllm" or not key or key >= release_key(_FALSE_KEPT):
        return ()
    return tuple(_dropped(config, table, path))


def _dropped(config: Mapping[str, Any], table: FlagTable, path: str) -> Iterable[Fault]:
    for name, value in config.items():
        flag = canonical("vllm", f"--{name}")
        inverse = f"--no-{flag[2:]}"
        option = table.find(flag)
        if value is not False or option is None or option.uncertain or option.default is False or inverse not in option.names:
            continue
        sign = Sign(variable="shape", value="boolean-word", parameters={"flag": flag, "value": "false", "path": path}, source=_SOURCE)
        text = (
            f"In {path}: {name}: false is dropped by this release (before {_FALSE_KEPT}), and the option keeps its default. Give {inverse} instead."
        )
        yield Fault(signs=(sign,), order=_SILENT, text=text)
