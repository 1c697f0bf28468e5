"""A play's score is a fold over its events: what counts, from when, until when."""

import pytest

from evals.playing import Job, Played
from evals.score import Scored, fold_of, score
from evals.world import Outcome as Launched
from evals.world import Truth, World
from transcripts import events
from transcripts.records import (
    Attempt,
    Belief,
    Command,
    Diagnosis,
    Excerpt,
    Fix,
    Hypothesis,
    Launch,
    Outcome,
    Output,
    Question,
    Reading,
    Verdict,
    Weighed,
)

LAUNCH = Launch(argv=("vllm", "serve", "m"))
FIRST, SECOND = Hypothesis(cause="quoting/json-split"), Hypothesis(cause="flag/removed")


def _attempt(number: int, end: str = "exited", seconds: float = 10.0) -> events.AttemptEnded:
    ended = Attempt(number=number, launch=LAUNCH, end="up" if end == "up" else "exited", exit_status=1, seconds=seconds)
    return events.AttemptEnded(attempt=ended, excerpt=Excerpt())


def _belief(**probabilities: float) -> events.BeliefMoved:
    named = {"split": FIRST, "removed": SECOND, "port": Hypothesis(cause="process/port-in-use")}
    weighed = tuple(Weighed(hypothesis=named[name], probability=p) for name, p in sorted(probabilities.items(), key=lambda item: -item[1]))
    return events.BeliefMoved(belief=Belief(weighed=weighed, unknown=1 - sum(probabilities.values())), moves=(), entropy=0.0)


def _asked(seconds: float, outcome: Outcome = Outcome.OBSERVED, cost: float = 0.5) -> list[events.AnyEvent]:
    question = Question(probe="argv-echo")
    return [
        events.QuestionAsked(question=question, command=Command(argv=("true",)), cost=cost),
        events.QuestionAnswered(output=Output(status=0, seconds=seconds), reading=Reading(question=question, outcome=outcome, text="")),
    ]


def _tried(verdict: str, *mends: Hypothesis, number: int = 2, end: str = "exited") -> list[events.AnyEvent]:
    fix = Fix(summary="", mends=mends)
    return [events.FixChosen(fix=fix, tried=True), _attempt(number, end, 30.0), events.FixJudged(number=number, verdict=verdict, text="")]


def _scored(told: list[events.AnyEvent], *faults: tuple[str, ...]) -> Scored:
    truth = Truth(slug="0a", faults=faults or (("quoting/json-split",),), kind="split")
    launched = Launched(launch=LAUNCH, attempt=Attempt(number=1, launch=LAUNCH, end="exited"), excerpt=Excerpt())
    world = World(slug="0a", provenance="derived", framework="vllm", launches=(launched,))
    return score(world, truth, Played(job=Job(slug="0a", strategy="checklist"), state=""), told)


def test_the_cost_runs_from_the_failed_launch_to_the_decision() -> None:
    """The first launch is given; questions count as they took until a cause passes the threshold, and what comes after does not."""
    one = _scored([_attempt(1), _belief(split=0.4), *_asked(1.0), _belief(split=0.6), *_asked(2.0), _belief(split=0.9), *_asked(4.0)])
    assert (3.0, 3.0, 7.0, 3, 1) == (one.cost, one.decidable, one.seconds, one.probes, one.launches)
    assert (True, True, 0.9) == (one.right, one.decided, one.probability)


def test_an_answer_without_a_time_counts_as_expected() -> None:
    """A recorded answer that took no measurable time costs what its probe is expected to, and one that was never recorded nothing."""
    one = _scored([_attempt(1), *_asked(0.0, cost=0.25), *_asked(9.0, Outcome.NOT_RECORDED), _belief(split=0.5)])
    assert (0.25, 1) == (one.seconds, one.probes)


def test_a_wrong_decision_is_no_right_one() -> None:
    """A wrong cause over the threshold is decided, wrong and at 0.9 a confident error; the time to the right decision is unknown."""
    one = _scored([_attempt(1), _belief(removed=0.93, split=0.05)])
    assert (True, False, True, True, None) == (one.decided, one.right, one.among_three, one.confident_error, one.decidable)
    assert one.brier == pytest.approx(0.93**2)


@pytest.mark.parametrize(("probability", "confident"), [(0.89, False), (0.9, True)])
def test_from_where_an_error_is_confident(probability: float, confident: bool) -> None:
    """From 0.9 on."""
    assert confident == _scored([_attempt(1), _belief(removed=probability)]).confident_error


def test_the_verdict_on_the_first_fault_stands_when_its_fix_has_worked() -> None:
    """What is believed about the next fault does not change it."""
    one = _scored([_attempt(1), _belief(split=0.9), *_tried("gone", FIRST), _belief(removed=0.99)])
    assert ("quoting/json-split", True, True) == (one.top, one.right, one.fixed)


def test_a_fix_that_did_not_work_leaves_it_open() -> None:
    """The belief moves on, and the relaunch is part of the cost."""
    one = _scored([_attempt(1), _belief(removed=0.6), *_tried("same", SECOND), _belief(split=0.85)])
    assert ("quoting/json-split", 30.0, False, 2) == (one.top, one.cost, one.fixed, one.launches)


BOTH = (("quoting/json-split",), ("flag/removed", "flag/renamed"))


def test_two_faults_in_sequence() -> None:
    """One is mended, the next is the verdict: both are found; a launch that is up says so."""
    verdict = Verdict(hypothesis=SECOND, probability=0.9, summary="")
    told = [_attempt(1), _belief(split=0.9), *_tried("gone", FIRST), _belief(removed=0.9)]
    ended = events.Diagnosed(diagnosis=Diagnosis(outcome="diagnosed", belief=Belief(), cause=verdict))
    assert (2, 2, False) == ((one := _scored([*told, ended], *BOTH)).found, one.faults, one.up)
    assert _scored([*told, *_tried("gone", SECOND, number=3, end="up")], *BOTH).up


def test_a_fault_nobody_named_is_not_found() -> None:
    """Only one of two was named."""
    assert 1 == _scored([_attempt(1), _belief(split=0.9), *_tried("gone", FIRST)], *BOTH).found


def test_both_mended_in_one_launch_are_found() -> None:
    """A fix may mend what else was seen for certain."""
    assert 2 == _scored([_attempt(1), _belief(split=0.9), *_tried("gone", FIRST, SECOND, end="up")], *BOTH).found


def test_a_kind_is_held_out_as_a_whole() -> None:
    """All worlds of a kind belong to the same part, and no part takes nearly all kinds."""
    kinds = [f"kind-{number}" for number in range(200)]
    folds = [fold_of(kind) for kind in kinds]
    assert folds == [fold_of(kind) for kind in kinds]
    assert all(20 <= folds.count(part) <= 60 for part in range(5))
