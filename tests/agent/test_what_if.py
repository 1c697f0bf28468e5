"""What another strategy would have done: answered from the record, with what nobody asked left open."""

import asyncio
from pathlib import Path

import msgspec
import pytest

from agent.cli.main import status_of
from agent.cli.replay import side_by_side
from agent.replay import Replay, replay
from agent.what_if import WhatIf, what_if
from transcripts import codec, events
from transcripts.journal import Transcript, load, runs
from transcripts.records import Outcome, Question

FOLDER = Path(__file__).parents[1] / "transcripts" / "postmortem"
NAME = "information-gain"


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Transcript:
    """A check of a launch on this machine: a handful of answered questions, a fault seen, nothing launched."""
    folder = tmp_path_factory.mktemp("checked")
    line = 'vllm serve /models/other --port 1 --speculative-config {"method": "ngram"}'
    assert status_of(["check", "--json", "--transcripts", str(folder), "--shell", line]) in (10, 11)
    return load(next(runs(folder)))


def _without(recorded: Transcript, probe: str) -> Transcript:
    """The record of a run in which `probe` was never asked."""
    kept: list[events.AnyEvent] = []
    skip = False
    for event in recorded.events:
        if isinstance(event, events.QuestionAsked):
            skip = event.question.probe == probe
        if not (skip and isinstance(event, events.QuestionAsked | events.QuestionAnswered)):
            kept.append(event)
    lines = tuple(msgspec.json.encode(codec.encode(event)) + b"\n" for event in kept)
    return Transcript(tuple(kept), False, None, lines)


def _both(recorded: Transcript) -> tuple[Replay, WhatIf]:
    result = asyncio.run(replay(recorded, strategy=NAME))
    return result, what_if(recorded, result, NAME, NAME)


def test_the_same_strategy_asks_the_same(checked: Transcript) -> None:
    """On the recorded answers the same choices lead to the same questions, seconds and verdict."""
    _, both = _both(checked)
    assert both.recorded == both.other
    assert ((), "", True) == (both.missing, both.stopped, both.comparable)


def test_a_question_nobody_asked_is_not_recorded_and_not_invented(checked: Transcript) -> None:
    """It is counted apart, moves nothing, and the run goes on to its verdict."""
    result, both = _both(_without(checked, "environment"))
    assert (both.recorded.probes, 1, both.recorded.cause) == (both.other.probes, both.other.unrecorded, both.other.cause)
    assert ["environment"] == [item.probe for item in both.missing]
    readings = [event.reading for event in result.told if isinstance(event, events.QuestionAnswered)]
    assert [((), Outcome.NOT_RECORDED)] == [(r.signs, r.outcome) for r in readings if r.question.probe == "environment"]


def test_the_nearest_recording_is_shown(checked: Transcript) -> None:
    """A question of a probe that was asked about something else is shown with the answer to that."""
    changed = tuple(_about_another(event) for event in checked.events)
    _, both = _both(Transcript(changed, False, None, checked.lines))
    nearest = next(item.nearest for item in both.missing if item.probe == "environment")
    assert nearest.startswith("environment (another): observed: ")
    assert any("nearest recording: environment (another)" in line.text for line in side_by_side(both))


def _about_another(event: events.AnyEvent) -> events.AnyEvent:
    question = Question(probe="environment", parameters={"names": "another"})
    if isinstance(event, events.QuestionAsked) and event.question.probe == "environment":
        return msgspec.structs.replace(event, question=question)
    if isinstance(event, events.QuestionAnswered) and event.reading.question.probe == "environment":
        return msgspec.structs.replace(event, reading=msgspec.structs.replace(event.reading, question=question))
    return event


def test_a_launch_nobody_made_ends_the_other_run() -> None:
    """What a launch would have done cannot be known from a record that does not hold it."""
    recorded = load(FOLDER / "relaunch-confirms.jsonl")
    first = next(event.seq for event in recorded.events if isinstance(event, events.FixChosen))
    _, both = _both(Transcript(recorded.events[:first], False, None, recorded.lines[:first]))
    assert ("the record ends", 1) == (both.other.outcome, both.other.launches)
    assert both.stopped.startswith("launch 2 would be one that was never recorded")


def test_both_runs_stand_side_by_side(checked: Transcript) -> None:
    """Verdict, probes, launches and seconds of both are one table."""
    _, both = _both(checked)
    rows = {line.text.split("  ")[0]: line.text for line in side_by_side(both)}
    assert {"verdict", "probes", "not recorded", "launches", "seconds"} <= set(rows)
    assert 2 == rows["verdict"].count(f"diagnosed: {both.recorded.cause} (")


def test_a_strategy_that_is_none_is_bad_input() -> None:
    """An unknown name, or two questions at once, are told and nothing is replayed."""
    run = str(FOLDER / "relaunch-confirms.jsonl")
    assert [2, 2] == [status_of(["replay", run, "--strategy", "x"]), status_of(["replay", run, "--strict", "--strategy", NAME])]
