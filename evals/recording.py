"""Records a world: on a real target the failing launch, the whole catalogue of questions, and every fix that could be tried, each once.

What was recorded of the same state of a target is not run again: the same command there gives the same answer, the same execution ends in the same
way (`evals.recorded.Shown.delivered`). What says nothing of the scene's folder holds for every scene of the same install.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec import structs

from agent.ports import World as Port
from evals.mutate.scene import Scene
from evals.recorded import LaunchNotRecorded, Shown, same_launch
from evals.world import LOG, Answer, Outcome, launch_key, loose_key, question_key
from probes.frameworks.framework import Framework
from transcripts.journal import Clock
from transcripts.records import Attempt, Command, Excerpt, FileCopy, Fix, Launch, Output, Question, Record

_OF_INSTALL = frozenset({"versions", "source-flags", "help-grep", "signature"})
"""Probes that ask the install alone, where their command does not name the scene's folder."""


_DATA = (".yaml", ".yml", ".json")
"""Files that do nothing unless they are named."""

_Delivered = tuple[list[str], list[tuple[str, str]], list[str], str | None, str | None, list[tuple[str, str]]]


def _depends(scene: Scene, delivered: _Delivered) -> bytes:
    """All that an execution depends on: the install, the whole environment, ports, models, and the texts of files in the place of their paths."""
    argv, env, unset, *folders, copies = delivered
    named = {**scene.files, **{f"{{run}}/{name}": text for name, text in copies}}
    words = [["text", named[word]] if word in named else word for word in argv]
    whole = {**{name: text for name, text in scene.environment.items() if name not in unset}, **dict(env)}
    rest = sorted((path, text) for path, text in scene.files.items() if not path.endswith(_DATA))
    return msgspec.json.encode([scene.install, scene.models, scene.overlays, scene.holds, sorted(whole.items()), words, folders, rest])


class _Kept(Record, frozen=True, kw_only=True):
    key: str
    output: Output | None = None
    outcome: Outcome | None = None


class Cache:
    """What the target answered and how launches ended so far, kept in a file so that a recording that was interrupted goes on."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.outputs: dict[str, Output] = {}
        self.outcomes: dict[str, Outcome] = {}
        for line in file.read_bytes().splitlines() if file.exists() else ():
            kept = msgspec.json.decode(line, type=_Kept)
            if kept.output is not None:
                self.outputs[kept.key] = kept.output
            if kept.outcome is not None:
                self.outcomes[kept.key] = kept.outcome

    def keep(self, key: str, *, output: Output | None = None, outcome: Outcome | None = None) -> None:
        """Remember one of them."""
        if output is not None:
            self.outputs[key] = output
        if outcome is not None:
            self.outcomes[key] = outcome
        with self._file.open("ab") as out:
            out.write(msgspec.json.encode(_Kept(key=key, output=output, outcome=outcome)) + b"\n")


class Recording:
    """The port that records: answers from what is known of the scene, else from the live world, `allowance` live launches at most.

    `tell` hears what is being done.
    """

    def __init__(self, scene: Scene, live: Port, cache: Cache, allowance: int, tell: Callable[[str], None]) -> None:
        self._scene = scene
        self._live = live
        self._cache = cache
        self._tell = tell
        self._shown = Shown(scene.environment, scene.files)
        self._place = 0
        self.left = allowance
        self.launches: list[Outcome] = []
        self.answers: dict[str, Answer] = {}
        self.refused = 0

    @property
    def clock(self) -> Clock:
        """The live clock."""
        return self._live.clock

    def again(self) -> None:
        """Begin another play: the launch in question is the first one."""
        self._place = 0

    async def ask(self, question: Question, command: Command) -> Output:
        """The answer, recorded."""
        key = question_key(question, command)
        if key in self.answers:
            return self.answers[key].output
        known = self._key(question, command)
        output = self._cache.outputs.get(known)
        if output is None:
            output = await self._live.ask(question, command)
            self._cache.keep(known, output=output)
        self.answers[key] = Answer(question=question, key=key, loose=loose_key(question, command), output=output, scene=self._place)
        return output

    def _key(self, question: Question, command: Command) -> str:
        told = msgspec.json.encode([command.argv, command.stdin, sorted(command.env.items()), sorted(command.unset), command.cwd])
        everywhere = question.probe in _OF_INSTALL and b"/srv" not in told
        place = f"{self._scene.install}:{sorted(self._scene.environment.items())}" if everywhere else self._scene.state
        return hashlib.sha256(place.encode() + told).hexdigest()

    async def attempt(
        self, number: int, launch: Launch, framework: Framework | None, fix: Fix | None, reached: Callable[[str, float], None]
    ) -> tuple[Attempt, Excerpt]:
        """The outcome of a launch, recorded.

        Raises:
            LaunchNotRecorded: it would be one live launch more than is allowed.
        """
        files = fix.files if fix else ()
        place = next((n for n, o in enumerate(self.launches) if launch_key(o.launch, o.files) == launch_key(launch, files)), None)
        if place is None:
            place = same_launch(self.launches, self._shown, launch, files)
        if place is None:
            outcome = self._cache.outcomes.get(self._execution(launch, files)) or await self._live_attempt(number, launch, framework, fix)
            self.launches.append(structs.replace(outcome, launch=launch, attempt=structs.replace(outcome.attempt, launch=launch)))
            place = len(self.launches) - 1
        self._place = place
        outcome = self.launches[place]
        for phase, seconds in outcome.phases:
            reached(phase, seconds)
        return structs.replace(outcome.attempt, number=number, launch=launch), outcome.excerpt

    async def _live_attempt(self, number: int, launch: Launch, framework: Framework | None, fix: Fix | None) -> Outcome:
        if self.left <= 0:
            self.refused += 1
            raise LaunchNotRecorded("no more live launches are allowed for this world")
        self.left -= 1
        phases: list[tuple[str, float]] = []
        attempt, excerpt = await self._live.attempt(number, launch, framework, fix, lambda phase, seconds: phases.append((phase, seconds)))
        files = fix.files if fix else ()
        attempt = structs.replace(attempt, number=1, log=LOG)
        outcome = Outcome(launch=launch, attempt=attempt, excerpt=excerpt, phases=tuple(phases), files=files)
        self._tell(f"  launched: {attempt.end} {attempt.exit_status if attempt.exit_status is not None else ''} after {attempt.seconds:.0f} s")
        self._cache.keep(self._execution(launch, files), outcome=outcome)
        return outcome

    def _execution(self, launch: Launch, files: tuple[FileCopy, ...]) -> str:
        """The name of an execution: where all that it depends on is known, equal in every scene in which that is equal."""
        delivered = self._shown.delivered(launch, files)
        if delivered is None:
            return hashlib.sha256(self._scene.state.encode() + launch_key(launch, files).encode()).hexdigest()
        return hashlib.sha256(_depends(self._scene, msgspec.json.decode(delivered, type=_Delivered))).hexdigest()

    async def read_log(self, path: str) -> Excerpt:
        """The log that the world begins with: that of its first launch."""
        return self.launches[0].excerpt
