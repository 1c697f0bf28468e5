"""A probe: a cheap read-only question with a finite set of outcomes, a command and a pure way to read its output.

A probe knows no target: `command` says what to run (exact argv, no shell), whoever asks it runs that on the target, and `read` makes a
`Finding` of the output. The control rule: a finding that something is *absent* is `observed` only when the same output shows something that is
known to be there; otherwise it is `void`. `settled` turns the target's own failures into outcomes so that no probe can mistake them.
"""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct, field

from probes.atlas.table import FlagTable
from probes.frameworks.framework import Entry, Framework
from probes.launches.arrival import Arrival
from transcripts.records import Command, Finding, Launch, Outcome, Output, Question, Symptom


class Situation(Struct, frozen=True, kw_only=True):
    """What is known when a question is chosen: the launch, how it arrives, and what earlier answers established.

    `entry` and `framework` are None where no serving command is recognised. `program` is the resolved path of the server program, `interpreter`
    the Python that runs it, `table` the flags of the installed release (None: not known). `data` maps a probe's name to its latest finding's data.
    `symptom` is that of the attempt in question. `can_ask` is False without a target (a pasted log).
    """

    launch: Launch
    arrival: Arrival
    framework: Framework | None = None
    entry: Entry | None = None
    release: str = ""
    program: str = ""
    interpreter: str = ""
    table: FlagTable | None = None
    symptom: Symptom | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
    can_ask: bool = True

    @property
    def elsewhere(self) -> bool:
        """Whether the launch goes on to another place (``ssh``, a container): what is asked here says nothing of the server there.

        So does the command of a manifest that was read without a place to ask.
        """
        read = self.launch.origin is not None and not self.can_ask
        return read or any(layer.kind in ("ssh", "container") for layer in self.arrival.layers)

    @property
    def argv(self) -> tuple[str, ...]:
        """The argv of the server program as it arrives, from its program word on (empty when none is recognised)."""
        return self.arrival.argv[self.entry.start :] if self.entry else ()

    @property
    def options(self) -> tuple[str, ...]:
        """The words after the entry point (``serve``): what its parser gets."""
        return self.arrival.argv[self.entry.options :] if self.entry else ()


class Probe(Struct, frozen=True, kw_only=True):
    """One read-only question. `variables` are those its signs speak about; `cost` is the expected seconds; `check` marks the probes that are
    asked before any launch. `questions(situation)` lists what it can be asked there, `command(question, situation)` what must be run, `read(question,
    output)` what the output says; `control` states the positive control in words (``none needed: …`` with the reason, where there is none).
    `near` marks those about this end of a launch, which hold also where the server runs elsewhere. `paste` is the question as
    a short command for a person, with ``{flag}``, ``{path}``, ``{port}``, ``{program}``, ``{python}`` placeholders."""

    name: str
    about: str
    variables: tuple[str, ...]
    cost: float
    control: str
    check: bool = False
    near: bool = False
    paste: str = ""
    questions: Callable[[Situation], tuple[Question, ...]]
    command: Callable[[Question, Situation], Command]
    read: Callable[[Question, Output], Finding]


def askable(probe: Probe, situation: Situation) -> tuple[Question, ...]:
    """The questions that `probe` can be asked: none about a place where the server does not run."""
    return () if situation.elsewhere and not probe.near else probe.questions(situation)


_FAILURES = {
    "no-tool": Outcome.NO_TOOL,
    "denied": Outcome.DENIED,
    "timed-out": Outcome.TIMED_OUT,
    "unreachable": Outcome.UNREACHABLE,
    "not-recorded": Outcome.NOT_RECORDED,
}


def settled(output: Output) -> Finding | None:
    """The finding of an output that the target could not get at all, or None where there is one to read."""
    if not output.failure:
        return None
    return Finding(outcome=_FAILURES[output.failure], text=f"could not look: {output.failure}")


def read_answer(probe: Probe, question: Question, output: Output) -> Finding:
    """`probe.read`, behind the target's own failures."""
    return settled(output) or probe.read(question, output)
