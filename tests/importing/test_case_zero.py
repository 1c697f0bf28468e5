"""The story of an error read five times, as seven kinds of session file: each tells what it was worth."""

from pathlib import Path

import pytest

from tests.importing.reading import HERE, difference, imported, session
from transcripts import events
from transcripts.records import Outcome
from transcripts.redact import Vault

FILES = sorted(HERE.glob("case-zero.*"))
TIMED = [path for path in FILES if path.name.split(".")[1] not in ("shell", "typescript")]


@pytest.fixture(params=FILES, ids=lambda path: path.name)
def path(request: pytest.FixtureRequest) -> Path:
    """One of the session files."""
    found: Path = request.param
    return found


async def test_the_first_failing_launch_decides(path: Path) -> None:
    """The belief that follows the first launch names the split JSON, no later event moves it, and a replay says so byte for byte."""
    diagnosis, transcript = imported(session(path))
    assert diagnosis.cause is not None
    assert ("quoting/json-split", 5, 4) == (diagnosis.cause.hypothesis.cause, diagnosis.launches, diagnosis.probes)
    moved = [event for event in transcript.events if isinstance(event, events.BeliefMoved)]
    started = [event.seq for event in transcript.events if isinstance(event, events.AttemptStarted)]
    assert [True] == [started[0] < event.seq < started[1] for event in moved]
    assert moved[0].belief.weighed[0].probability >= 0.9
    assert max((w.probability for w in moved[0].belief.weighed if w.hypothesis.cause.startswith("flag/")), default=0.0) <= 0.01
    assert "" == await difference(transcript)


def test_launches_two_to_five_are_read_as_stale(path: Path) -> None:
    """What was read after the second to the fifth launch cannot be theirs, and a cause of its own says so."""
    diagnosis, transcript = imported(session(path))
    read = [event for event in transcript.events if isinstance(event, events.SymptomRead)]
    stale = [event.number for event in read if any((s.variable, s.value) == ("sent", "another") for s in event.symptom.signs)]
    assert ([1, 2, 3, 4, 5], [2, 3, 4, 5]) == ([event.number for event in read], stale)
    assert ["process/stale-observation"] == [other.hypothesis.cause for other in diagnosis.also]


def test_both_greps_are_void_and_the_signature_proves_nothing(path: Path) -> None:
    """A grep without a control says nothing of the flag; a parameter of the Python API says nothing of the command line."""
    _, transcript = imported(session(path))
    readings = [event.reading for event in transcript.events if isinstance(event, events.QuestionAnswered)]
    told = [(reading.question.probe, reading.outcome, reading.signs) for reading in readings]
    void, seen = Outcome.VOID, Outcome.OBSERVED
    assert [("versions", seen, ()), ("help-grep", void, ()), ("help-grep", void, ()), ("signature", seen, ())] == told
    assert ["--speculative-config"] * 3 == [reading.question.parameters["flag"] for reading in readings[1:]]
    assert all("no control" in reading.text for reading in readings[1:3])
    assert "says nothing about the command line" in readings[3].text


def test_the_fix_is_the_launch_with_its_json_unquotable(path: Path) -> None:
    """What is proposed is the first launch, through the same host, with the value given key by key."""
    diagnosis, _ = imported(session(path))
    assert diagnosis.fix is not None
    assert diagnosis.fix.shell.startswith("ssh root@gpu-host 'cd /root && /root/venv/bin/vllm serve /models/Qwen3.6-27B ")
    assert "--speculative-config.method dflash" in diagnosis.fix.shell


@pytest.mark.parametrize("path", TIMED, ids=lambda path: path.name)
def test_time_is_the_sessions_own(path: Path) -> None:
    """The events bear the times of the session, so that what the story cost can be told."""
    diagnosis, transcript = imported(session(path))
    assert transcript.events[0].at.startswith("2026-05-04T09:00:0")
    assert 300 <= diagnosis.seconds <= 360
    ended = [event.attempt.seconds for event in transcript.events if isinstance(event, events.AttemptEnded)]
    assert 40 <= ended[0] <= 48


def test_secrets_of_a_session_stay_out(tmp_path: Path) -> None:
    """A token that a command holds is in none of the events, in no blob, and the verdict is the same."""
    text = (HERE / "case-zero.shell.txt").read_text().replace("nohup /root", "HF_TOKEN=hf_abcdefghijklmnopqrst nohup /root")
    file = tmp_path / "leaky.shell.txt"
    file.write_text(text)
    diagnosis, transcript = imported(session(file))
    assert b"hf_abcdefghijklmnopqrst" not in b"".join(transcript.lines)
    assert diagnosis.cause is not None
    assert "quoting/json-split" == diagnosis.cause.hypothesis.cause
    assert Vault().hide("HF_TOKEN=hf_abcdefghijklmnopqrst") in str(transcript.events[0])
