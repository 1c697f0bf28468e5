"""The live view is a fold over events: the same events give the same screen."""

import io
from pathlib import Path

from rich.console import Console

from agent.live import LiveView, PlainView, State, fold, frame, plain
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
from transcripts.records import (
    Attempt,
    Belief,
    Command,
    Excerpt,
    Fault,
    Fix,
    Hypothesis,
    Launch,
    Outcome,
    Output,
    Question,
    Reading,
    Symptom,
    Weighed,
)

LAUNCH = Launch(argv=("vllm", "serve", "m"))
QUESTION = Question(probe="help-grep", parameters={"flag": "--dtype"})
STREAM: tuple[AnyEvent, ...] = (
    RunStarted(nostart="0", catalogue="0", verb="triage", launch=LAUNCH),
    FaultSeen(fault=Fault(signs=(), order=1, text="the JSON of --x arrives split")),
    AttemptStarted(number=1, launch=LAUNCH),
    PhaseReached(number=1, phase="arguments", seconds=2.0),
    AttemptEnded(attempt=Attempt(number=1, launch=LAUNCH, end="exited", exit_status=2, phases=("arguments",), seconds=3.25), excerpt=Excerpt()),
    SymptomRead(number=1, symptom=Symptom(line="error: \x1b[31mbad", line_number=7)),
    BeliefMoved(
        belief=Belief(
            weighed=(
                Weighed(hypothesis=Hypothesis(cause="quoting/json-split"), probability=0.8),
                Weighed(hypothesis=Hypothesis(cause="flag/misspelt"), probability=0.1),
            ),
            unknown=0.1,
        ),
        moves=(),
        entropy=1.0,
    ),
    QuestionAsked(question=QUESTION, command=Command(argv=("vllm", "--help")), why="tells [bold] apart", gain=0.75, cost=9.8),
    QuestionAnswered(output=Output(status=0), reading=Reading(question=QUESTION, outcome=Outcome.VOID, text="the control fails")),
)

EXPECTED = """\
vllm serve m
seen: the JSON of --x arrives split
log:  error: \\x1b[31mbad
  80%  quoting/json-split  ███████████████████
  10%  flag/misspelt       ██
  10%  unknown             ██
asking help-grep --dtype (0.75 bits for 9.8 s)
  tells [bold] apart
12 of 60 s · launches 1 of 4 · probes 1
"""


def test_screen_of_a_recorded_stream() -> None:
    """Ranked hypotheses, the probe being asked and why, time and budget; what logs contain is text, never markup or an escape."""
    state = State()
    for event in STREAM:
        state = fold(state, event)
    console = Console(record=True, width=100, file=io.StringIO(), color_system=None)
    console.print(frame(state, 12.4, 60.0, 4))

    assert EXPECTED == "".join(line.rstrip() + "\n" for line in console.export_text().splitlines())


def test_an_attempt_shows_its_phases() -> None:
    """While a launch runs the screen says which phase it reached and when."""
    state = State()
    for event in STREAM[:4]:
        state = fold(state, event)

    assert ("launch 1: arguments after 2.0 s", 1) == (state.doing, state.launches)


def test_a_fix_under_trial_is_shown() -> None:
    """A relaunch says which fix it carries."""
    state = fold(State(), FixChosen(fix=Fix(summary="one dash more"), tried=True))

    assert ("trying a fix", "one dash more") == (state.doing, state.why)


def test_every_event_leaves_the_state_whole() -> None:
    """An event that the screen does not show changes nothing."""
    assert State() == fold(State(), Noted(text="x"))


def test_plain_lines() -> None:
    """Where there is no terminal every event that matters is one line, harmless and without markup."""
    stream = io.StringIO()
    with PlainView(stream) as view:
        for event in (*STREAM, FixJudged(number=2, verdict="gone", text="further"), LogRead(path="-", excerpt=Excerpt(lines=3, size=9))):
            view(event)

    assert [
        "seen without launching: the JSON of --x arrives split",
        "launch 1",
        "  arguments after 2.0 s",
        "launch 1: exited with status 2 after 3.2 s, reached arguments",
        "  line 7: error: \\x1b[31mbad",
        "  now quoting/json-split 80%, flag/misspelt 10%, unknown 10%",
        "asking help-grep --dtype: tells [bold] apart",
        "  void: the control fails",
        "  gone: further",
        "reading -: 3 lines, 9 bytes",
    ] == stream.getvalue().splitlines()


def test_plain_says_nothing_of_what_does_not_matter() -> None:
    """The start of a run is what the person just typed, so it makes no line."""
    assert "" == plain(STREAM[0])


def test_live_view_leaves_the_terminal_clean(tmp_path: Path) -> None:
    """After the view is closed the cursor is visible again and nothing of the view stands on the screen."""
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=80)
    with LiveView(console, lambda: 0.0, None, 4) as view:
        for event in STREAM:
            view(event)

    assert stream.getvalue().rindex("\x1b[?25h") > stream.getvalue().rindex("\x1b[?25l")
