"""What the flag tables tell of a flag that was not recognised, where its release is stated, unknown, or lies between the recorded ones."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from agent.checking import situate
from agent.kinship import kinship
from transcripts.records import Launch

CASES = tomllib.loads((Path(__file__).parent / "flags.toml").read_text(encoding="utf-8"))["flag"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['flag']} {case['release']}")
def test_kinship_tells_what_the_tables_and_the_error_prove(case: dict[str, Any]) -> None:
    """The error itself is weighed in: of two recorded neighbours that differ in the flag, the release is like that which lacks it."""
    launch = Launch(argv=tuple(case["launch"])) if "launch" in case else None
    found = {sign.variable: sign.value for sign in kinship(case["flag"], situate(launch, case["framework"], case["release"], {}, can_ask=False))}
    assert (case["registered"], case["kin"]) == (found.get("registered", ""), found.get("kin", ""))
