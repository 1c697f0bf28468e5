"""Every kind of error has texts that give it, with the parameters it promises."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.agent.reading.reading import read, sign
from transcripts.variables import ERROR

CASES = tomllib.loads((Path(__file__).parent / "kinds.toml").read_text())["kind"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["text"][:60])
def test_a_text_gives_its_kind(case: dict[str, Any]) -> None:
    """The kind and the parameters of an error are read from its text alone."""
    error = sign(read(case["text"] + "\n"))

    assert case["error"] == error.value
    assert case["parameters"].items() <= error.parameters.items()


def test_every_kind_is_covered() -> None:
    """Each value of the variable has a text."""
    assert set(ERROR.rates) <= {case["error"] for case in CASES}
