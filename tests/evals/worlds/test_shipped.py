"""The worlds that come with nostart: enough of them, whole, and silent about their causes."""

import asyncio
import re
from collections import Counter
from functools import cache
from pathlib import Path

import msgspec
import pytest

from agent.causes.catalogue import CAUSES
from agent.loop import triage
from evals.recorded import LaunchNotRecorded, RecordedTarget
from evals.store import FOLDER, load_all, load_truths, slugs
from evals.world import Truth, World
from transcripts.journal import Journal, MemorySink

TELLING = re.compile(
    r"misspel|mutat|broken|corrupt|trunc|occup|stale|fault|wrong|inject|downgrad|swapp|fake|harm|shadow|malform|missing|unservable|nope|bad[-_./]",
    re.IGNORECASE,
)
ROOT = Path(__file__).parents[3]
OURS = re.compile(rf"{re.escape(str(ROOT))}/|/home/|/tmp/(?!vllm_dist_)|\.cache/nostart|nostart-record")
SECRET = re.compile(r"sk-[A-Za-z0-9]{8,}|hf_[A-Za-z0-9]{16,}")


@cache
def shipped() -> tuple[tuple[World, Truth], ...]:
    """Every world with its truth."""
    return tuple(load_all())


def ours(world: World) -> str:
    """What of a world was made by the recording rather than said by a program: launches as given, the paths and names in them."""
    first = world.first
    told = [first.launch.argv, first.launch.env, first.launch.cwd, world.slug, world.believed]
    asked = [answer.question.parameters.get("path", "") for answer in world.answers if answer.scene == 0]
    return msgspec.json.encode([told, asked]).decode()


def test_every_world_has_a_truth_and_every_truth_a_world() -> None:
    """Nothing can be played that cannot be scored, and the other way round."""
    assert set(slugs()) == set(load_truths())


def test_there_are_enough_worlds() -> None:
    """At least 150 in all; each says where it comes from."""
    counts = Counter(world.provenance for world, _ in shipped())

    assert 150 <= counts.total(), counts
    assert {"recorded-live", "public-report", "derived"} >= set(counts)


def test_the_causes_are_those_of_the_catalogue() -> None:
    """A truth names ids that can be found."""
    known = {cause.id for cause in CAUSES}

    assert set() == {cause for _, truth in shipped() for fault in truth.faults for cause in fault} - known


@pytest.mark.parametrize("world", [world for world, _ in shipped()], ids=lambda world: world.slug)
def test_no_name_or_path_gives_the_cause_away(world: World) -> None:
    """The slug is a digest; of what the recording itself named (argv, paths, variables), nothing tells what was done."""
    assert re.fullmatch(r"[0-9a-f]{12}", world.slug)
    if world.provenance == "recorded-live":
        assert None is TELLING.search(ours(world))


@pytest.mark.parametrize("world", [world for world, _ in shipped() if world.provenance == "recorded-live"], ids=lambda world: world.slug)
def test_no_world_tells_where_it_was_recorded_or_holds_a_secret(world: World) -> None:
    """Neither a folder of the recording machine's nor a key is in anything that was recorded."""
    text = msgspec.json.encode(world).decode()

    assert None is OURS.search(text)
    assert None is SECRET.search(text)


def test_the_strategies_file_and_the_truth_are_apart() -> None:
    """No world's file holds the kind, the recipe or a cause as its own field."""
    fields = {name for world, _ in shipped() for name in msgspec.to_builtins(world)}

    assert not fields & {"faults", "kind", "recipe", "difficulty", "summary", "causes"}


def test_the_worlds_are_small() -> None:
    """All of them together take less than 10 MB."""
    assert sum(file.stat().st_size for file in FOLDER.rglob("*") if file.is_file()) < 10_000_000


def test_no_blob_is_without_its_world() -> None:
    """What no world refers to any more is not kept."""
    text = b"".join(path.read_bytes() for path in FOLDER.glob("*.json"))

    assert set() == {path.stem for path in (FOLDER / "blobs").glob("*.z") if path.stem.encode() not in text}


def test_a_live_world_holds_the_whole_catalogue_and_a_launch_that_fails() -> None:
    """More is recorded than the way to the truth: every recorded world has answers of several probes, and its first launch did not come up."""
    live = [world for world, _ in shipped() if world.provenance == "recorded-live"]

    assert [] == [world.slug for world in live if len({answer.question.probe for answer in world.answers}) < 2]
    assert [] == [world.slug for world in live if world.first.attempt.end == "up"]


def test_most_plays_find_every_question_recorded() -> None:
    """In a sample of the worlds, information gain asks nothing that was not asked there and launches nothing that was not launched."""
    lacking: list[str] = []
    sample = [world for world, _ in shipped()][::8]
    for world in sample:
        target = RecordedTarget(world)
        try:
            asyncio.run(triage(world.request(), target, Journal(MemorySink(), target.clock, hidden=True)))
        except LaunchNotRecorded:
            lacking.append(world.slug)
            continue
        lacking += [world.slug] * bool(target.unanswered)

    assert len(lacking) <= len(sample) / 4, lacking
