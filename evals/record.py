"""Records worlds: every failing scene of the catalogue of mutators, or some, one after the other; what is recorded is not recorded again."""

import random
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

from msgspec import structs

from agent import __version__
from agent.belief import ranking
from agent.case import Case
from agent.causes.catalogue import CAUSES
from agent.digest import catalogue_digest
from agent.loop import triage
from agent.request import Request
from agent.strategies.catalogue import STRATEGIES
from evals.changes import changes
from evals.mutate.scene import Mutated
from evals.recorded import LaunchNotRecorded, RecordedTarget
from evals.recording import Cache, Recording
from evals.staging import Stage
from evals.store import load_world, save
from evals.world import LOG, Outcome, Truth, World
from probes.catalogue import PROBES
from transcripts.journal import Journal, MemorySink
from transcripts.records import Belief, Weighed

ORDERS = 4
"""In how many orders the catalogue is asked: what one answer tells, another question may build on."""
_WORTH_TRYING = 0.05
_DEPTH = 4


class Recorder:
    """Records scenes on `stage`; `tell` hears the progress; each world may make `allowance` live launches. `fresh` forgets what earlier
    recordings of the same states found."""

    def __init__(self, stage: Stage, scratch: Path, tell: Callable[[str], None], allowance: int = 6, *, fresh: bool = False) -> None:
        scratch.mkdir(parents=True, exist_ok=True)
        if fresh:
            (scratch / "cache.jsonl").unlink(missing_ok=True)
        self._stage = stage
        self._scratch = scratch
        self._tell = tell
        self._allowance = allowance
        self._cache = Cache(scratch / "cache.jsonl")

    async def record(self, mutated: Mutated) -> tuple[World, Truth] | None:
        """One world and its truth, or None where the launch comes up all the same: then nothing was broken."""
        scene = mutated.scene
        async with self._stage.world(scene, self._scratch / "run") as live:
            recording = Recording(scene, live, self._cache, self._allowance, self._tell)
            if scene.log is not None:
                await self._given_log(recording, mutated)
            if not await self._explored(recording, mutated):
                return None
            await self._tried(await self._case(recording, mutated))
        return self._world(recording, mutated), truth_of(mutated)

    def _request(self, mutated: Mutated, strategy: str = "information-gain") -> Request:
        given = mutated.scene.log is not None
        return Request(
            verb="triage", launch=mutated.scene.launch, log=LOG if given else None, check=False, fix=True, max_launches=_DEPTH + 2, strategy=strategy
        )

    async def _given_log(self, recording: Recording, mutated: Mutated) -> None:
        """The log that a person reads is that of another launch: it is executed first, and its outcome told as this one's."""
        other = mutated.scene.log
        if other is None:
            return
        attempt, excerpt = await recording.attempt(1, other, None, None, lambda *_: None)
        outcome = Outcome(launch=mutated.scene.launch, attempt=structs.replace(attempt, launch=mutated.scene.launch), excerpt=excerpt)
        recording.launches[:] = [outcome]

    async def _case(self, recording: Recording, mutated: Mutated) -> Case:
        recording.again()
        request = self._request(mutated)
        case = Case(request, recording, Journal(MemorySink(), recording.clock, hidden=True), CAUSES, PROBES)
        await case.look()
        if request.log is not None:
            await case.read_log(request.log)
        else:
            await case.attempt(mutated.scene.launch)
        return case

    async def _explored(self, recording: Recording, mutated: Mutated) -> bool:
        """Ask everything in several orders, let every strategy play, and go on from the fixes; False where there is nothing to explain."""
        case = await self._case(recording, mutated)
        if case.up:
            return False
        await exhaust(case, 0)
        await self._followed(case)
        for name in STRATEGIES:
            await self._played(recording, mutated, name)
        for order in range(1, ORDERS):
            case = await self._case(recording, mutated)
            await exhaust(case, order)
            await self._tried(case)
        return True

    async def _tried(self, case: Case) -> None:
        """Launch the fix of every hypothesis that could lead (not going on from there)."""
        belief = case.believe()
        for cause, probability in ranking(belief):
            if probability < _WORTH_TRYING:
                continue
            hypothesis = next(item.hypothesis for item in belief.weighed if item.hypothesis.cause == cause)
            case.belief = Belief(weighed=(Weighed(hypothesis=hypothesis, probability=1.0),), unknown=0.0)
            fix = case.proposal()
            if fix is not None and fix.launch is not None:
                try:
                    await case.world.attempt(2, fix.launch, case.situation.framework, fix, lambda *_: None)
                except LaunchNotRecorded:
                    self._tell(f"  not launched, enough were: the fix of {cause}")
        case.belief = belief

    async def _followed(self, case: Case) -> None:
        """Go on from the leading fix, and from what fails next, until it is up or nothing more is proposed."""
        for _ in range(_DEPTH):
            case.believe()
            fix = case.proposal()
            if case.up or fix is None or fix.launch is None:
                return
            try:
                await case.try_fix()
            except LaunchNotRecorded:
                return
            if not case.up:
                await exhaust(case, 0)

    async def _played(self, recording: Recording, mutated: Mutated, strategy: str) -> None:
        recording.again()
        try:
            await triage(self._request(mutated, strategy), recording, Journal(MemorySink(), recording.clock, hidden=True))
        except LaunchNotRecorded:
            self._tell(f"  {strategy} wanted one launch more than is allowed")

    def _world(self, recording: Recording, mutated: Mutated) -> World:
        scene = mutated.scene
        return World(
            slug=mutated.slug,
            provenance="recorded-live",
            begins="log" if scene.log is not None else "launch",
            framework=scene.framework,
            release=scene.install.rpartition("-")[2] if "-" in scene.install else "",
            versions={"nostart": __version__, "catalogue": catalogue_digest(CAUSES, PROBES), **installed(recording)},
            recorded=datetime.now(UTC).date().isoformat(),
            launches=tuple(recording.launches),
            answers=tuple(recording.answers.values()),
        )


async def exhaust(case: Case, order: int) -> None:
    """Ask every question that comes up until none is left; `order` shuffles them (0: the catalogue's)."""
    chance = random.Random(order)  # noqa: S311 - an order, no secret
    while found := list(case.candidates()):
        if order:
            chance.shuffle(found)
        first = found[0]
        finding = await case.ask(first.probe, first.question, case.situation)
        case.learn(first, finding)


def installed(recording: Recording) -> dict[str, str]:
    """The releases that the target's own answers name."""
    told = next((a.output.stdout for a in recording.answers.values() if a.question.probe == "versions" and a.output.status == 0), "")
    return {"versions": told[:4000]} if told else {}


def truth_of(mutated: Mutated) -> Truth:
    """What is wrong in a mutated scene."""
    return Truth(
        slug=mutated.slug,
        faults=mutated.faults,
        kind=mutated.kind,
        difficulty=mutated.difficulty,
        summary=mutated.summary,
        recipe=mutated.recipe,
        source="recorded",
    )


async def played(world: World, truth: Truth) -> str:
    """What information gain makes of a world, in a line."""
    target = RecordedTarget(world)
    try:
        diagnosis = await triage(world.request(), target, Journal(MemorySink(), target.clock, hidden=True))
    except LaunchNotRecorded as ended:
        return f"ends at {ended}"
    solved = [verdict.hypothesis.cause for verdict in diagnosis.solved]
    said = solved or [f"{cause} {probability:.2f}" for cause, probability in ranking(diagnosis.belief)[:2]]
    right = "right" if said and said[0].partition(" ")[0] in truth.causes else "WRONG"
    return (
        f"{right}: {diagnosis.outcome}, {', '.join(said)}; {diagnosis.probes} probes, {diagnosis.launches} launches, missing {len(target.unanswered)}"
    )


async def record_all(recorder: Recorder, wanted: Iterable[Mutated], folder: Path, tell: Callable[[str], None], *, again: bool = False) -> int:
    """Record the scenes whose world is not in `folder` yet, or `again` all of them with what changed; returns how many were recorded."""
    count = 0
    for mutated in wanted:
        there = (folder / f"{mutated.slug}.json").exists()
        if there and not again:
            continue
        tell(f"{mutated.slug} {mutated.scene.name} {mutated.kind} {mutated.variant}")
        try:
            made = await recorder.record(mutated)
        except LaunchNotRecorded as ended:
            tell(f"  not recorded: {ended}")
            continue
        if made is None:
            tell("  it comes up all the same: no world")
            continue
        world, truth = made
        for line in changes(load_world(mutated.slug, folder), world) if there else ():
            tell(f"  {line}")
        save(world, truth, folder)
        tell(f"  {len(world.answers)} answers, {len(world.launches)} launches; {await played(world, truth)}")
        count += 1
    return count
