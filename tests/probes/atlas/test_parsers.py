"""The shipped atlas against the real parsers of releases of every era: names, destinations, arity, types and choices.

`parsers/FRAMEWORK-RELEASE.json` holds what the live parser object said, an option a row: its names, its destination, ``nargs`` (0 for a switch), the
name of its converter, its choices. Older releases were asked with empty stand-ins in the place of torch and what else their parser does not need.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from probes.atlas.history import table_for
from probes.atlas.table import Flag

PARSERS = Path(__file__).parent / "parsers"
RELEASES = [path.stem for path in sorted(PARSERS.glob("*.json"))]
DIFFERENCES = {
    # The platform gives them.
    ("--mm-processor-device", "choices"),
    # The parser of 0.8.5 takes the choices of one of two literal types; which one, the order of a set decides in each run.
    ("--guided-decoding-backend", "choices"),
    ("--guided-decoding-backend", "type"),
}
"""What a source cannot tell: such an option is uncertain in the atlas."""


def _real(name: str) -> tuple[str, str, list[list[Any]]]:
    recorded = json.loads((PARSERS / f"{name}.json").read_text())
    return recorded["framework"], recorded["release"], recorded["options"]


def _key(names: str, dest: str) -> str:
    return names or f"<{dest}>"


def _flags(framework: str, release: str) -> dict[str, Flag]:
    table = table_for(framework, release)
    assert table is not None
    return {_key(" ".join(flag.names), flag.dest): flag for flag in table.flags}


@pytest.mark.parametrize("name", RELEASES)
def test_the_same_options(name: str) -> None:
    """None is missing, none is too many; aliases and destinations are the same."""
    framework, release, rows = _real(name)
    expected = {_key(names, dest): dest for names, dest, *_ in rows}
    assert expected == {key: flag.dest for key, flag in _flags(framework, release).items()}


@pytest.mark.parametrize("name", RELEASES)
def test_the_same_values(name: str) -> None:
    """An option takes as many values as the real one, of the same choices; where the source cannot tell, the atlas says so."""
    framework, release, rows = _real(name)
    flags = _flags(framework, release)
    wrong: list[tuple[str, str]] = []
    for names, dest, nargs, _, choices in rows:
        flag = flags[_key(names, dest)]
        said = {
            "arity": (nargs != 0, nargs) == (flag.takes_value, flag.nargs) or (framework == "litellm" and (nargs == 0) is not flag.takes_value),
            "choices": (None if choices is None else sorted(map(str, choices))) == (None if flag.choices is None else sorted(flag.choices)),
        }
        wrong += [(flag.names[0] if flag.names else dest, what) for what, same in said.items() if not same and not _cannot_tell(flag, what)]
    assert [] == wrong


@pytest.mark.parametrize("name", RELEASES)
def test_the_same_converters(name: str) -> None:
    """Plain types are the real ones; what is JSON there is JSON here."""
    framework, release, rows = _real(name)
    flags = _flags(framework, release)
    wrong = [
        (names, real, flags[_key(names, dest)].type)
        for names, dest, nargs, real, _ in rows
        if nargs != 0 and not _cannot_tell(flags[_key(names, dest)], "type") and not _same_type(real, flags[_key(names, dest)].type)
    ]
    assert [] == wrong


def _cannot_tell(flag: Flag, what: str) -> bool:
    return flag.uncertain and any((name, what) in DIFFERENCES for name in flag.names)


def _same_type(real: str | None, ours: str) -> bool:
    if real is None:
        return ours == "str"
    plain = ("int", "float", "str", "integer", "text", "boolean", "integer range", "union_dict_and_str")
    if real in plain:
        return ours == real
    return ours != "" if "<locals>" in real else ours in (real, real.rpartition(".")[2], "json")
