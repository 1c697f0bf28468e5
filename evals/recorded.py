"""Plays a recorded world: the port `agent.ports.World` answered from a record, whatever the order in which a strategy asks.

A question that was never recorded is ``not-recorded`` and counted. A launch that was never recorded has a known outcome only where it is provably
the same execution as a recorded one: every shell it passes through runs nothing but the server, its arrival is predicted for certain, and the argv
received, the environment changes, the folder and the copies are equal. Any other launch is counted and ends the play (`LaunchNotRecorded`).
"""

from collections.abc import Callable, Mapping, Sequence

import msgspec
from msgspec import structs

from agent.replay import SpentClock
from evals.world import LOG, Answer, Outcome, World, launch_key, loose_key, question_key
from probes.catalogue import PROBES
from probes.frameworks.catalogue import find_entry
from probes.frameworks.framework import Framework
from probes.launches.understand import understand
from probes.probe import read_answer
from probes.simple_command import runs_only
from transcripts.errors import NostartError, UsageError
from transcripts.journal import Clock
from transcripts.records import Attempt, Command, Excerpt, FileCopy, Fix, Launch, Layer, Output, Question

BEGAN = "2026-01-01T00:00:00.000Z"
"""When every play begins: time passes only as the recorded answers and launches took it."""
_PLAIN = ("typed", "shell", "env")


class LaunchNotRecorded(NostartError):
    """A strategy launches what was never recorded and is not provably the same as a recorded launch: nobody knows how it would have ended."""


class Shown:
    """What is known of a target that a launch depends on before it reaches the server: the environment and the texts of scripts."""

    def __init__(self, environment: Mapping[str, str], files: Mapping[str, str | None]) -> None:
        self._environment = dict(environment)
        self._files = dict(files)

    @classmethod
    def by(cls, world: World) -> "Shown":
        """What the world's own answers say."""
        environment: dict[str, str] = {}
        files: dict[str, str | None] = {}
        probes = {probe.name: probe for probe in PROBES if probe.name in ("environment", "script")}
        for answer in world.answers:
            if answer.question.probe not in probes:
                continue
            data = read_answer(probes[answer.question.probe], answer.question, answer.output).data
            if answer.question.probe == "script":
                files[answer.question.parameters["path"]] = data if isinstance(data, str) else None
            elif isinstance(data, dict):
                environment = {str(name): str(value) for name, value in data.items()}
        return cls(environment, files)

    def delivered(self, launch: Launch, files: tuple[FileCopy, ...]) -> bytes | None:
        """What is executed in the end, as one value to compare; None where that is not certain."""
        known = {**self._environment, **launch.env}
        arrival = understand(launch, files=self._files, environment=known, find_entry=find_entry)
        if not arrival.certain or not arrival.words or arrival.trailing or not all(map(_harmless, arrival.layers)):
            return None
        program = next((w.raw or w.text for w in arrival.words), "")
        if not all(runs_only(layer.text, program) for layer in arrival.layers if layer.kind in ("typed", "shell")):
            return None
        env = sorted({**launch.env, **arrival.env}.items())
        copies = sorted((file.name, file.text) for file in files)
        return msgspec.json.encode([arrival.argv, env, sorted({*launch.unset, *arrival.unset}), launch.cwd, arrival.cwd, copies])


class RecordedTarget:
    """One play of `world`. `unanswered` are the questions and `unlaunched` the launches that were wanted and never recorded."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._clock = SpentClock(BEGAN)
        self._scene = 0
        self._shown: Shown | None = None
        self.unanswered: list[tuple[Question, Command]] = []
        self.unlaunched: list[tuple[Launch, tuple[FileCopy, ...]]] = []
        self._exact: dict[str, Output] = {}
        self._loose: dict[str, Output] = {}
        self._by_scene: dict[tuple[int, bytes], Output] = {}
        for answer in world.answers:
            self._file(answer)
        self._launches = {launch_key(outcome.launch, outcome.files): place for place, outcome in reversed(list(enumerate(world.launches)))}

    def _file(self, answer: Answer) -> None:
        self._exact.setdefault(answer.key, answer.output)
        self._loose.setdefault(answer.loose, answer.output)
        self._by_scene.setdefault((answer.scene, _name(answer.question)), answer.output)

    @property
    def clock(self) -> Clock:
        """The time of this play."""
        return self._clock

    async def ask(self, question: Question, command: Command) -> Output:
        """The recorded answer: to this very command, else to the same one in another environment, else to the question about this launch."""
        output = self._exact.get(question_key(question, command)) or self._loose.get(loose_key(question, command))
        output = output or self._by_scene.get((self._scene, _name(question)))
        if output is None:
            self.unanswered.append((question, command))
            return Output(failure="not-recorded")
        self._clock.spend(output.seconds)
        return output

    async def attempt(
        self, number: int, launch: Launch, framework: Framework | None, fix: Fix | None, reached: Callable[[str, float], None]
    ) -> tuple[Attempt, Excerpt]:
        """The recorded outcome of this launch, or of one that is provably the same.

        Raises:
            LaunchNotRecorded: there is none.
        """
        files = fix.files if fix else ()
        place = self._place(launch, files)
        if place is None:
            self.unlaunched.append((launch, files))
            raise LaunchNotRecorded(f"this launch was never recorded: {launch.shell or ' '.join(launch.argv)}")
        self._scene = place
        outcome = self._world.launches[place]
        for phase, seconds in outcome.phases:
            reached(phase, seconds)
        self._clock.spend(outcome.attempt.seconds)
        return structs.replace(outcome.attempt, number=number, launch=launch), outcome.excerpt

    def _place(self, launch: Launch, files: tuple[FileCopy, ...]) -> int | None:
        found = self._launches.get(launch_key(launch, files))
        if found is not None:
            return found
        return same_launch(self._world.launches, self.shown, launch, files)

    @property
    def shown(self) -> Shown:
        """What the answers say of the target, read once where a launch must be compared."""
        self._shown = self._shown or Shown.by(self._world)
        return self._shown

    async def read_log(self, path: str) -> Excerpt:
        """The log that the world begins with.

        Raises:
            UsageError: another one is wanted.
        """
        if path != LOG:
            raise UsageError(f"the world {self._world.slug} holds no log {path}")
        return self._world.first.excerpt


def same_launch(launches: Sequence[Outcome], shown: Shown, launch: Launch, files: tuple[FileCopy, ...]) -> int | None:
    """The place of a recorded launch that delivers the same execution as `launch`, or None."""
    wanted = shown.delivered(launch, files)
    if wanted is None:
        return None
    return next((place for place, outcome in enumerate(launches) if shown.delivered(outcome.launch, outcome.files) == wanted), None)


def _harmless(layer: Layer) -> bool:
    """Whether a layer does nothing to the server but deliver its argv: a shell, assignments, or ``exec``."""
    return layer.kind in _PLAIN or (layer.kind == "wrapper" and layer.words == ("exec",))


def _name(question: Question) -> bytes:
    return msgspec.json.encode([question.probe, sorted(question.parameters.items())])
