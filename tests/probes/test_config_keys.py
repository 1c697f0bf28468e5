"""The keys of a configuration file are judged as the options that they become."""

from collections.abc import Callable
from typing import Any

import pytest

from probes.atlas.table import Flag, FlagTable
from probes.config_keys import as_options, config_faults
from probes.frameworks.catalogue import by_name
from probes.launches.arrival import Arrival, Word
from probes.probe import Situation
from transcripts.records import Launch

TABLE = FlagTable(
    framework="vllm",
    release="0.29.0",
    command="serve",
    flags=(
        Flag(names=("--port",), dest="port", type="int"),
        Flag(names=("--max-model-len",), dest="max_model_len", type="int"),
        Flag(names=("--dtype",), dest="dtype", type="str", choices=("auto", "float32", "bfloat16")),
        Flag(names=("--enforce-eager", "--no-enforce-eager"), dest="enforce_eager", takes_value=False),
        Flag(names=("--config",), dest="config"),
    ),
)


@pytest.fixture
def situated() -> Callable[[dict[str, Any]], Situation]:
    """A launch of vLLM with a configuration file of this content."""

    def made(config: dict[str, Any]) -> Situation:
        argv = ("vllm", "serve", "m", "--config", "serve.yaml")
        framework = by_name("vllm")
        return Situation(
            launch=Launch(argv=argv),
            arrival=Arrival(words=tuple(Word(text=word) for word in argv)),
            framework=framework,
            entry=framework.find_entry(argv) if framework else None,
            table=TABLE,
            data={"config-file": {"path": "serve.yaml", "config": config}},
        )

    return made


def test_sound_keys_are_no_fault(situated: Callable[[dict[str, Any]], Situation]) -> None:
    """Keys that the release has, in either spelling, with fitting values are no fault."""
    assert () == config_faults(situated({"port": 8000, "max_model_len": 2048, "enforce-eager": True, "dtype": "float32"}))


def test_an_unknown_key_is_an_unrecognised_option(situated: Callable[[dict[str, Any]], Situation]) -> None:
    """A key that is no option reads as the parser's own error, with the file's path and no place in the argv."""
    (fault,) = config_faults(situated({"max-model-length": 2048}))
    error = fault.signs[0]
    assert ("unrecognised", "--max-model-length", "serve.yaml") == (error.value, error.parameters["flag"], error.parameters["path"])
    assert not {"index", "length"} & set(error.parameters)


def test_a_bad_value_is_found_in_the_file(situated: Callable[[dict[str, Any]], Situation]) -> None:
    """A value that its option refuses is found in the file as on the command line."""
    (fault,) = config_faults(situated({"dtype": "float31"}))
    assert "invalid-choice" == fault.signs[0].value


def test_a_false_switch_becomes_its_inverse() -> None:
    """``false`` becomes ``--no-…`` where the release has it, and nothing where it has not."""
    assert ("--no-enforce-eager",) == as_options({"enforce-eager": False, "trust-remote-code": False}, TABLE)


def test_nested_keys_become_json() -> None:
    """A nested mapping becomes one JSON value."""
    assert ("--speculative-config", '{"method": "ngram"}') == as_options({"speculative-config": {"method": "ngram"}}, TABLE)


def test_without_a_table_nothing_is_said(situated: Callable[[dict[str, Any]], Situation]) -> None:
    """Where the flags of the release are not known, no key is called unknown."""
    situation = situated({"no-such": 1})
    assert () == config_faults(Situation(launch=situation.launch, arrival=situation.arrival, framework=situation.framework, data=situation.data))


def test_the_file_of_sglang_need_not_hold_what_the_command_line_gives() -> None:
    """A key that SGLang does not take (underscores are none of its spellings) is the only fault; the model may stand on the command line."""
    flags = (Flag(names=("--model-path",), dest="model_path", required=True), Flag(names=("--tp-size",), dest="tp_size", type="int"))
    framework = by_name("sglang")
    assert framework is not None
    argv = ("sglang", "serve", "--model-path", "m", "--config", "s.yaml")
    situation = Situation(
        launch=Launch(argv=argv),
        arrival=Arrival(words=tuple(Word(text=word) for word in argv)),
        framework=framework,
        entry=framework.find_entry(argv),
        table=FlagTable(framework="sglang", release="0.5.23", flags=flags),
        data={"config-file": {"path": "s.yaml", "config": {"tp_size": 2}}},
    )
    (fault,) = config_faults(situation)
    assert ("unrecognised", "--tp_size") == (fault.signs[0].value, fault.signs[0].parameters["flag"])
