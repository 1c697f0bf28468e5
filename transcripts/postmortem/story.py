"""What a postmortem holds: plain records, ready for any rendering. Times are seconds since the run's first event; texts are as recorded."""

from typing import Literal

from msgspec import field

from transcripts.records import FileCopy, Hypothesis, Record

Kind = Literal["start", "read", "probe", "fault", "launch", "log", "symptom", "belief", "fix", "judged", "note", "verdict", "end"]
Mark = Literal["", "good", "bad", "void", "stale", "wasted"]


SCHEMA = "nostart-postmortem/1"


class Told(Record, frozen=True, kw_only=True, omit_defaults=False):
    """The base of what a postmortem holds: as JSON every field is there, whatever its value."""


class Cost(Told, frozen=True, kw_only=True):
    """What was spent: launches executed, questions asked, seconds of wall time."""

    launches: int = 0
    probes: int = 0
    seconds: float = 0.0


class Item(Told, frozen=True, kw_only=True):
    """One step of the timeline. `cost` is the seconds it took; `point` the index of the belief held after it (-1: none yet).

    `output` is what was seen there (the head and tail of long text); `facts` are further short lines.
    """

    seq: int
    at: float
    kind: Kind
    title: str
    cost: float = 0.0
    mark: Mark = ""
    facts: tuple[str, ...] = ()
    output: str = ""
    point: int = -1


class Point(Told, frozen=True, kw_only=True):
    """The belief at one moment, about fault number `fault` of the run: marginal probabilities by cause, and what is left for unknown."""

    seq: int
    at: float
    fault: int
    probabilities: dict[str, float]
    unknown: float
    entropy: float = 0.0


class Weight(Told, frozen=True, kw_only=True):
    """One sign and how many times likelier (`ratio` > 1) or less likely it is under `cause` than when nothing is known."""

    sign: str
    source: str
    cause: str
    ratio: float


class Shift(Told, frozen=True, kw_only=True):
    """One move of belief: the causes that changed most, as (cause, before, after), and the new signs that did it.

    `dropped` are the signs that no longer count (they were about another failure, or another launch's).
    """

    seq: int
    at: float
    fault: int
    changes: tuple[tuple[str, float, float], ...]
    because: tuple[Weight, ...]
    dropped: tuple[str, ...] = ()


class Moment(Told, frozen=True, kw_only=True):
    """When a cause was decidable from what was already on the screen: at step `seq`, which showed it, and what was spent afterwards.

    `launch` is the number of the launch whose output showed it (0: none was needed). `believed` is the probability reached.
    """

    seq: int
    at: float
    what: str
    launch: int
    believed: float
    after: Cost


class FaultStory(Told, frozen=True, kw_only=True):
    """One fault of the run: its cause, how sure, when it was decidable (None: never), and the evidence for and against it."""

    number: int
    hypothesis: Hypothesis
    summary: str
    probability: float
    confirmed: bool
    moment: Moment | None
    support: tuple[Weight, ...] = ()
    against: tuple[Weight, ...] = ()


class Waste(Told, frozen=True, kw_only=True):
    """A launch whose outcome no hypothesis expected to differ, what it cost, and why it is called wasted."""

    launch: int
    seq: int
    seconds: float
    why: str


class Stale(Told, frozen=True, kw_only=True):
    """What was read as the output of launch `launch` (0: of a given log) is not its own, and why."""

    launch: int
    seq: int
    why: str


class Void(Told, frozen=True, kw_only=True):
    """A question that brought no answer: `outcome` is ``void`` where the control failed, else why nobody could look."""

    seq: int
    probe: str
    about: str
    outcome: str
    text: str
    control: str = ""


class Word(Told, frozen=True, kw_only=True):
    """A word of the command: kept, ``gone`` from it or ``new`` in it."""

    text: str
    kind: Literal["kept", "gone", "new"] = "kept"


class CommandChange(Told, frozen=True, kw_only=True):
    """The fix as a difference: word by word as the program receives it, then its environment, files and steps. `shell` is the line to paste."""

    summary: str
    words: tuple[Word, ...]
    shell: str = ""
    env: dict[str, str] = field(default_factory=dict)
    unset: tuple[str, ...] = ()
    files: tuple[FileCopy, ...] = ()
    steps: tuple[str, ...] = ()
    generated: tuple[str, ...] = ()
    worked: bool = False


class Postmortem(Told, frozen=True, kw_only=True):
    """A whole run told after the fact. `reason` and `exit_status` are how it ended (empty and None: it was cut off)."""

    schema: str = SCHEMA
    nostart: str
    verb: str
    started: str
    command: str
    framework: str
    release: str
    outcome: str
    headline: str
    decisive: str
    decisive_line: int
    total: Cost
    faults: tuple[FaultStory, ...]
    also: tuple[str, ...]
    items: tuple[Item, ...]
    points: tuple[Point, ...]
    shifts: tuple[Shift, ...]
    wasted: tuple[Waste, ...]
    stale: tuple[Stale, ...]
    voids: tuple[Void, ...]
    change: CommandChange | None
    reason: str
    exit_status: int | None
    torn: bool = False
