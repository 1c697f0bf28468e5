"""The walk and the extractor against the real parsers: what they predict is what vLLM itself says."""

import json
import random
import subprocess
from pathlib import Path

import pytest

from agent.reading.argparse_errors import read_argparse
from probes.atlas.history import table_for
from probes.atlas.source import read_flags
from probes.atlas.table import Flag, FlagTable
from probes.atlas.walk import walk
from probes.frameworks.vllm import VLLM

pytestmark = pytest.mark.live

HERE = Path(__file__).parent
VALUES = ("true", "abc", '{"a":1}', "x=1", "-1", "", "3.5", "4k", "None", "auto", "/p/x.json", "image:4")
GOOD = {"int": "3", "float": "0.5", "str": "word", "json": "{}", "union_dict_and_str": '{"a":1}'}
UNSEEN = ("--model", "--config", "--help", "--lora-modules")
"""Options that the parser treats before or after its own work."""


def _table(vllm: Path, cache: Path) -> FlagTable:
    return read_flags(next(vllm.glob("lib/python3*/site-packages")), "vllm", folder=cache)


def _value(flag: Flag, chance: random.Random) -> str:
    if chance.random() < 0.25:
        return chance.choice(VALUES)
    return chance.choice(flag.choices) if flag.choices else GOOD.get(flag.type, "7")


def _name(flag: Flag, chance: random.Random) -> str:
    name = chance.choice(flag.names)
    kind = chance.random()
    if kind < 0.06:
        return name[:-1] + "x"
    if kind < 0.12 and len(name) > 6:
        return name[: chance.randrange(5, len(name))]
    return "--" + name[2:].replace("-", "_") if kind < 0.16 and name.startswith("--") else name


def _words(flag: Flag, chance: random.Random) -> list[str]:
    name, kind = _name(flag, chance), chance.random()
    if not flag.takes_value:
        return [name, "true"] if kind < 0.1 else [name + "=true"] if kind < 0.15 else [name]
    if kind < 0.07:
        return [name]
    if kind < 0.25:
        return [f"{name}={_value(flag, chance)}"]
    if flag.type == "json" and kind < 0.4:
        return [name + ".key", _value(flag, chance)]
    return [name, *(_value(flag, chance) for _ in range(2 if flag.nargs == "+" else 1))]


def _lines(table: FlagTable, count: int) -> list[list[str]]:
    chance = random.Random(7)
    flags = [f for f in table.flags if f.names and not f.uncertain and f.type != "<lambda>" and not set(f.names) & set(UNSEEN)]
    lines = [[word for flag in chance.sample(flags, chance.randrange(1, 4)) for word in _words(flag, chance)] for _ in range(count)]
    return [["org/model", *line] if chance.random() < 0.8 else line for line in lines]


def _first(words: list[str], table: FlagTable) -> tuple[str, str]:
    """Kind and subject of the first fault within the parser."""
    faults = [fault.signs[0] for fault in walk(tuple(words), table, VLLM) if fault.order < 60]
    if not faults:
        return "", ""
    about = faults[0].parameters
    return faults[0].value, about["tokens"] if faults[0].value == "unrecognised" else about["flag"]


def _said(message: str | None) -> tuple[str, str]:
    if message is None:
        return "", ""
    kind = read_argparse(f"vllm serve: error: {message}")
    return kind.value, kind.parameters.get("tokens") or kind.parameters.get("flag", "")


def test_the_walk_predicts_the_real_parser(vllm: Path, tmp_path: Path) -> None:
    """Of 400 generated command lines, good and bad, the first fault is the one that the real parser dies of, or none where it accepts."""
    table = _table(vllm, tmp_path)
    lines = _lines(table, 400)
    done = subprocess.run(
        [vllm / "bin" / "python", HERE / "vllm_parser.py"], input=json.dumps(lines), capture_output=True, text=True, check=True, timeout=600
    )
    messages = json.loads(done.stdout.strip().splitlines()[-1])
    # An empty or dotted word in one token with its option makes the parser itself stumble; what it prints is then no message of its own.
    pairs = [(line, _said(said), _first(line, table)) for line, said in zip(lines, messages, strict=True) if "" not in line]
    wrong = [(line, said, told) for line, said, told in pairs if said != told]
    assert len(wrong) <= len(pairs) // 100, wrong


def test_the_source_gives_the_recorded_parser(vllm: Path, tmp_path: Path) -> None:
    """Names, destinations, types, arity and choices read from the source are those of the real parser, recorded."""
    read, recorded = _table(vllm, tmp_path), table_for("vllm", "0.29.0")
    assert recorded is not None

    def rows(table: FlagTable) -> dict[str, tuple[object, ...]]:
        unsure = {flag.dest for flag in read.flags if flag.uncertain}
        return {
            name: (
                flag.dest,
                flag.takes_value,
                flag.nargs or None,
                *((flag.type, flag.nullable, sorted(flag.choices or ())) * (flag.dest not in unsure)),
            )
            for flag in table.flags
            for name in flag.names
        }

    assert rows(recorded) == rows(read)
