"""What argparse, click and pydantic print: the kind, the flag by its long name, and the values as they were received."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.agent.reading.reading import read, sign

FOLDER = Path(__file__).parent
LINES = tomllib.loads((FOLDER / "parser_errors.toml").read_text())["line"]
REPORTS = tomllib.loads((FOLDER / "reports.toml").read_text())["report"]


@pytest.mark.parametrize("case", [line for line in LINES if line["parser"] == "argparse"], ids=lambda case: case["line"][:70])
def test_argparse_lines(case: dict[str, Any]) -> None:
    """The last word of an argparse parser gives its kind, flag, value and the shape of the value, and outranks all before it."""
    symptom = read(f"INFO 12-01 16:28:20 [x.py:1] fine\nusage: vllm [-h]\n{case['line']}\n")
    error = sign(symptom)

    assert (case["error"], case["flag"], case["value"]) == (error.value, error.parameters.get("flag", ""), error.parameters.get("value", ""))
    assert case["shape"] == sign(symptom, "shape").value
    assert (3, "arguments") == (symptom.line_number, symptom.phase)
    assert "" == sign(symptom, "phase").value


@pytest.mark.parametrize("case", [line for line in LINES if line["parser"] == "click"], ids=lambda case: case["line"][:70])
def test_click_lines(case: dict[str, Any]) -> None:
    """The last word of a click command gives its kind, flag and value."""
    error = sign(read(f"Usage: litellm [OPTIONS]\nTry 'litellm --help' for help.\n\n{case['line']}\n", "litellm"))

    assert (case["error"], case["flag"], case["value"]) == (error.value, error.parameters.get("flag", ""), error.parameters.get("value", ""))


@pytest.mark.parametrize("case", REPORTS, ids=lambda case: case["error"])
def test_pydantic_reports(case: dict[str, Any]) -> None:
    """A report names its class, the key or field, and the line that complains is the decisive one."""
    symptom = read(f"Traceback (most recent call last):\n{case['report']}\n    For further information visit https://errors.pydantic.dev\n")

    assert case["error"] == sign(symptom).value
    assert case["parameters"].items() <= sign(symptom).parameters.items()
    assert case["line"] + 1 == symptom.line_number


def test_json_refused_inside_a_parser_error() -> None:
    """A pydantic report under an argparse line gives the flag, the class and the text that is no JSON."""
    error = sign(
        read(
            "vllm serve: error: argument --compilation-config/-cc: 1 validation error for CompilationConfig\n"
            "  Invalid JSON: key must be a string at line 1 column 2 [type=json_invalid, input_value='{bad', input_type=str]\n"
        )
    )

    assert ("json-invalid", "--compilation-config", "CompilationConfig", "{bad") == (
        error.value,
        *(error.parameters[name] for name in ("flag", "class", "value")),
    )


def test_all_printed_tokens_are_kept() -> None:
    """Every token that was not consumed is listed, split at spaces, and quoted in the symptom."""
    symptom = read("vllm: error: unrecognized arguments: --dtype float32 --max-model-len 128\n")

    assert ["--dtype", "float32", "--max-model-len", "128"] == json.loads(sign(symptom).parameters["tokens"])
    assert ("--dtype", "float32", "--max-model-len", "128") == symptom.values


def test_choices_are_listed() -> None:
    """The choices that a parser offers are kept as a list."""
    error = sign(read("x: error: argument --dtype: invalid choice: 'a' (choose from 'b', 'c, d')\n"))

    assert ["b", "c, d"] == json.loads(error.parameters["choices"])


def test_a_carriage_return_in_a_value_is_data() -> None:
    """A carriage return that only the error's line holds came from the command, and is kept."""
    tokens = sign(read("usage: vllm\nvllm: error: unrecognized arguments: --port\r 80\n")).parameters["tokens"]

    assert ["--port\r", "80"] == json.loads(tokens)


def test_a_log_with_windows_line_ends() -> None:
    """Carriage returns at the end of every line are line ends."""
    error = sign(read("usage: vllm\r\nvllm: error: unrecognized arguments: --prot 80\r\n"))

    assert ["--prot", "80"] == json.loads(error.parameters["tokens"])


def test_the_error_of_another_tool_is_none_of_the_parser() -> None:
    """A compiler's "error:" is no parser error."""
    assert "" == sign(read("cc1: error: unknown flag\n"), "shape").value
    assert "arguments" != read("cc1: error: unknown flag\n").phase
