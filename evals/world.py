"""A world: a failing launch whose true cause is known, with the recorded answer to every question and the recorded outcome of every launch.

A strategy plays a `World` and never sees its `Truth`, which lies in another file. Slugs are digests: no name gives a cause away.
"""

import hashlib
import re
from collections.abc import Iterator
from typing import Literal

import msgspec
from msgspec import field

from agent.request import Request
from transcripts.records import Attempt, Command, Excerpt, FileCopy, Launch, Output, Question, Record

LOG = "launch.log"
"""The path under which a world that begins with a log offers it."""
_PYTHON = re.compile(r"(?:.*/)?(?:python|pypy)[\d.]*$")

Provenance = Literal["recorded-live", "public-report", "derived"]
Difficulty = Literal["easy", "medium", "hard"]


class Truth(Record, frozen=True, kw_only=True):
    """What is wrong in the world `slug`.

    `faults` are in the order in which they are met; each is a tuple of every cause id that is defensible there. `kind` names what was done to a
    launch that works (or how a public case was told): held-out splits go by it. `recipe` makes the world again (empty: it cannot be).
    """

    slug: str
    faults: tuple[tuple[str, ...], ...]
    kind: str
    difficulty: Difficulty = "medium"
    summary: str = ""
    recipe: dict[str, str] = field(default_factory=dict)
    source: str = ""

    @property
    def causes(self) -> tuple[str, ...]:
        """The ids that count as right for the first fault."""
        return self.faults[0]

    @property
    def family(self) -> str:
        """The family of the first fault's first cause."""
        return self.faults[0][0].partition("/")[0]


class Answer(Record, frozen=True, kw_only=True):
    """The recorded answer to one question: `key` names question and command (`question_key`), `scene` the launch it was asked about.

    `scene` is an index into `World.launches`: after a fix has moved a failure on, the same question is about the mended launch.
    """

    question: Question
    key: str
    loose: str
    output: Output
    scene: int = 0


class Outcome(Record, frozen=True, kw_only=True):
    """What became of one launch: the attempt, the phases with the seconds at which each was reached, and its log's excerpt.

    `files` are the corrected copies that the launch pointed to.
    """

    launch: Launch
    attempt: Attempt
    excerpt: Excerpt
    phases: tuple[tuple[str, float], ...] = ()
    files: tuple[FileCopy, ...] = ()


class World(Record, frozen=True, kw_only=True):
    """A recorded target. `launches[0]` is the launch that fails, the others are those that fixes made of it.

    `begins` ``launch``: the triage executes the failing launch first, without checks; ``log``: it is given the log of one that has ended, with the
    launch (its argv empty where it is not known). `framework` and `release` are what the person believes (empty: nothing is said). `versions`
    are those of the tools that were recorded: distributions, Python, nostart. `recorded` is the day.
    """

    slug: str
    provenance: Provenance
    begins: Literal["launch", "log"] = "launch"
    framework: str
    release: str = ""
    believed: tuple[str, str] = ("", "")
    versions: dict[str, str] = field(default_factory=dict)
    recorded: str = ""
    launches: tuple[Outcome, ...]
    answers: tuple[Answer, ...] = ()

    @property
    def first(self) -> Outcome:
        """The failing launch and its recorded attempt."""
        return self.launches[0]

    @property
    def can_ask(self) -> bool:
        """Whether there is anything to ask: of a public report only the lines are known."""
        return bool(self.answers)

    def request(self, strategy: str = "information-gain", *, max_launches: int = 6) -> Request:
        """The triage of this world by one strategy, from the failed first attempt on."""
        known = self.first.launch if self.first.launch.argv else None
        given = self.begins == "log"
        return Request(
            verb="triage",
            launch=known,
            framework=self.believed[0],
            release=self.believed[1],
            log=LOG if given else None,
            exit_status=self.first.attempt.exit_status if given else None,
            check=False,
            fix=self.can_ask and known is not None,
            max_launches=max_launches,
            strategy=strategy,
            can_ask=self.can_ask,
        )


def question_key(question: Question, command: Command) -> str:
    """The name of a question with the very command that was run for it; the order of parameters and which Python reads a file do not count."""
    return _digest([*_asked(question, command), command.stdin, sorted(command.env.items()), sorted(command.unset), command.cwd])


def loose_key(question: Question, command: Command) -> str:
    """The same without the environment and the folder, which are known better the more was asked."""
    return _digest([*_asked(question, command)])


def _asked(question: Question, command: Command) -> Iterator[object]:
    yield question.probe
    yield sorted(question.parameters.items())
    yield ["python", *command.argv[1:]] if command.argv and _PYTHON.match(command.argv[0]) else list(command.argv)


def _digest(value: object) -> str:
    return hashlib.sha256(msgspec.json.encode(value)).hexdigest()[:16]


def launch_key(launch: Launch, files: tuple[FileCopy, ...] = ()) -> str:
    """The name of a launch as written, with the copies it points to; the shell line is the same launch as its ``bash -c``."""
    return _digest(
        [launch.argv, sorted(launch.env.items()), sorted(launch.unset), launch.cwd, launch.target, sorted((f.name, f.text) for f in files)]
    )
