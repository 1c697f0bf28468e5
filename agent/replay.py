"""The loop with recorded ports: a transcript fed back through the same code, which must write the same transcript again.

The recorded world answers in the recorded order; what was never recorded ends the replay with what was reached by then. With another strategy
(what if?) a question that was never asked is ``not-recorded``, counted and shown, never invented; a launch that was never recorded still ends it.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import zip_longest

import msgspec
from msgspec import Struct

from agent.digest import own_digest
from agent.importing import import_session
from agent.loop import triage
from agent.memory import Asked, asked
from agent.request import Request
from probes.frameworks.framework import Framework
from transcripts import codec, events
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


class SpentClock:
    """A clock that goes on by what the recorded answers and launches took: for a run that took another path than the recorded one."""

    def __init__(self, began: str) -> None:
        self._began = datetime.fromisoformat(began) if began else datetime(1970, 1, 1, tzinfo=UTC)
        self._spent = 0.0

    def spend(self, seconds: float) -> None:
        """Let `seconds` pass."""
        self._spent += seconds

    def now(self) -> str:
        """The start of the recorded run and what was spent since."""
        return (self._began + timedelta(seconds=self._spent)).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def seconds(self) -> float:
        """What was spent."""
        return self._spent


class RecordedWorld:
    """The world as a transcript holds it.

    With `what_if` another path than the recorded one may be taken: a question that was never asked is ``not-recorded`` and counted in `missing`,
    an answer holds for its question whatever the order, and time passes as the answers took it.
    """

    def __init__(self, transcript: Transcript, what_if: bool = False) -> None:
        self._what_if = what_if
        self._spent = SpentClock(transcript.events[0].at)
        self._clock = RecordedClock(tuple(event.at for event in transcript.events))
        self._by_question: dict[bytes, Output] = {}
        self._answers: dict[Asked, list[Output]] = {}
        self._attempts: list[tuple[Launch, list[events.PhaseReached], events.AttemptEnded]] = []
        self._logs: dict[str, Excerpt] = {}
        self.missing: list[Question] = []
        self._fill(transcript.events)

    def _fill(self, recorded: tuple[events.AnyEvent, ...]) -> None:
        open_question: events.QuestionAsked | None = None
        started: events.AttemptStarted | None = None
        phases: list[events.PhaseReached] = []
        for event in recorded:
            if isinstance(event, events.QuestionAsked):
                open_question = event
            elif isinstance(event, events.QuestionAnswered) and open_question is not None:
                self._answers.setdefault(asked(open_question.question, open_question.command), []).append(event.output)
                if self._what_if:
                    self._by_question[msgspec.json.encode(open_question.question)] = event.output
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
        """The recorded times, or those of the other path."""
        return self._spent if self._what_if else self._clock

    async def ask(self, question: Question, command: Command) -> Output:
        """The recorded output of this very question and command."""
        outputs = self._answers.get(asked(question, command))
        if self._what_if:
            return self._answer(question, outputs)
        if not outputs:
            self.missing.append(question)
            raise RecordEnded(f"the transcript has no answer to the probe {question.probe} {question.parameters or ''}")
        return outputs.pop(0) if len(outputs) > 1 else outputs[0]

    def _answer(self, question: Question, outputs: list[Output] | None) -> Output:
        output = outputs[0] if outputs else self._by_question.get(msgspec.json.encode(question))
        if output is None:
            self.missing.append(question)
            return Output(failure="not-recorded")
        self._spent.spend(output.seconds)
        return output

    async def attempt(
        self, number: int, launch: Launch, framework: Framework | None, fix: Fix | None, reached: Callable[[str, float], None]
    ) -> tuple[Attempt, Excerpt]:
        """The recorded attempt of this number, if it executed this launch (another path: any that did)."""
        if self._what_if:
            return self._attempted(number, launch, reached)
        if number > len(self._attempts) or self._attempts[number - 1][0] != launch:
            raise RecordEnded(f"the transcript has no attempt {number} of this launch")
        _, phases, ended = self._attempts[number - 1]
        for phase in phases:
            reached(phase.phase, phase.seconds)
        return ended.attempt, ended.excerpt

    def _attempted(self, number: int, launch: Launch, reached: Callable[[str, float], None]) -> tuple[Attempt, Excerpt]:
        found = next(((phases, ended) for recorded, phases, ended in self._attempts if recorded == launch), None)
        if found is None:
            raise RecordEnded(f"launch {number} would be one that was never recorded: {launch.shell or ' '.join(launch.argv)}")
        phases, ended = found
        for phase in phases:
            reached(phase.phase, phase.seconds)
        self._spent.spend(ended.attempt.seconds)
        return msgspec.structs.replace(ended.attempt, number=number), ended.excerpt

    async def read_log(self, path: str) -> Excerpt:
        """The recorded excerpt of the given log."""
        if path not in self._logs:
            raise RecordEnded(f"the transcript has not read the log {path}")
        return self._logs[path]


class Replay(Struct, frozen=True, kw_only=True):
    """What a replay came to. `diverged` is the first difference (empty: byte for byte the same); `comparable` is False for another catalogue.

    `missing` are the questions that were never recorded. Of another strategy's run `told` is the whole, and `stopped` says why it could not go on.
    """

    recorded: Diagnosis | None
    diagnosis: Diagnosis | None
    lines: tuple[bytes, ...]
    diverged: str
    comparable: bool
    missing: tuple[Question, ...]
    told: tuple[events.AnyEvent, ...] = ()
    stopped: str = ""


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
    request = _request(first.options.get("request", ""))
    if strategy:
        request = msgspec.structs.replace(request, strategy=strategy)
    world, sink = RecordedWorld(transcript, what_if=bool(strategy)), MemorySink()
    diagnosis: Diagnosis | None = None
    stopped = ""
    try:
        diagnosis = await triage(request, world, Journal(sink, world.clock, hidden=True))
    except RecordEnded as end:
        stopped = str(end)
    return _compared(transcript, first, sink, diagnosis, stopped, tuple(world.missing), keep=bool(strategy))


@lru_cache(maxsize=256)
def _request(text: str) -> Request:
    return msgspec.json.decode(text, type=Request)


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
    keep: bool = False,
) -> Replay:
    return Replay(
        recorded=next((e.diagnosis for e in reversed(transcript.events) if isinstance(e, events.Diagnosed)), None),
        diagnosis=diagnosis,
        lines=tuple(sink.lines),
        diverged=_difference(transcript, sink.lines, stopped),
        comparable=first.catalogue == own_digest(),
        missing=missing,
        told=tuple(codec.decode(line, sink.blobs.__getitem__) for line in sink.lines) if keep else (),
        stopped=stopped,
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
