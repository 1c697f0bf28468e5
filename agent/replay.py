"""The loop with recorded ports: a transcript fed back through the same code, which must write the same transcript again.

The recorded world answers in the recorded order. A question that was never asked is ``not-recorded``, counted and shown, never invented; an attempt
or a log that was never recorded ends the replay with what was reached by then.
"""

from collections.abc import Callable
from itertools import zip_longest

import msgspec
from msgspec import Struct

from agent.causes.catalogue import CAUSES
from agent.digest import catalogue_digest
from agent.importing import import_session
from agent.loop import triage
from agent.request import Request
from probes.catalogue import PROBES
from probes.frameworks.framework import Framework
from transcripts import events
from transcripts.errors import NostartError, ReplayDiverged, TranscriptError, UsageError
from transcripts.importers.session import Session
from transcripts.journal import Clock, Journal, MemorySink, Transcript
from transcripts.records import Attempt, Command, Diagnosis, Excerpt, Fix, Launch, Output, Question


class RecordEnded(NostartError):
    """The replay asks for something that the transcript does not hold (another path was taken, or the run was interrupted there)."""


class RecordedClock:
    """The recorded times, event by event; after the last one it stands still."""

    def __init__(self, times: tuple[str, ...]) -> None:
        self._times = times
        self._next = 0

    def now(self) -> str:
        """The time of the next event."""
        at = self._times[min(self._next, len(self._times) - 1)]
        self._next += 1
        return at

    def seconds(self) -> float:
        """Recorded durations stand in the events themselves; this clock measures none."""
        return 0.0


class RecordedWorld:
    """The world as a transcript holds it."""

    def __init__(self, transcript: Transcript) -> None:
        self._clock = RecordedClock(tuple(event.at for event in transcript.events))
        self._answers: dict[bytes, list[Output]] = {}
        self._attempts: list[tuple[Launch, list[events.PhaseReached], events.AttemptEnded]] = []
        self._logs: dict[str, Excerpt] = {}
        self.missing: list[Question] = []
        self._fill(transcript.events)

    def _fill(self, recorded: tuple[events.AnyEvent, ...]) -> None:
        asked: events.QuestionAsked | None = None
        started: events.AttemptStarted | None = None
        phases: list[events.PhaseReached] = []
        for event in recorded:
            if isinstance(event, events.QuestionAsked):
                asked = event
            elif isinstance(event, events.QuestionAnswered) and asked is not None:
                self._answers.setdefault(_key(asked.question, asked.command), []).append(event.output)
            elif isinstance(event, events.AttemptStarted):
                started, phases = event, []
            elif isinstance(event, events.PhaseReached):
                phases.append(event)
            elif isinstance(event, events.AttemptEnded) and started is not None:
                self._attempts.append((started.launch, phases, event))
            elif isinstance(event, events.LogRead):
                self._logs[event.path] = event.excerpt

    @property
    def clock(self) -> Clock:
        """The recorded times."""
        return self._clock

    async def ask(self, question: Question, command: Command) -> Output:
        """The recorded output of this very question and command."""
        outputs = self._answers.get(_key(question, command))
        if not outputs:
            self.missing.append(question)
            raise RecordEnded(f"the transcript has no answer to the probe {question.probe} {question.parameters or ''}")
        return outputs.pop(0) if len(outputs) > 1 else outputs[0]

    async def attempt(
        self, number: int, launch: Launch, framework: Framework | None, fix: Fix | None, reached: Callable[[str, float], None]
    ) -> tuple[Attempt, Excerpt]:
        """The recorded attempt of this number, if it executed this launch."""
        if number > len(self._attempts) or self._attempts[number - 1][0] != launch:
            raise RecordEnded(f"the transcript has no attempt {number} of this launch")
        _, phases, ended = self._attempts[number - 1]
        for phase in phases:
            reached(phase.phase, phase.seconds)
        return ended.attempt, ended.excerpt

    async def read_log(self, path: str) -> Excerpt:
        """The recorded excerpt of the given log."""
        if path not in self._logs:
            raise RecordEnded(f"the transcript has not read the log {path}")
        return self._logs[path]


def _key(question: Question, command: Command) -> bytes:
    return msgspec.json.encode([question, command])


class Replay(Struct, frozen=True, kw_only=True):
    """What a replay came to. `diverged` is the first difference (empty: byte for byte the same); `comparable` is False for another catalogue."""

    recorded: Diagnosis | None
    diagnosis: Diagnosis | None
    lines: tuple[bytes, ...]
    diverged: str
    comparable: bool
    missing: tuple[Question, ...]


async def replay(transcript: Transcript, strategy: str = "") -> Replay:
    """Run the loop on what was recorded, with the recorded strategy or another.

    Raises:
        TranscriptError: the transcript does not begin with a run's start.
    """
    first = transcript.events[0]
    if not isinstance(first, events.RunStarted):
        raise TranscriptError("the transcript does not begin with the start of a run")
    if first.verb == "import":
        return _judged_again(transcript, first, strategy)
    request = msgspec.json.decode(first.options.get("request", ""), type=Request)
    if strategy:
        request = msgspec.structs.replace(request, strategy=strategy)
    world, sink = RecordedWorld(transcript), MemorySink()
    diagnosis: Diagnosis | None = None
    stopped = ""
    try:
        diagnosis = await triage(request, world, Journal(sink, world.clock, hidden=True))
    except RecordEnded as end:
        stopped = str(end)
    return _compared(transcript, first, sink, diagnosis, stopped, tuple(world.missing))


def _judged_again(transcript: Transcript, first: events.RunStarted, strategy: str) -> Replay:
    """An imported session judged again: its steps lie in its first event."""
    if strategy:
        raise UsageError("the questions of an imported session were its own: no other strategy can have chosen them; leave --strategy out")
    session = msgspec.json.decode(first.options.get("session", ""), type=Session)
    sink, clock = MemorySink(), RecordedClock(tuple(event.at for event in transcript.events))
    secrets = tuple(first.options.get("secrets", "").split())
    diagnosis = import_session(session, secrets, Journal(sink, clock, hidden=True), lambda _: None)
    return _compared(transcript, first, sink, diagnosis, "", ())


def _compared(
    transcript: Transcript,
    first: events.RunStarted,
    sink: MemorySink,
    diagnosis: Diagnosis | None,
    stopped: str,
    missing: tuple[Question, ...],
) -> Replay:
    return Replay(
        recorded=next((e.diagnosis for e in reversed(transcript.events) if isinstance(e, events.Diagnosed)), None),
        diagnosis=diagnosis,
        lines=tuple(sink.lines),
        diverged=_difference(transcript, sink.lines, stopped),
        comparable=first.catalogue == catalogue_digest(CAUSES, PROBES),
        missing=missing,
    )


def _difference(transcript: Transcript, lines: list[bytes], stopped: str) -> str:
    whole = isinstance(transcript.events[-1], events.RunEnded) and transcript.events[-1].reason in ("done", "budget")
    for number, (recorded, now) in enumerate(zip_longest(transcript.lines, lines), 1):
        if recorded == now:
            continue
        if now is None and not whole:
            return ""
        if recorded is not None and not whole and number >= len(transcript.lines):
            return ""
        return f"event {number}: recorded {_short(recorded)}; now {_short(now)}" + (f" ({stopped})" if stopped else "")
    return ""


def _short(line: bytes | None) -> str:
    return "nothing" if line is None else line[:2000].decode("utf-8", "replace").rstrip()


def require_same(result: Replay) -> None:
    """Fail unless the replay wrote the transcript again byte for byte.

    Raises:
        ReplayDiverged: with the first difference, or that another catalogue makes the two incomparable.
    """
    if not result.comparable:
        raise ReplayDiverged("the transcript was made with another catalogue of causes and probes: a strict replay cannot be compared")
    if result.diverged:
        raise ReplayDiverged(f"the replay differs from its transcript at {result.diverged}")
