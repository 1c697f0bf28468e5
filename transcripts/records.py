"""The vocabulary: the frozen values that every part of nostart speaks in.

Nothing here acts. Seconds are floats of wall time; offsets and sizes are bytes; line numbers count ``\\n`` from 1.
Every value can be written as JSON and read back (`transcripts.codec`).
"""

from enum import StrEnum
from typing import Any, Literal

from msgspec import Struct, field


class Record(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The base of every recorded value: frozen, named fields only, unknown fields refused on reading."""


LayerKind = Literal["typed", "shell", "ssh", "env", "wrapper", "container", "module", "script", "python", "manifest"]


class Layer(Record, frozen=True, kw_only=True):
    """One thing a command passes through on its way to the server program, outermost first.

    `kind`: ``typed`` the line as a person typed it; ``shell`` a ``bash -c TEXT``; ``ssh`` a remote command;
    ``env`` assignments before the program; ``wrapper`` a program that execs its arguments unchanged (nohup, exec, numactl…);
    ``container`` ``docker run IMAGE …``; ``module`` ``python -m NAME``; ``script`` a shell script; ``python`` a Python script;
    ``manifest`` a file that a container runtime, Kubernetes or systemd makes the command of (`words`: the format, the part, the image if any).
    `words` are the layer's own words (``("bash", "-c")``), `text` what a shell evaluates, `source` ``file:line``.
    """

    kind: LayerKind
    words: tuple[str, ...] = ()
    text: str = ""
    shell: str = ""
    source: str = ""


class Origin(Record, frozen=True, kw_only=True):
    """The file that a launch was read from: `text` is the whole file, `part` the service, container or instruction in it.

    `files` are the texts of the files that it names (env files, scripts; None: could not be read), `environment` the variables of the place where
    the file is used that its text speaks of (compose fills ``$NAME`` in from there).
    """

    kind: Literal["compose", "kubernetes", "systemd", "dockerfile", "script"]
    path: str
    text: str
    part: str = ""
    files: dict[str, str | None] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)


class Launch(Record, frozen=True, kw_only=True):
    """What someone wants run. `argv` is what is executed on the target; `shell` the line as typed, when it was typed.

    `env` are changes to the target's environment (an empty `unset` name list removes nothing). `secrets` are the names that
    stand for hidden values as ``$NAME`` anywhere in this launch; such a word is a value, not an unexpanded variable.
    `origin` is the file that it was read from (None: it was given as a command). `through` is the ``ssh`` command, up to its host, by which the
    person reaches the target: `shell` is what the login shell there is given.
    """

    argv: tuple[str, ...]
    shell: str | None = None
    env: dict[str, str] = field(default_factory=dict)
    unset: tuple[str, ...] = ()
    cwd: str | None = None
    target: str = "local"
    secrets: tuple[str, ...] = ()
    origin: Origin | None = None
    through: tuple[str, ...] = ()


class Sign(Record, frozen=True, kw_only=True):
    """A named observation: one value of one variable (`transcripts.variables`), with what it is about.

    `parameters` name the subject (``flag``, ``value``, ``module``, ``path``, ``port``…), as text.
    `source` says where it was seen: ``log:12``, ``probe:help-grep``, ``check``, ``launch``, ``exit``.
    """

    variable: str
    value: str
    parameters: dict[str, str] = field(default_factory=dict)
    source: str = ""


class Symptom(Record, frozen=True, kw_only=True):
    """What the log of one attempt proves: the decisive line, where it stands, and its signs.

    `line_number` is 0 where the log holds no decisive line. `values` are those the line quotes.
    `whole` is False for a log that is cut at its head or tail, or may be.
    """

    line: str = ""
    line_number: int = 0
    offset: int = 0
    exception: str = ""
    message: str = ""
    process: str = ""
    phase: str = ""
    values: tuple[str, ...] = ()
    signs: tuple[Sign, ...] = ()
    whole: bool = True


class Piece(Record, frozen=True, kw_only=True):
    """Consecutive lines of a log as they stand there: `line` is the number of the first, `offset` its byte offset."""

    line: int
    offset: int
    text: str


class Excerpt(Record, frozen=True, kw_only=True):
    """The parts of a log that are worth reading, in order; a short log is one piece. `lines` and `size` are those of the whole log.

    `binary` is True where the bytes are no text at all.
    """

    pieces: tuple[Piece, ...] = ()
    lines: int = 0
    size: int = 0
    binary: bool = False


class Attempt(Record, frozen=True, kw_only=True):
    """One execution of a launch. `received` is the argv as the process had it (empty where nobody could look).

    `end`: ``exited`` by itself, ``up`` (it answered a real request), ``hang`` (ended by us), ``stopped`` (ended by a person or the
    budget), ``not-started`` (the target could not execute it). `exit_status` is negative for a signal.
    """

    number: int
    launch: Launch
    end: Literal["exited", "up", "hang", "stopped", "not-started"]
    exit_status: int | None = None
    received: tuple[str, ...] = ()
    pid: int = 0
    phases: tuple[str, ...] = ()
    log: str = ""
    log_bytes: int = 0
    answer: str = ""
    seconds: float = 0.0


class Command(Record, frozen=True, kw_only=True):
    """What a target is asked to run to its end: exact argv, no shell; `timeout` in seconds, `limit` in bytes of each stream."""

    argv: tuple[str, ...]
    stdin: str = ""
    env: dict[str, str] = field(default_factory=dict)
    unset: tuple[str, ...] = ()
    cwd: str | None = None
    timeout: float = 30.0
    limit: int = 4_000_000


class Outcome(StrEnum):
    """How a question ended. Only `OBSERVED` may move a belief."""

    OBSERVED = "observed"
    VOID = "void"
    NO_TOOL = "no-tool"
    DENIED = "denied"
    TIMED_OUT = "timed-out"
    UNREACHABLE = "unreachable"
    UNREADABLE = "unreadable"
    NOT_RECORDED = "not-recorded"


class Output(Record, frozen=True, kw_only=True):
    """What a target answered to a command. `failure` says why there is none (then the rest is empty)."""

    status: int | None = None
    stdout: str = ""
    stderr: str = ""
    seconds: float = 0.0
    truncated: bool = False
    failure: Literal["", "no-tool", "denied", "timed-out", "unreachable", "not-recorded"] = ""


class Question(Record, frozen=True, kw_only=True):
    """A probe asked about something: its name and its parameters (``flag``, ``path``…)."""

    probe: str
    parameters: dict[str, str] = field(default_factory=dict)


class Finding(Record, frozen=True, kw_only=True):
    """What a probe's `read` makes of an output: pure, and made again from the recorded output on replay.

    `text` is one sentence for people. `control` says what the positive control showed (empty where none is needed).
    `data` holds what later steps need in full (a flag table, versions); it is never recorded, the output is.
    """

    outcome: Outcome
    text: str
    signs: tuple[Sign, ...] = ()
    control: str = ""
    data: Any = None


class Reading(Record, frozen=True, kw_only=True):
    """The recorded answer to a question: outcome, signs, control and provenance."""

    question: Question
    outcome: Outcome
    text: str
    signs: tuple[Sign, ...] = ()
    control: str = ""
    seconds: float = 0.0
    target: str = "local"
    attempt: int = 0


class Hypothesis(Record, frozen=True, kw_only=True):
    """A cause with its parameters for this launch (which flag, which value, which port)."""

    cause: str
    parameters: dict[str, str] = field(default_factory=dict)


class Weighed(Record, frozen=True, kw_only=True):
    """A hypothesis with its probability, 0 to 1."""

    hypothesis: Hypothesis
    probability: float


class Belief(Record, frozen=True, kw_only=True):
    """Probabilities over the hypotheses (highest first) and ``unknown``; they sum to 1."""

    weighed: tuple[Weighed, ...] = ()
    unknown: float = 1.0


class Move(Record, frozen=True, kw_only=True):
    """How one sign bore on one hypothesis: `ratio` is P(sign | hypothesis) / P(sign | unknown)."""

    sign: Sign
    hypothesis: Hypothesis
    ratio: float


class Fault(Record, frozen=True, kw_only=True):
    """A fault that can be seen without launching: its signs, when it would kill (`order`, lower is earlier), and where it stands.

    `established` is True where the observation itself is proof (argv, parser, file), so that it may be mended together with others.
    """

    signs: tuple[Sign, ...]
    order: int
    text: str
    established: bool = True


class Change(Record, frozen=True, kw_only=True):
    """One edit of the argv that arrives: words `start` up to `stop` (indices into `Arrival.argv`) become `words`; or of its environment."""

    start: int = 0
    stop: int = 0
    words: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)
    unset: tuple[str, ...] = ()


class FileCopy(Record, frozen=True, kw_only=True):
    """A corrected copy of a user's file, to be placed in the run's folder; the user's own is never touched.

    `name` is the copy's file name, `difference` a unified diff against `original`.
    """

    original: str
    name: str
    text: str
    difference: str = ""


class Edit(Record, frozen=True, kw_only=True):
    """A change of the user's own file, for the user to make: `difference` is a unified diff of `path` that ``patch`` takes. Never applied by us."""

    path: str
    difference: str


class Repair(Record, frozen=True, kw_only=True):
    """What mends one hypothesis: `changes` to the argv that arrives, corrected `files`, secrets to be `generated`, or only words (`steps`).

    `dangerous` repairs do not exist: a switch that says it is dangerous is never among the changes.
    """

    summary: str
    changes: tuple[Change, ...] = ()
    files: tuple[FileCopy, ...] = ()
    generated: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    predicts: str = ""


class Fix(Record, frozen=True, kw_only=True):
    """An intervention. `launch` is None where only words can be given; `argv` is the corrected argv of the server program itself.

    `predicts` says what must be seen if the cause was right; `files` are copies that `launch` points to by ``{run}/NAME``.
    `generated` are names of secrets that are made fresh at launch time (``$NAME`` in `launch`). `edits` say how to change the files that the
    launch was read from.
    """

    summary: str
    launch: Launch | None = None
    argv: tuple[str, ...] = ()
    shell: str = ""
    env: dict[str, str] = field(default_factory=dict)
    unset: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    predicts: str = ""
    files: tuple[FileCopy, ...] = ()
    generated: tuple[str, ...] = ()
    mends: tuple[Hypothesis, ...] = ()
    edits: tuple[Edit, ...] = ()


class Evidence(Record, frozen=True, kw_only=True):
    """One thing seen, and which causes it speaks for and against (by likelihood ratio)."""

    kind: Literal["symptom", "reading"]
    text: str
    source: str
    supports: tuple[str, ...] = ()
    refutes: tuple[str, ...] = ()


class Suggestion(Record, frozen=True, kw_only=True):
    """A question nobody could ask here: the command to paste and why it would tell."""

    probe: str
    command: str
    why: str


class Verdict(Record, frozen=True, kw_only=True):
    """A cause as reported: of the first fault (`Diagnosis.cause`) or of another one (`Diagnosis.also`)."""

    hypothesis: Hypothesis
    probability: float
    summary: str
    confirmed: bool = False


class Diagnosis(Record, frozen=True, kw_only=True):
    """The outcome of a triage. `cause` is None below the threshold; `belief` is about the first fault."""

    outcome: Literal["up", "diagnosed", "undetermined", "error"]
    belief: Belief
    cause: Verdict | None = None
    also: tuple[Verdict, ...] = ()
    fix: Fix | None = None
    evidence: tuple[Evidence, ...] = ()
    next: tuple[Suggestion, ...] = ()
    symptom: Symptom | None = None
    solved: tuple[Verdict, ...] = ()
    launches: int = 0
    probes: int = 0
    seconds: float = 0.0
