"""The walk over a command line: every fault that its parser would meet, in its order, with the words it is about."""

import json
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest

from probes.atlas.history import table_for
from probes.atlas.table import Flag, FlagTable
from probes.atlas.walk import subcommand_fault, walk
from probes.frameworks.catalogue import by_name
from probes.frameworks.framework import Framework

CASES: dict[str, dict[str, Any]] = tomllib.loads((Path(__file__).parent / "walks.toml").read_text())


def _framework(name: str) -> Framework:
    framework = by_name(name)
    assert framework is not None
    return framework


def _table(name: str, release: str) -> FlagTable:
    table = table_for(name, release)
    assert table is not None
    return table


@pytest.mark.parametrize("name", CASES)
def test_every_fault_is_predicted(name: str) -> None:
    """The faults have the kinds, subjects, shapes, kinships and places that the real parser's behaviour gives them."""
    case = CASES[name]
    words = tuple(shlex.split(case["line"]))
    faults = walk(words, _table(case["framework"], case["release"]), _framework(case["framework"]), offset=2)
    found = []
    for fault in faults:
        signs = {sign.variable: sign for sign in fault.signs}
        error = signs["error"]
        seen = [error.value, error.parameters["flag"], signs["shape"].value if "shape" in signs else "", signs["kin"].value if "kin" in signs else ""]
        index = int(error.parameters.get("index", "-1"))
        found.append([*seen, " ".join(words[index - 2 : index - 2 + int(error.parameters["length"])]) if index >= 0 else ""])
    assert case["faults"] == found
    assert sorted(fault.order for fault in faults) == [fault.order for fault in faults]


def test_nothing_is_said_of_an_uncertain_option() -> None:
    """An option that could not be read for certain is never held against a launch."""
    table = FlagTable(framework="vllm", release="1", flags=(Flag(names=("--place",), dest="place", type="int", choices=("1",), uncertain=True),))
    assert () == walk(("--place", "here"), table, _framework("vllm"))
    assert () == walk(("--place=here",), table, _framework("vllm"))


def test_tokens_are_those_that_the_parser_prints() -> None:
    """Every unrecognised word carries the whole list that the error will print, dashes for underscores."""
    faults = walk(("m", "--no_such", "3", "--enforce-eager", "true"), _table("vllm", "0.29.0"), _framework("vllm"))
    assert [["--no-such", "3", "true"]] * 2 == [json.loads(fault.signs[0].parameters["tokens"]) for fault in faults]


def test_a_key_that_a_configuration_lacks() -> None:
    """A JSON value is held against the keys of its class; a class that ignores unknown keys is left alone."""
    flag = Flag(names=("--x-config",), dest="x_config", type="json", json_config="XConfig")
    table = FlagTable(framework="vllm", release="1", flags=(flag,), config_keys={"XConfig": {"mode": ("a", "b"), "size": None}})
    framework = _framework("vllm")
    kinds = [walk(("--x-config", value), table, framework) for value in ('{"mode": "a"}', '{"mod": "a"}', '{"mode": "c"}', "[]", '{"size": 4k}')]
    assert [[], ["unexpected-key"], ["validation"], ["validation"], []] == [[f.signs[0].value for f in faults] for faults in kinds]
    tolerant = FlagTable(framework="vllm", release="1", flags=(flag,), config_keys=table.config_keys, open_configs=("XConfig",))
    assert () == walk(("--x-config", '{"mod": "a"}'), tolerant, framework)


def test_a_subcommand_that_is_none() -> None:
    """A first word that is no subcommand is told, with those there are."""
    table = FlagTable(framework="vllm", release="1", subcommands=("serve", "bench"))
    fault = subcommand_fault(("vllm", "servee", "m"), table, _framework("vllm"), offset=3)
    assert fault is not None
    assert ("invalid-subcommand", "servee", "4") == (fault.signs[0].value, fault.signs[0].parameters["value"], fault.signs[0].parameters["index"])
    assert None is subcommand_fault(("vllm", "serve", "m"), table, _framework("vllm"))
    assert None is subcommand_fault(("vllm", "--version"), table, _framework("vllm"))
