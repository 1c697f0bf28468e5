"""One frozen class per thing that can happen in a run, and their union.

The transcript is a list of these and the only state: everything shown, scored or replayed is a fold over them. A start and its end are
two events; none is filled in later. `seq` counts from 1; `at` is an RFC 3339 time in UTC from the run's clock. Both are stamped by the journal.
"""

from msgspec import field

from transcripts.records import (
    Attempt,
    Belief,
    Command,
    Diagnosis,
    Excerpt,
    Fault,
    Fix,
    Launch,
    Layer,
    Move,
    Output,
    Question,
    Reading,
    Record,
    Symptom,
)

SCHEMA = "nostart-transcript/1"


class Event(
    Record, frozen=True, kw_only=True, tag_field="event", tag=lambda name: "".join("-" + c.lower() if c.isupper() else c for c in name).lstrip("-")
):
    """The base of every event; the JSON field ``event`` names the class."""

    seq: int = 0
    at: str = ""


class RunStarted(Event, frozen=True, kw_only=True):
    """The first event: what was asked for, by which version, with which catalogue (a digest of every cause and probe)."""

    schema: str = SCHEMA
    nostart: str
    catalogue: str
    verb: str
    options: dict[str, str] = field(default_factory=dict)
    launch: Launch
    framework: str = ""
    release: str = ""


class LaunchUnderstood(Event, frozen=True, kw_only=True):
    """How the launch was read: the layers it passes through and the argv predicted to arrive at the server program."""

    framework: str
    layers: tuple[Layer, ...]
    arrives: tuple[str, ...]
    meant: tuple[str, ...]


class QuestionAsked(Event, frozen=True, kw_only=True):
    """A probe is about to look: what will be run, and what was expected of it (`gain` in bits, `cost` in seconds)."""

    question: Question
    command: Command
    why: str = ""
    gain: float = 0.0
    cost: float = 0.0


class QuestionAnswered(Event, frozen=True, kw_only=True):
    """The raw output of a probe's command and how it was read."""

    output: Output
    reading: Reading


class FaultSeen(Event, frozen=True, kw_only=True):
    """A fault that is visible without launching."""

    fault: Fault


class AttemptStarted(Event, frozen=True, kw_only=True):
    """A launch is about to be executed, as attempt `number`; `fix` is the summary of the fix it carries, if any."""

    number: int
    launch: Launch
    fix: str = ""


class PhaseReached(Event, frozen=True, kw_only=True):
    """The running attempt reached a phase, `seconds` after its start."""

    number: int
    phase: str
    seconds: float


class AttemptEnded(Event, frozen=True, kw_only=True):
    """How an attempt ended. `excerpt` holds the parts of its log that a symptom is read from (all of a short log)."""

    attempt: Attempt
    excerpt: Excerpt


class LogRead(Event, frozen=True, kw_only=True):
    """A log was given instead of a launch: what of it was read, with the exit status where it is known."""

    path: str
    excerpt: Excerpt
    exit_status: int | None = None


class SymptomRead(Event, frozen=True, kw_only=True):
    """What the log of attempt `number` proves (0: a log that was given)."""

    number: int
    symptom: Symptom


class BeliefMoved(Event, frozen=True, kw_only=True):
    """The belief after new evidence, and the likelihood ratios that made it."""

    belief: Belief
    moves: tuple[Move, ...]
    entropy: float


class FixChosen(Event, frozen=True, kw_only=True):
    """The fix that will be tried, or is proposed."""

    fix: Fix
    tried: bool


class FixJudged(Event, frozen=True, kw_only=True):
    """What the relaunch said of the fix: ``gone`` (signature gone, further or up), ``same``, ``moved`` (another failure, not later)."""

    number: int
    verdict: str
    text: str


class Noted(Event, frozen=True, kw_only=True):
    """Something worth telling that is no evidence."""

    text: str


class Diagnosed(Event, frozen=True, kw_only=True):
    """The verdict."""

    diagnosis: Diagnosis


class RunEnded(Event, frozen=True, kw_only=True):
    """The last event. `reason`: ``done``, ``budget``, ``interrupted``, ``error``; `exit_status` is the tool's own."""

    reason: str
    exit_status: int


AnyEvent = (
    RunStarted
    | LaunchUnderstood
    | QuestionAsked
    | QuestionAnswered
    | FaultSeen
    | AttemptStarted
    | PhaseReached
    | AttemptEnded
    | LogRead
    | SymptomRead
    | BeliefMoved
    | FixChosen
    | FixJudged
    | Noted
    | Diagnosed
    | RunEnded
)
