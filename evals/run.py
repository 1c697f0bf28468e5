"""Plays worlds under strategies, on as many processors as there are, and goes on where a run that died was.

joblib distributes the work: loky's processes on one machine, or a Ray or Dask cluster with the same code. A task is a few worlds under all
strategies, or the worlds of one first symptom under ``optimal``, which plans over them together. Results do not depend on how they were shared out.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Literal, TypeVar

from joblib import Parallel, delayed, parallel_config
from msgspec import Struct

from agent.litellm_advisor import LitellmAdvisor
from agent.strategies.catalogue import STRATEGIES
from agent.strategies.strategy import NOBODY, Counsel
from evals.backends import joined
from evals.playing import Job, Play, play, state_of
from evals.possible import Possible, first_symptom
from evals.results import Results
from evals.store import FOLDER, load_world, slugs
from transcripts.errors import UsageError

OPTIMAL, RANDOM = "optimal", "random"
OFFLINE = tuple(name for name in STRATEGIES if name != "llm")
"""The strategies that need nobody else."""
_SMALL = 4

Item = TypeVar("Item")
Backend = Literal["loky", "ray", "dask"]


class Plan(Struct, frozen=True, kw_only=True):
    """What to play: the worlds of a folder (all, or these slugs), by which strategies, how many seeds those that draw lots get.

    `model` is the litellm model that plays as the strategy ``llm``.
    """

    folder: Path = FOLDER
    slugs: tuple[str, ...] = ()
    strategies: tuple[str, ...] = OFFLINE
    seeds: int = 3
    model: str = ""

    def jobs(self, slug: str) -> tuple[Job, ...]:
        """The plays of one world."""
        return tuple(Job(slug=slug, strategy=name, seed=seed) for name in self.strategies for seed in range(self.seeds if name == RANDOM else 1))


def run(
    plan: Plan, results: Results, *, processes: int = -1, backend: Backend = "loky", told: Callable[[int, int], None] = lambda done, all_: None
) -> int:
    """Make every play of `plan` that `results` lacks (or holds of another state of world or catalogue); returns how many were made.

    `processes` are joblib's (-1: one a core). `told(done, all)` is called as plays are finished.

    Raises:
        UsageError: an unknown strategy, a missing world, or a backend that is not installed.
    """
    unknown = [name for name in plan.strategies if name not in STRATEGIES]
    if unknown:
        raise UsageError(f"no strategy is called {unknown[0]!r}; there are: {', '.join(STRATEGIES)}")
    wanted = plan.slugs or slugs(plan.folder)
    if not wanted:
        raise UsageError(f"there are no worlds in {plan.folder}: name their folder with --worlds")
    joined(backend)
    with parallel_config(backend=backend, n_jobs=processes):
        missing = _missing(plan, results, wanted)
        count = sum(len(jobs) for jobs in missing.values())
        done = 0
        for plays in _played(plan, missing):
            results.keep(plays)
            done += len(plays)
            told(done, count)
    return count


def _missing(plan: Plan, results: Results, wanted: Sequence[str]) -> dict[str, tuple[Job, ...]]:
    known = results.plays()
    states = {slug: state_of(load_world(slug, plan.folder)) for slug in wanted} if known else {}
    found = {slug: tuple(job for job in plan.jobs(slug) if job not in known or known[job].state != states[slug]) for slug in wanted}
    return {slug: jobs for slug, jobs in found.items() if jobs}


def _played(plan: Plan, missing: dict[str, tuple[Job, ...]]) -> Iterable[list[Play]]:
    """The plays, some at a time, so that what is done is kept."""
    pool = Parallel()
    alone = [(slug, tuple(job for job in jobs if job.strategy != OPTIMAL)) for slug, jobs in missing.items()]
    counsel = Counsel(advisor=LitellmAdvisor(plan.model)) if plan.model else NOBODY
    tasks = [delayed(play_worlds)(plan.folder, part, counsel) for part in _parts([pair for pair in alone if pair[1]], _SMALL)]
    for some in _parts(tasks, 16):
        yield [one for plays in pool(some) for one in plays]
    planned = {slug for slug, jobs in missing.items() if any(job.strategy == OPTIMAL for job in jobs)}
    if planned:
        groups = [(group, planned.intersection(group)) for group in groups_of(plan, pool)]
        groups = sorted((pair for pair in groups if pair[1]), key=lambda pair: -len(pair[0]))
        for most in _parts([delayed(play_group)(plan.folder, group, sorted(wanted)) for group, wanted in groups], 16):
            yield [one for plays in pool(most) for one in plays]


def groups_of(plan: Plan, pool: Parallel) -> list[tuple[str, ...]]:
    """The worlds that share their first symptom, all those of the folder whatever is to be played: a plan must not depend on that."""
    found: dict[str, list[str]] = {}
    every = slugs(plan.folder)
    for part in pool(delayed(symptoms)(plan.folder, part) for part in _parts(every, 16)):
        for slug, symptom in part:
            found.setdefault(symptom, []).append(slug)
    return [tuple(sorted(group)) for _, group in sorted(found.items())]


def _parts(items: Iterable[Item], size: int) -> Iterator[tuple[Item, ...]]:
    """`items` some at a time (itertools.batched comes with Python 3.12)."""
    rest = iter(items)
    while part := tuple(islice(rest, size)):
        yield part


def symptoms(folder: Path, some: Sequence[str]) -> list[tuple[str, str]]:
    """What each of these worlds shows at first."""
    return [(slug, first_symptom(load_world(slug, folder))) for slug in some]


def play_worlds(folder: Path, some: Sequence[tuple[str, tuple[Job, ...]]], counsel: Counsel = NOBODY) -> list[Play]:
    """The plays of a few worlds. Runs in a worker."""
    made: list[Play] = []
    for slug, jobs in some:
        world = load_world(slug, folder)
        made += [play(world, job, counsel) for job in jobs]
    return made


def play_group(folder: Path, group: Sequence[str], wanted: Sequence[str]) -> list[Play]:
    """The plays of ``optimal``, which knows all worlds of `group`. Runs in a worker."""
    worlds = {slug: load_world(slug, folder) for slug in group}
    counsel = Counsel(outlook=Possible(list(worlds.values())))
    return [play(worlds[slug], Job(slug=slug, strategy=OPTIMAL), counsel) for slug in wanted]
