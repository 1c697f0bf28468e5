"""One play: a strategy triages a recorded world from its failed first attempt on, and the transcript of that is kept."""

import asyncio
import hashlib

import msgspec
from msgspec import Struct, structs

from agent.causes.catalogue import CAUSES
from agent.causes.cause import Cause
from agent.digest import catalogue_digest, own_digest
from agent.loop import triage
from agent.strategies.strategy import NOBODY, Counsel
from evals.recorded import LaunchNotRecorded, RecordedTarget
from evals.world import World
from probes.catalogue import PROBES
from probes.probe import Probe
from transcripts.journal import Journal, MemorySink
from transcripts.records import Record


class Job(Record, frozen=True, kw_only=True):
    """A play to be made: which world, by which strategy, with which seed."""

    slug: str
    strategy: str
    seed: int = 0


class Played(Record, frozen=True, kw_only=True):
    """What is known of a play besides its transcript.

    `state` is a digest of the world and the catalogue: a play of another state is no longer valid. `unanswered` and `unlaunched` count what was
    wanted and never recorded; `stopped` says why the play ended before its verdict (empty: it came to one).
    """

    job: Job
    state: str
    unanswered: int = 0
    unlaunched: int = 0
    stopped: str = ""

    @property
    def name(self) -> str:
        """The name of the transcript's file."""
        return f"{self.job.slug}.{self.job.strategy}.{self.job.seed}.jsonl"


class Play(Struct, frozen=True, kw_only=True):
    """A finished play with its transcript: the lines, and the long texts by their names."""

    played: Played
    lines: tuple[bytes, ...]
    blobs: dict[str, bytes]


def state_of(world: World, causes: tuple[Cause, ...] = CAUSES) -> str:
    """The digest of all that a play depends on besides the strategy's own code."""
    catalogue = own_digest() if causes is CAUSES else catalogue_digest(causes, PROBES)
    return hashlib.sha256(msgspec.json.encode([world, catalogue])).hexdigest()[:16]


def play(world: World, job: Job, counsel: Counsel = NOBODY, causes: tuple[Cause, ...] = CAUSES, probes: tuple[Probe, ...] = PROBES) -> Play:
    """Play `world` by the strategy of `job`. A launch that nobody recorded ends the play, and what was reached by then stands in its transcript."""
    target, sink = RecordedTarget(world), MemorySink()
    request = structs.replace(world.request(job.strategy), seed=job.seed)
    stopped = ""
    try:
        asyncio.run(triage(request, target, Journal(sink, target.clock, hidden=True), counsel, causes, probes))
    except LaunchNotRecorded as end:
        stopped = str(end)
    played = Played(job=job, state=state_of(world, causes), unanswered=len(target.unanswered), unlaunched=len(target.unlaunched), stopped=stopped)
    return Play(played=played, lines=tuple(sink.lines), blobs=sink.blobs)
