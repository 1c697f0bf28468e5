"""What is made of a whole triage afterwards: its postmortem, and what another strategy would have done."""

import json
from pathlib import Path

import pytest

from agent.cli.main import status_of
from tests.running import nostart


def test_a_fixed_launch_is_told_and_run_again(tmp_path: Path, small: Path, model: Path, port: int, capsys: pytest.CaptureFixture[str]) -> None:
    """The first launch decides, the second confirms, none is wasted; the same strategy on the record launches and concludes the same."""
    text = f'{small} serve {model} --port {port} --speculative-config {{"method": "ngram"}}'
    run = nostart(tmp_path, "triage", "--no-check", "--fix", "--", "bash", "-c", text)
    transcript = run.document["transcript"]
    assert 0 == status_of(["report", "--json", transcript])
    told = json.loads(capsys.readouterr().out)
    assert (1, 1, []) == (told["faults"][0]["moment"]["launch"], told["faults"][0]["moment"]["after"]["launches"], told["wasted"])
    assert 0 == status_of(["replay", "--json", "--strategy", "information-gain", transcript])
    both = json.loads(capsys.readouterr().out)
    assert both["recorded"] == both["other"]
    assert (2, "up", "quoting/json-split") == (both["other"]["launches"], both["other"]["outcome"], both["other"]["cause"])
