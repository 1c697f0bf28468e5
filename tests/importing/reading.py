"""Imports a session in memory: what the tests of importing share."""

from pathlib import Path

from agent.cli.import_ import hidden
from agent.importing import import_session
from agent.over import Over
from agent.replay import replay
from transcripts import codec, events
from transcripts.importers.catalogue import IMPORTERS
from transcripts.importers.session import Session, Step
from transcripts.journal import Journal, MemorySink, Transcript
from transcripts.records import Diagnosis

HERE = Path(__file__).parent
STARTED = "2026-05-04T09:00:00.000Z"


def session(path: Path) -> Session:
    """The session in a file whose name says its format (``NAME.FORMAT.…``, a version behind ``-v``)."""
    return IMPORTERS[path.name.split(".")[1].partition("-v")[0]](path.read_bytes())


def imported(read: Session) -> tuple[Diagnosis, Transcript]:
    """The verdict and the transcript of a session, kept in memory."""
    clock, sink = Over(), MemorySink()
    clock.tell(next((step.at for step in read.steps if step.at), STARTED))
    kept, names = hidden(read, {})
    diagnosis = import_session(kept, names, Journal(sink, clock, hidden=True), clock.tell)
    recorded = tuple(codec.decode(line, lambda name: sink.blobs[name]) for line in sink.lines)
    return diagnosis, Transcript(recorded, False, None, tuple(sink.lines))


async def difference(transcript: Transcript) -> str:
    """Where a replay of the transcript differs from it (empty: nowhere)."""
    return (await replay(transcript)).diverged


def of(*steps: Step) -> tuple[Diagnosis, tuple[events.AnyEvent, ...]]:
    """The verdict and the events of a session given as steps."""
    diagnosis, transcript = imported(Session(format="test", steps=steps))
    return diagnosis, transcript.events


def command(text: str, output: str = "", **more: int) -> Step:
    """A command and what it printed."""
    return Step(kind="command", text=text, output=output, exit_status=more.get("status"))
