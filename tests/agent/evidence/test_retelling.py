"""The subject of an error, set right by the launch and by the flag tables."""

import io
import tomllib
from pathlib import Path
from typing import Any

import pytest

from agent.checking import situate
from agent.evidence import signs_of_symptom
from agent.reading.scan import scan
from agent.reading.symptom import read_symptom
from transcripts.records import Launch

CASES = tomllib.loads((Path(__file__).parent / "retold.toml").read_text(encoding="utf-8"))["case"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["about"])
def test_the_word_at_fault_is_told_and_not_the_one_that_is_printed(case: dict[str, Any]) -> None:
    """What a parser prints can be innocent: the argv, the short names and the tables tell which word it came of."""
    argv = tuple(case["argv"])
    shell = argv[2] if argv[:2] == ("bash", "-c") else None
    situation = situate(Launch(argv=argv, shell=shell) if argv else None, case["framework"], case.get("release", ""), {}, can_ask=False)
    symptom = read_symptom(scan(io.BytesIO(f"{case['lines']}\n".encode())), situation.framework)
    signs = signs_of_symptom(symptom, situation, ())
    error = next(sign for sign in signs if sign.variable == "error")
    assert case["flag"] == error.parameters.get("flag", "")
    told = {sign.variable: sign.value for sign in signs}
    assert case["signs"] == {variable: told.get(variable, "") for variable in case["signs"]}
