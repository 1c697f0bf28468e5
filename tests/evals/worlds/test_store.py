"""Worlds on disk come back as they were written, and their long texts are shared."""

from pathlib import Path

import pytest
from msgspec import structs

from evals.store import load_all, load_truths, load_world, save, slugs
from evals.world import Truth
from tests.evals.worlds.building import ASKED, LOOKS, answer, world
from transcripts.errors import UsageError

LONG = "a line of help\n" * 2000
TRUTH = Truth(slug="0123456789ab", faults=(("flag/misspelt",), ("process/port-in-use",)), kind="two-faults", recipe={"base": "proxy"})


def test_a_world_comes_back_as_it_was(tmp_path: Path) -> None:
    """Writing and reading give an equal world and an equal truth."""
    made = world(answer(ASKED, LOOKS, LONG), answer(ASKED, LOOKS, "short"))

    save(made, TRUTH, tmp_path)

    assert [(made, TRUTH)] == list(load_all(tmp_path))


def test_a_long_text_is_kept_once_and_small(tmp_path: Path) -> None:
    """Two worlds with the same long output share one deflated file."""
    for slug in ("0123456789ab", "ba9876543210"):
        save(structs.replace(world(answer(ASKED, LOOKS, LONG)), slug=slug), structs.replace(TRUTH, slug=slug), tmp_path)

    blobs = list((tmp_path / "blobs").iterdir())
    assert 1 == len(blobs)
    assert blobs[0].stat().st_size < len(LONG) / 20


def test_the_truth_is_not_in_the_world(tmp_path: Path) -> None:
    """The file that a strategy may see holds neither a cause nor a recipe."""
    save(world(), TRUTH, tmp_path)

    text = (tmp_path / "0123456789ab.json").read_text()
    assert not any(word in text for word in ("flag/misspelt", "port-in-use", "two-faults", "recipe"))


def test_a_world_without_a_truth_is_not_played(tmp_path: Path) -> None:
    """What is wrong in it is not known, so that nothing could be scored."""
    save(world(), TRUTH, tmp_path)
    (tmp_path / "truths.jsonl").unlink()

    assert ([], ("0123456789ab",)) == (list(load_all(tmp_path)), slugs(tmp_path))


@pytest.mark.parametrize("text", ["", "{", '{"slug": "x"}', '{"slug": 3}', "[]"])
def test_a_damaged_world_is_a_clear_error(tmp_path: Path, text: str) -> None:
    """Its path is named, without a traceback."""
    (tmp_path / "0123456789ab.json").write_text(text)

    with pytest.raises(UsageError, match="0123456789ab"):
        load_world("0123456789ab", tmp_path)


def test_a_missing_blob_is_a_clear_error(tmp_path: Path) -> None:
    """A world that lacks a part of itself cannot be read, and says so."""
    save(world(answer(ASKED, LOOKS, LONG)), TRUTH, tmp_path)
    for blob in (tmp_path / "blobs").iterdir():
        blob.unlink()

    with pytest.raises(UsageError, match="0123456789ab"):
        load_world("0123456789ab", tmp_path)


def test_damaged_truths_are_a_clear_error(tmp_path: Path) -> None:
    """A line that is no truth is not skipped."""
    (tmp_path / "truths.jsonl").write_text("{}\n")

    with pytest.raises(UsageError, match="truths"):
        load_truths(tmp_path)
