"""From a line of a log to the cause: the reader and the whole catalogue together, for what programs print in the later phases."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from agent.belief import believe, ranking
from agent.causes.catalogue import CAUSES
from tests.agent.reading.reading import read
from transcripts.records import Belief

WORDINGS = tomllib.loads((Path(__file__).parent / "wordings.toml").read_text(encoding="utf-8"))["wording"]
BEFORE = "INFO 12-01 16:28:20 [__init__.py:241] Automatically detected platform cuda.\nWARNING 12-01 16:28:21 [x.py:3] something harmless\n"
AFTER = "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}\n"


def judged(text: str, framework: str) -> Belief:
    """What the whole catalogue believes of a log that holds `text`."""
    return believe(CAUSES, read(text, framework).signs, framework)[0]


@pytest.mark.parametrize("wording", WORDINGS, ids=lambda wording: wording["text"][:60])
def test_a_wording_leads_to_its_cause(wording: dict[str, Any]) -> None:
    """The cause that leads is one of those that the wording can stand for."""
    belief = judged(wording["text"] + "\n", wording["framework"])

    assert ranking(belief)[0][0] in wording["causes"], f"{ranking(belief)[:3]}, unknown {belief.unknown:.2f}"


@pytest.mark.parametrize("wording", [one for one in WORDINGS if one["framework"] == "vllm"], ids=lambda wording: wording["text"][:60])
def test_what_stands_around_a_wording_changes_nothing(wording: dict[str, Any]) -> None:
    """A log that goes before, and the cascade that follows, leave the verdict as it is."""
    belief = judged(BEFORE + wording["text"] + "\n" + AFTER, "vllm")

    assert ranking(belief)[0][0] in wording["causes"], f"{ranking(belief)[:3]}, unknown {belief.unknown:.2f}"


@pytest.mark.parametrize("wording", WORDINGS, ids=lambda wording: wording["text"][:60])
def test_a_wording_in_a_log_of_talk_is_no_cause(wording: dict[str, Any]) -> None:
    """What is logged as mere information, before the server came up, is the cause of nothing."""
    talk = "".join(f"INFO 12-01 16:28:20 [x.py:3] {line}\n" for line in wording["text"].split("\n"))
    belief = judged(BEFORE + talk + "INFO:     Application startup complete.\n", "vllm")

    assert ranking(belief)[0][1] < 0.8
