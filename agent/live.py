"""What a person sees while a triage runs: a fold over the event stream. On a terminal rich draws the state, elsewhere each event is a line."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Protocol, TextIO

from msgspec import Struct
from msgspec.structs import replace
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from agent.belief import ranking
from agent.report import Line, attempt_text, belief_text, percent, printable
from transcripts.events import (
    AnyEvent,
    AttemptEnded,
    AttemptStarted,
    BeliefMoved,
    FaultSeen,
    FixChosen,
    FixJudged,
    LogRead,
    Noted,
    PhaseReached,
    QuestionAnswered,
    QuestionAsked,
    RunStarted,
    SymptomRead,
)
from transcripts.records import Question

_ROWS = 6
_WIDTH = 160
_SHORT = 60
STYLES = {"head": "bold", "good": "green", "bad": "red", "paste": "bold cyan", "dim": "dim"}


class State(Struct, frozen=True, kw_only=True):
    """What the screen shows, and nothing else: derived from the events alone."""

    command: str = ""
    doing: str = "reading the launch"
    why: str = ""
    ranked: tuple[tuple[str, float], ...] = ()
    unknown: float = 1.0
    faults: tuple[str, ...] = ()
    decisive: str = ""
    launches: int = 0
    probes: int = 0


class View(AbstractContextManager["View"], Protocol):
    """A listener of events that may hold the terminal while it is open."""

    def __call__(self, event: AnyEvent) -> None:
        """Show an event."""
        ...


def fold(state: State, event: AnyEvent) -> State:
    """The state after `event`."""
    match event:
        case RunStarted(launch=launch):
            return replace(state, command=launch.shell or " ".join(launch.argv))
        case QuestionAsked(question=question, why=why, gain=gain, cost=cost):
            about = _about(question)
            expected = f"{gain:.2f} bits for {cost:.1f} s" if gain else f"{cost:.1f} s"
            return replace(state, doing=f"asking {question.probe} {about} ({expected})", why=why)
        case QuestionAnswered():
            return replace(state, probes=state.probes + 1)
        case FaultSeen(fault=fault):
            return replace(state, faults=(*state.faults, fault.text))
        case AttemptStarted(number=number, fix=fix):
            return replace(state, doing=f"launch {number}", why=fix, launches=state.launches + 1)
        case PhaseReached(number=number, phase=phase, seconds=seconds):
            return replace(state, doing=f"launch {number}: {phase} after {seconds:.1f} s")
        case AttemptEnded(attempt=attempt):
            return replace(state, doing=attempt_text(attempt), why="")
        case LogRead(path=path, excerpt=excerpt):
            return replace(state, doing=f"reading {path}, {excerpt.lines} lines", why="")
        case SymptomRead(symptom=symptom):
            return replace(state, decisive=symptom.line)
        case BeliefMoved(belief=belief):
            return replace(state, ranked=ranking(belief)[:_ROWS], unknown=belief.unknown)
        case FixChosen(fix=fix, tried=True):
            return replace(state, doing="trying a fix", why=fix.summary)
        case _:
            return state


def _about(question: Question) -> str:
    """What a question is about, in a few words: its short parameters."""
    return " ".join(value for value in question.parameters.values() if value and len(value) <= _SHORT)


def frame(state: State, elapsed: float, budget: float | None, launches: int) -> RenderableType:
    """The screen: what is launched, the ranked hypotheses, what is being done and why, time and budget."""
    table = Table.grid(padding=(0, 2))
    for name, probability in state.ranked:
        if probability >= 0.005:
            bar = "█" * max(1, round(probability * 24))
            table.add_row(Text(f"{percent(probability):>5}"), Text(name, style="bold"), Text(bar, style="cyan"))
    if state.ranked:
        table.add_row(Text(f"{percent(state.unknown):>5}"), Text("unknown"), Text("█" * round(state.unknown * 24), style="dim"))
    of_time = f" of {budget:.0f} s" if budget else " s"
    parts: list[RenderableType] = [Text(printable(state.command, _WIDTH), style="bold")]
    parts += [Text("seen: " + printable(fault, _WIDTH), style="red") for fault in state.faults[:_ROWS]]
    if state.decisive:
        parts.append(Text("log:  " + printable(state.decisive, _WIDTH)))
    parts += [table, Text(printable(state.doing, _WIDTH), style="yellow")]
    if state.why:
        parts.append(Text("  " + printable(state.why, _WIDTH), style="dim"))
    parts.append(Text(f"{elapsed:.0f}{of_time} · launches {state.launches} of {launches} · probes {state.probes}", style="dim"))
    return Group(*parts)


def plain(event: AnyEvent) -> str:
    """The line that says `event`, or nothing."""
    match event:
        case QuestionAsked(question=question, why=why):
            return f"asking {question.probe} {_about(question)}".rstrip() + (f": {why}" if why else "")
        case QuestionAnswered(reading=reading):
            return f"  {reading.outcome}: {reading.text}"
        case FaultSeen(fault=fault):
            return f"seen without launching: {fault.text}"
        case AttemptStarted(number=number, fix=fix):
            return f"launch {number}" + (f" with: {fix}" if fix else "")
        case PhaseReached(phase=phase, seconds=seconds):
            return f"  {phase} after {seconds:.1f} s"
        case AttemptEnded(attempt=attempt):
            return attempt_text(attempt)
        case LogRead(path=path, excerpt=excerpt):
            return f"reading {path}: {excerpt.lines} lines, {excerpt.size} bytes"
        case SymptomRead(symptom=symptom) if symptom.line:
            return f"  line {symptom.line_number}: {symptom.line}"
        case BeliefMoved(belief=belief) if belief.weighed:
            return f"  now {belief_text(belief)}"
        case FixJudged(verdict=verdict, text=text):
            return f"  {verdict}: {text}"
        case Noted(text=text):
            return text
        case _:
            return ""


class PlainView:
    """Each event as a line on a stream that is no terminal (None: nowhere)."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream

    def __enter__(self) -> "PlainView":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        return None

    def __call__(self, event: AnyEvent) -> None:
        """Write the event's line, if it has one."""
        line = plain(event)
        if line and self._stream is not None:
            self._stream.write(printable(line, _WIDTH * 3) + "\n")
            self._stream.flush()


class LiveView:
    """The state drawn on a terminal while it changes; nothing of it is left on the screen afterwards."""

    def __init__(self, console: Console, seconds: Callable[[], float], budget: float | None, launches: int) -> None:
        self._seconds, self._budget, self._launches = seconds, budget, launches
        self._start = seconds()
        self._state = State()
        self._live = Live(console=console, get_renderable=self._frame, refresh_per_second=8, transient=True)

    def __enter__(self) -> "LiveView":
        self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._live.stop()

    def __call__(self, event: AnyEvent) -> None:
        """Take the event into the state; the next refresh shows it."""
        self._state = fold(self._state, event)

    def _frame(self) -> RenderableType:
        return frame(self._state, self._seconds() - self._start, self._budget, self._launches)


def show(console: Console, lines: tuple[Line, ...]) -> None:
    """Write lines, each in the style of its kind; long ones are not wrapped, so that they can be copied."""
    for line in lines:
        console.print(Text(line.text, style=STYLES.get(line.kind, "")), soft_wrap=True)
