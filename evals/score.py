"""What a stored play is worth: a fold over its transcript, held against the truth of its world. Nothing is scored while playing."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from pathlib import Path

from evals.playing import Job, Played
from evals.results import Results
from evals.store import load_truths, load_world
from evals.world import Truth, World
from transcripts import events
from transcripts.errors import UsageError
from transcripts.postmortem.marks import marginals
from transcripts.records import Belief, Hypothesis, Outcome, Record

CONFIDENT = 0.9
FOLDS = 5


class Scored(Record, frozen=True, kw_only=True):
    """One play's score.

    About the first fault, as the belief stood when its fix worked or the play ended: `top` the likeliest cause, its `probability`, whether it is
    `right`, and whether one of the first three is (`among_three`). `decided` says that it passed the threshold.

    Costs are seconds of the target's time after the failed first launch: `cost` until the first fault was decided (or its fix worked, or the play
    ended), `decidable` until the right cause passed the threshold (None: never), `seconds` in all. A recorded answer without a time counts as long as
    its probe is expected to take. `fixed`: the failure was gone after a relaunch; `up`: it answers in the end. `found` of the `faults` were named.
    """

    job: Job
    framework: str
    family: str
    kind: str
    difficulty: str
    provenance: str
    fold: int
    asks: bool
    top: str = ""
    probability: float = 0.0
    right: bool = False
    among_three: bool = False
    decided: bool = False
    cost: float = 0.0
    decidable: float | None = None
    seconds: float = 0.0
    probes: int = 0
    launches: int = 0
    fixed: bool = False
    up: bool = False
    faults: int = 1
    found: int = 0
    stopped: str = ""
    unanswered: int = 0

    @property
    def confident_error(self) -> bool:
        """Whether a wrong cause had a probability of `CONFIDENT` or more."""
        return not self.right and self.probability >= CONFIDENT

    @property
    def brier(self) -> float:
        """The squared distance of the probability from what came true."""
        return (self.probability - self.right) ** 2


def fold_of(kind: str, folds: int = FOLDS) -> int:
    """Which held-out part a kind of fault belongs to: by its digest, so that no other kind moves it."""
    return int.from_bytes(blake2b(kind.encode(), digest_size=8).digest()) % folds


def score(world: World, truth: Truth, played: Played, told: Iterable[events.AnyEvent], threshold: float = 0.8) -> Scored:
    """The score of one play from its events."""
    fold = _Fold(truth, threshold)
    for event in told:
        fold.take(event)
    ranked = list(marginals(fold.belief).items()) if fold.belief else []
    top, probability = ranked[0] if ranked else ("", 0.0)
    return Scored(
        job=played.job,
        framework=world.framework,
        family=truth.family,
        kind=truth.kind,
        difficulty=truth.difficulty,
        provenance=world.provenance,
        fold=fold_of(truth.kind),
        asks=world.can_ask,
        top=top,
        probability=round(probability, 6),
        right=top in truth.causes,
        among_three=any(cause in truth.causes for cause, _ in ranked[:3]),
        decided=fold.decided is not None,
        cost=round(fold.seconds if fold.ended is None else fold.ended, 3) if fold.decided is None else round(fold.decided, 3),
        decidable=None if fold.decidable is None else round(fold.decidable, 3),
        seconds=round(fold.seconds, 3),
        probes=fold.probes,
        launches=fold.launches,
        fixed=fold.ended is not None,
        up=fold.up,
        faults=len(truth.faults),
        found=fold.found(),
        stopped=played.stopped,
        unanswered=played.unanswered,
    )


class _Fold:
    """What a play's events come to. `ended` is when the first fault was gone; until then `belief` is about it."""

    def __init__(self, truth: Truth, threshold: float) -> None:
        self._truth = truth
        self._threshold = threshold
        self._named: list[Hypothesis] = []
        self._trying: tuple[Hypothesis, ...] = ()
        self._price = 0.0
        self.belief: Belief | None = None
        self.last: Belief | None = None
        self.seconds = 0.0
        self.probes = 0
        self.launches = 0
        self.decided: float | None = None
        self.decidable: float | None = None
        self.ended: float | None = None
        self.up = False

    def take(self, event: events.AnyEvent) -> None:
        """Take in one event."""
        if isinstance(event, events.QuestionAsked):
            self._price = event.cost
        elif isinstance(event, events.QuestionAnswered):
            if event.reading.outcome is not Outcome.NOT_RECORDED:
                self.probes += 1
                self.seconds += event.output.seconds or self._price
        elif isinstance(event, events.BeliefMoved):
            self._believed(event.belief)
        elif isinstance(event, events.FixChosen) and event.tried:
            self._trying = event.fix.mends
        elif isinstance(event, events.AttemptEnded):
            self.launches += 1
            self.up = event.attempt.end == "up"
            self.seconds += event.attempt.seconds if event.attempt.number > 1 else 0.0
        elif isinstance(event, events.FixJudged) and event.verdict == "gone":
            self._named += self._trying
            self._trying = ()
            self.ended = self.seconds if self.ended is None else self.ended
        elif isinstance(event, events.Diagnosed):
            found = event.diagnosis
            self._named += [verdict.hypothesis for verdict in (*found.solved, *((found.cause,) if found.cause else ()), *found.also)]

    def _believed(self, belief: Belief) -> None:
        self.last = belief
        if self.ended is not None:
            return
        self.belief = belief
        top, probability = next(iter(marginals(belief).items()), ("", 0.0))
        if probability >= self._threshold:
            self.decided = self.seconds if self.decided is None else self.decided
            if top in self._truth.causes and self.decidable is None:
                self.decidable = self.seconds

    def found(self) -> int:
        """How many of the world's faults were named: by a fix that worked, in the verdict, or as the likeliest where the play ended."""
        named = {hypothesis.cause for hypothesis in (*self._named, *self._trying)}
        if self.last is not None:
            named |= set(list(marginals(self.last))[:1])
        return sum(bool(named.intersection(causes)) for causes in self._truth.faults)


def scores(results: Sequence[Results], folder: Path) -> list[Scored]:
    """The scores of all plays in the results of one or more runs, by job.

    Raises:
        UsageError: there are none, or a world's truth is not known.
    """
    truths = load_truths(folder)
    found: dict[Job, Scored] = {}
    for one in results:
        for slug, plays in _by_world(one.plays().values()):
            if slug not in truths:
                raise UsageError(f"what is true in the world {slug} is not known in {folder}: name the folder it was played from with --worlds")
            world = load_world(slug, folder)
            found |= {played.job: score(world, truths[slug], played, one.transcript(played).events) for played in plays}
    if not found:
        raise UsageError(f"there are no plays in {', '.join(str(one.folder) for one in results)}: make some with nostart eval run")
    return [found[job] for job in sorted(found, key=lambda job: (job.strategy, job.slug, job.seed))]


def _by_world(plays: Iterable[Played]) -> Iterator[tuple[str, list[Played]]]:
    groups: dict[str, list[Played]] = {}
    for played in plays:
        groups.setdefault(played.job.slug, []).append(played)
    yield from sorted(groups.items())
