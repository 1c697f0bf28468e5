"""No cause is invented: servers that came up, logs of other programs, and mere warnings."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from agent.belief import believe, ranking
from agent.causes.catalogue import CAUSES
from tests.agent.reading.reading import read

LOGS = tomllib.loads((Path(__file__).parent / "unrelated.toml").read_text(encoding="utf-8"))["log"]
NAMED = 0.8
"""The probability from which on a cause is named."""


@pytest.mark.parametrize("log", LOGS, ids=lambda log: str(log["name"]))
def test_nothing_is_named(log: dict[str, Any]) -> None:
    """Whatever words are in it, the log of no failed launch has no cause."""
    belief, _ = believe(CAUSES, read(log["text"].removeprefix("\n"), log["framework"]).signs, log["framework"])

    assert ranking(belief)[0][1] < NAMED, ranking(belief)[:3]
