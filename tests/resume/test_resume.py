"""A run that ended before its verdict goes on from its transcript."""

from pathlib import Path

import msgspec
import pytest

from agent import resume
from agent.loop import triage
from agent.replay import RecordedWorld, replay
from agent.request import Request
from tests.running import Run, nostart, replays_strictly
from transcripts import codec, events
from transcripts.errors import TranscriptError, UsageError
from transcripts.journal import FILE_NAME, FileSink, Journal, MemorySink, Transcript, load
from transcripts.records import Command, Launch, Output, Question


class Counting(RecordedWorld):
    """What a whole run recorded, standing for the live world; it counts what it is asked."""

    def __init__(self, transcript: Transcript) -> None:
        super().__init__(transcript)
        self.asked: list[Question] = []

    async def ask(self, question: Question, command: Command) -> Output:
        """The recorded output, counted."""
        self.asked.append(question)
        return await super().ask(question, command)


def cut(transcript: Transcript, folder: Path, lines: int, torn: bytes = b"") -> Path:
    """A copy of a run whose transcript ends after `lines` lines (and the beginning of another)."""
    run = folder / f"run-{lines}"
    run.mkdir()
    (run / FILE_NAME).write_bytes(b"".join(transcript.lines[:lines]) + torn)
    if transcript.folder is not None:
        (run / "blobs").symlink_to(transcript.folder / "blobs")
    return run


async def test_from_every_event_on_the_same_verdict_is_reached(tmp_path: Path, whole: tuple[Run, Transcript]) -> None:
    """Wherever a run ends, nothing recorded is asked again, a launch under way is told to be launched again, and a strict replay holds."""
    _, transcript = whole
    expected = next(event.diagnosis for event in transcript.events if isinstance(event, events.Diagnosed))
    for lines in range(1, len(transcript.lines)):
        past = resume.read(cut(transcript, tmp_path, lines, transcript.lines[lines][:-7]))
        request = resume.request(past, 0, None)
        live, sink = Counting(transcript), MemorySink()
        diagnosis = await triage(request, resume.ResumedWorld(past, live), Journal(sink, live.clock, hidden=True))
        assert (expected.cause, expected.fix, expected.outcome) == (diagnosis.cause, diagnosis.fix, diagnosis.outcome), lines
        known = [event.reading.question for event in past.newest.events if isinstance(event, events.QuestionAnswered)]
        assert [] == [question for question in live.asked if question in known]
        recorded = tuple(codec.decode(line, sink.blobs.__getitem__) for line in sink.lines)
        notes = [event.text for event in recorded if isinstance(event, events.Noted)]
        under_way = isinstance(transcript.events[lines - 1], events.AttemptStarted | events.PhaseReached)
        assert ("its last line was torn" in notes[0], under_way) == (True, any("was under way" in note for note in notes))
        assert "" == (await replay(Transcript(recorded, False, None, tuple(sink.lines)))).diverged


async def test_a_run_resumed_twice_loses_nothing(tmp_path: Path, whole: tuple[Run, Transcript]) -> None:
    """A resumed run that is killed at once is gone on from with all that the first one knew."""
    _, transcript = whole
    first = cut(transcript, tmp_path, len(transcript.lines) - 3)
    request = resume.request(resume.read(first), 0, None)
    second = tmp_path / "second"
    sink = FileSink(second)
    start = transcript.events[0]
    assert isinstance(start, events.RunStarted)
    started = msgspec.structs.replace(start, options={"request": msgspec.json.encode(request).decode()})
    Journal(sink, RecordedWorld(transcript).clock).emit(started)
    sink.close()
    past = resume.read(second)
    assert ["second", first.name] == [link.folder.name for link in past.chain if link.folder]
    live = Counting(transcript)
    diagnosis = await triage(resume.request(past, 0, None), resume.ResumedWorld(past, live), Journal(MemorySink(), live.clock))
    assert (2, []) == (diagnosis.launches, live.asked)


def test_a_finished_run_is_left_alone(tmp_path: Path, whole: tuple[Run, Transcript]) -> None:
    """A run that came to its end, one that still lives, and what is no triage are refused with what to do."""
    _, transcript = whole
    assert transcript.folder is not None
    with pytest.raises(UsageError, match="nostart report"):
        resume.read(transcript.folder)
    alive = tmp_path / "alive"
    sink = FileSink(alive)
    sink.line(transcript.lines[0])
    with pytest.raises(UsageError, match="still going on"):
        resume.read(alive)
    sink.close()
    assert 1 == len(resume.read(alive).newest.events)
    with pytest.raises(TranscriptError, match="no event"):
        resume.read(cut(transcript, tmp_path, 0, b'{"seq":1'))


def test_secrets_are_taken_from_the_environment_again(tmp_path: Path) -> None:
    """What the record hides must be set again; the names that lack are told, and with them the real values are there."""
    launch = Launch(argv=("vllm", "serve", "m", "--api-key", "$API_KEY"), secrets=("API_KEY", "HF_TOKEN"))
    start = events.RunStarted(
        seq=1,
        at="2026-05-04T09:00:00.000Z",
        nostart="1",
        catalogue="x",
        verb="triage",
        options={"request": msgspec.json.encode(Request(verb="triage", launch=launch)).decode()},
        launch=launch,
    )
    run = tmp_path / "run"
    run.mkdir()
    (run / FILE_NAME).write_bytes(msgspec.json.encode(start) + b"\n")
    past = resume.read(run)
    with pytest.raises(UsageError, match="API_KEY=… nostart triage --resume"):
        resume.secrets_again(past, {"HF_TOKEN": "hf_of-nobody-at-all"})
    assert "sk-none-at-all" == resume.secrets_again(past, {"API_KEY": "sk-none-at-all"}).reveal("$API_KEY")


def test_nothing_else_goes_with_it(tmp_path: Path) -> None:
    """A launch beside ``--resume`` is refused: the transcript knows its own."""
    from_the_shell = nostart_refuses(tmp_path, "triage", "--resume", str(tmp_path), "--", "vllm", "serve", "m")
    assert "--resume RUN knows its launch" in from_the_shell


def nostart_refuses(folder: Path, *arguments: str) -> str:
    """What nostart says when it refuses to run at all."""
    with pytest.raises(AssertionError) as told:
        nostart(folder, *arguments)
    return str(told.value)


def test_an_interrupted_run_goes_on(tmp_path: Path, whole: tuple[Run, Transcript]) -> None:
    """A run that a person stopped is one that can be gone on with, and its record says what it goes on from."""
    run, transcript = whole
    assert run.document["outcome"] == "up"
    stopped = cut(transcript, tmp_path, len(transcript.lines) - 3)
    ended = events.RunEnded(seq=len(transcript.lines) - 2, at=transcript.events[-1].at, reason="interrupted", exit_status=130)
    with (stopped / FILE_NAME).open("ab") as file:
        file.write(msgspec.json.encode(ended) + b"\n")
    went_on = nostart(tmp_path, "triage", "--resume", stopped)
    assert ("up", 2, run.cause) == (went_on.document["outcome"], went_on.document["launches"], went_on.cause)
    assert "" == replays_strictly(went_on)
    notes = [event.text for event in load(Path(went_on.document["transcript"])).events if isinstance(event, events.Noted)]
    assert notes[0].startswith(f"goes on from {stopped.name}")
