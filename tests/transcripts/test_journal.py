"""What is emitted is on the disk at once, redacted, whole; what cannot be written or read is said."""

import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from transcripts.errors import TranscriptError
from transcripts.events import AnyEvent, Noted, QuestionAnswered, RunEnded, RunStarted
from transcripts.journal import FILE_NAME, FileSink, Journal, MemorySink, load, runs
from transcripts.records import Launch, Outcome, Output, Question, Reading
from transcripts.redact import Vault

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


class StandingClock:
    """A clock that stands still."""

    def now(self) -> str:
        """Always the same time."""
        return "2026-12-01T16:28:20.123Z"

    def seconds(self) -> float:
        """Always the same moment."""
        return 1.0


SINKS: list[FileSink] = []


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    while SINKS:
        SINKS.pop().close()


def journal_in(folder: Path, vault: Vault | None = None) -> Journal:
    """A journal that writes into `folder`."""
    SINKS.append(FileSink(folder))
    return Journal(SINKS[-1], StandingClock(), vault)


def started() -> RunStarted:
    """The first event of a run."""
    return RunStarted(nostart="0", catalogue="0", verb="triage", launch=Launch(argv=("vllm", "serve", "m")))


def test_every_event_is_on_the_disk_when_emit_returns(tmp_path: Path) -> None:
    """A reader sees each event at once, numbered and dated, without the writer closing anything."""
    journal = journal_in(tmp_path)
    for count in (1, 2, 3):
        journal.emit(Noted(text=str(count)))

        assert [str(n) for n in range(1, count + 1)] == [event.text for event in load(tmp_path).events if isinstance(event, Noted)]

    assert [(1, "2026-12-01T16:28:20.123Z"), (2, "2026-12-01T16:28:20.123Z"), (3, "2026-12-01T16:28:20.123Z")] == [
        (event.seq, event.at) for event in load(tmp_path).events
    ]


def test_listeners_hear_what_was_recorded(tmp_path: Path) -> None:
    """A listener gets the event as stamped, after it is safe."""
    heard: list[AnyEvent] = []
    journal = journal_in(tmp_path)
    journal.listen(lambda event: heard.append(event) if load(tmp_path).events else None)
    journal.emit(started())

    assert [1] == [event.seq for event in heard]


def test_long_output_lies_beside_the_transcript(tmp_path: Path) -> None:
    """A long output is a file of its own and comes back whole; no text of one line makes another."""
    output = Output(status=0, stdout="line\n" * 5000)
    journal_in(tmp_path).emit(QuestionAnswered(output=output, reading=Reading(question=Question(probe="p"), outcome=Outcome.OBSERVED, text="x")))
    event = load(tmp_path).events[0]

    assert isinstance(event, QuestionAnswered)
    assert output == event.output
    assert 1 == len(list((tmp_path / "blobs").iterdir()))
    assert (tmp_path / FILE_NAME).stat().st_size < 500


def test_no_secret_reaches_the_disk(tmp_path: Path) -> None:
    """A secret is in no file of the run: not in a line, not in a blob."""
    secret = "hf_PlantedPlantedPlantedXyz"
    vault = Vault()
    vault.learn_environment({"OTHER_TOKEN": "canary-canary"})
    journal = journal_in(tmp_path, vault)
    journal.emit(Noted(text=f"short {secret} canary-canary"))
    journal.emit(Noted(text="x" * 5000 + secret + "canary-canary"))
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())

    assert secret.encode() not in written
    assert b"canary-canary" not in written


def test_files_of_a_run_are_private(tmp_path: Path) -> None:
    """Nobody else can read a run: its folder and files are the user's alone."""
    folder = tmp_path / "state" / "run"
    journal_in(folder).emit(Noted(text="x" * 5000))

    assert {0o700} == {path.stat().st_mode & 0o777 for path in [folder, *folder.rglob("*")] if path.is_dir()}
    assert {0o600} == {path.stat().st_mode & 0o777 for path in folder.rglob("*") if path.is_file()}


def test_torn_last_line_is_reported_and_not_fatal(tmp_path: Path) -> None:
    """A transcript whose run died while writing is read up to there."""
    journal = journal_in(tmp_path)
    journal.emit(started())
    journal.emit(Noted(text="kept"))
    with (tmp_path / FILE_NAME).open("ab") as file:
        file.write(b'{"seq":3,"at":"2026')
    transcript = load(tmp_path)

    assert transcript.torn
    assert 2 == len(transcript.events)


def test_broken_line_in_the_middle_is_an_error_that_names_it(tmp_path: Path) -> None:
    """A line that is no event is no torn end: the reader says which line of which file."""
    journal = journal_in(tmp_path)
    journal.emit(started())
    with (tmp_path / FILE_NAME).open("ab") as file:
        file.write(b"garbage\n")
    journal.emit(Noted(text="after"))

    with pytest.raises(TranscriptError, match=r"transcript\.jsonl, line 2"):
        load(tmp_path)


@pytest.mark.parametrize("content", [b"", b'{"seq":1'], ids=["empty", "torn at once"])
def test_file_without_an_event_is_no_transcript(tmp_path: Path, content: bytes) -> None:
    """A file that holds no event is refused with what it may be."""
    (tmp_path / FILE_NAME).write_bytes(content)

    with pytest.raises(TranscriptError, match="holds no event"):
        load(tmp_path)


def test_absent_transcript_is_said(tmp_path: Path) -> None:
    """A path where nothing lies gives a sentence with that path."""
    with pytest.raises(TranscriptError, match="nowhere"):
        load(tmp_path / "nowhere")


def test_missing_blob_is_said(tmp_path: Path) -> None:
    """A transcript that was copied without its blobs says which part it lacks."""
    journal_in(tmp_path).emit(Noted(text="x" * 5000))
    blob = next((tmp_path / "blobs").iterdir())
    blob.unlink()

    with pytest.raises(TranscriptError, match=blob.name):
        load(tmp_path)


def test_runs_are_listed_newest_first(tmp_path: Path) -> None:
    """Run folders sort by their names, which begin with the time."""
    for name in ("20261201-100000-a", "20261202-100000-a", "20251202-100000-a"):
        journal_in(tmp_path / name).emit(started())

    assert ["20261202-100000-a", "20261201-100000-a", "20251202-100000-a"] == [path.parent.name for path in runs(tmp_path)]


def limited(code: str, folder: Path) -> str:
    """What a child prints that journals into `folder` under a limit or without root's rights."""
    setup = "import sys; from pathlib import Path\nfrom tests.transcripts.test_journal import StandingClock\n"
    setup += "from transcripts.journal import *\nfrom transcripts.events import Noted\nfrom transcripts.errors import TranscriptError\n"
    done = subprocess.run(
        [sys.executable, "-c", setup + textwrap.dedent(code), str(folder)], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )

    assert "" == done.stderr
    return done.stdout


def test_full_disk_is_said_and_tears_no_line(tmp_path: Path) -> None:
    """When the disk is full the event that does not fit is refused, and what was written before stays readable."""
    said = limited(
        """
        import resource, signal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        journal = Journal(FileSink(Path(sys.argv[1])), StandingClock())
        journal.emit(Noted(text="kept"))
        resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))
        try:
            for _ in range(50):
                journal.emit(Noted(text="y" * 60))
        except TranscriptError as error:
            print(error.exit_status, error)
        """,
        tmp_path,
    )

    assert said.startswith("4 cannot write the transcript in ")
    assert "--transcripts" in said
    assert not load(tmp_path).torn
    assert "kept" == next(event.text for event in load(tmp_path).events if isinstance(event, Noted))


def test_full_disk_leaves_no_half_blob(tmp_path: Path) -> None:
    """A blob that does not fit is not there at all."""
    said = limited(
        """
        import resource, signal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        journal = Journal(FileSink(Path(sys.argv[1])), StandingClock())
        journal.emit(Noted(text="kept"))
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        try:
            journal.emit(Noted(text="y" * 6000))
        except TranscriptError as error:
            print(error.exit_status)
        """,
        tmp_path,
    )

    assert "4\n" == said
    assert [] == list((tmp_path / "blobs").iterdir())


def test_unwritable_folder_is_said(tmp_path: Path) -> None:
    """A folder that the user may not write in gives a sentence and exit status 4, not a traceback."""
    tmp_path.chmod(0o755)
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o555)
    said = limited(
        """
        import os
        if os.geteuid() == 0:
            os.setgroups([]); os.setgid(65534); os.setuid(65534)
        try:
            FileSink(Path(sys.argv[1]) / "run")
        except TranscriptError as error:
            print(error.exit_status, error)
        """,
        closed,
    )

    assert said.startswith("4 cannot write the transcript in ")
    assert "Permission denied" in said or "No such file" in said


def test_a_file_in_the_place_of_the_folder_is_said(tmp_path: Path) -> None:
    """A path that is a file cannot hold a run, and the message says so."""
    (tmp_path / "file").write_text("")

    with pytest.raises(TranscriptError, match="cannot write the transcript"):
        FileSink(tmp_path / "file" / "run")


def test_first_schema_stays_readable() -> None:
    """A transcript of the first schema, kept as a file, is read by every later release."""
    transcript = load(HERE / "v1" / "sample")

    assert isinstance(transcript.events[0], RunStarted)
    assert isinstance(transcript.events[-1], RunEnded)
    assert list(range(1, len(transcript.events) + 1)) == [event.seq for event in transcript.events]


def test_a_read_transcript_can_be_written_again(tmp_path: Path) -> None:
    """Reading and journalling again gives the same bytes: nothing is lost in between."""
    transcript = load(HERE / "v1" / "sample")
    times = iter([event.at for event in transcript.events])

    class Recorded(StandingClock):
        def now(self) -> str:
            return next(times)

    sink = MemorySink()
    journal = Journal(sink, Recorded())
    for event in transcript.events:
        journal.emit(event)

    assert list(transcript.lines) == sink.lines
