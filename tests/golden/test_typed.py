"""Faults of a line as a person typed or pasted it, known before any launch."""

from pathlib import Path

import pytest

from tests.running import nostart


@pytest.mark.parametrize(("words", "mended"), [("–-port 8123", ["--port", "8123"]), ("—max-model-len=64", ["--max-model-len=64"])])
def test_a_long_dash_is_the_one_fault(tmp_path: Path, small: Path, model: Path, words: str, mended: list[str]) -> None:
    """An option pasted with a typographic dash is that fault and no other: its value is not a second one, and nothing was cut off."""
    run = nostart(tmp_path, "check", "--shell", f"{small} serve {model} {words}")

    assert ("quoting/typographic", []) == (run.cause, run.also)
    assert mended == run.argv[3:]


def test_the_successor_gets_the_value_that_was_meant(tmp_path: Path, small: Path, model: Path) -> None:
    """JSON that a shell damaged is mended where its option is replaced by another."""
    run = nostart(tmp_path, "check", "--shell", f'{small} serve {model} --rope-scaling {{"type":"yarn"}}')

    assert "flag/renamed" == run.cause
    assert ["--hf-overrides", '{"rope_scaling": {"type": "yarn"}}'] == run.argv[3:]
