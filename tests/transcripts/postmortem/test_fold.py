"""The postmortem of recorded runs: when the cause was decidable, what was spent after it, what of it brought nothing."""

import pytest

from tests.transcripts.postmortem.building import belief, error, launch, numbered, started, told
from transcripts import events
from transcripts.errors import TranscriptError
from transcripts.postmortem.fold import postmortem
from transcripts.postmortem.story import Moment, Postmortem
from transcripts.records import Belief, Diagnosis, Finding, Hypothesis, Outcome, Output, Question, Reading, Sign, Verdict, Weighed

NAMES = ("five-launches", "relaunch-confirms", "three-in-series", "seen-without-launch")


def _moment(run: Postmortem, fault: int = 0) -> Moment:
    found = run.faults[fault].moment
    assert found is not None
    return found


def test_the_first_failure_decides_and_the_rest_is_wasted() -> None:
    """Of five launches read as one error the first decides; the other four are wasted and stale, and both greps of the help are void."""
    run = told("five-launches")
    assert ("quoting/json-split", 1) == (run.faults[0].hypothesis.cause, _moment(run).launch)
    assert (4, 3) == (_moment(run).after.launches, _moment(run).after.probes)
    assert _moment(run).after.seconds > 300
    assert [2, 3, 4, 5] == [item.launch for item in run.wasted] == [item.launch for item in run.stale]
    assert [("help-grep", "void")] * 2 == [(item.probe, item.outcome) for item in run.voids]


def test_a_memory_address_read_twice_is_one_process() -> None:
    """A line with the same memory address as an earlier launch's was not printed by another process."""
    run = told("five-launches")
    assert all("0x756a21e20ae0" in item.why and "launch 1" in item.why for item in run.stale)
    assert "it is launch 4 again" in run.wasted[-1].why


def test_a_fix_that_is_tried_is_not_wasted() -> None:
    """The launch that confirms the cause is spent after it was decidable, and not wasted."""
    run = told("relaunch-confirms")
    assert ("Up: it answers a real request, after 1 fault was mended", ()) == (run.headline, run.wasted)
    assert (1, 6, 1) == (_moment(run).launch, _moment(run).seq, _moment(run).after.launches)
    assert run.faults[0].confirmed
    assert 0 < _moment(run).after.seconds < run.total.seconds


def test_every_fault_of_a_series_has_its_own_moment() -> None:
    """What the next launch failed of is another fault, decidable from that launch."""
    run = told("three-in-series")
    assert ["config/invalid-choice", "quoting/json-split", "quoting/boolean-value"] == [fault.hypothesis.cause for fault in run.faults]
    assert [1, 2, 3] == [_moment(run, number).launch for number in range(3)]
    assert ([1, 2, 3], ()) == (sorted({point.fault for point in run.points}), run.wasted)


def test_what_is_seen_without_a_launch_needs_none() -> None:
    """A fault in the argv is decidable from the step that shows it, before anything is launched."""
    run = told("seen-without-launch")
    moment = _moment(run)
    assert (0, 0, 8) == (moment.launch, moment.after.launches, run.total.probes)
    assert "fault" == next(item.kind for item in run.items if item.seq == moment.seq)


@pytest.mark.parametrize("name", NAMES)
def test_every_move_of_belief_is_a_point(name: str) -> None:
    """Points are probabilities; each has its shift, and every step knows the belief held after it."""
    run = told(name)
    assert [point.seq for point in run.points] == [shift.seq for shift in run.shifts]
    assert all(0.98 <= sum(point.probabilities.values()) + point.unknown <= 1.0001 for point in run.points)
    assert len(run.points) - 1 == run.items[-1].point
    assert all(item.point == -1 for item in run.items if item.seq < run.points[0].seq)


@pytest.mark.parametrize("name", NAMES)
def test_evidence_comes_with_its_likelihood_ratio(name: str) -> None:
    """What supports a cause is likelier under it, what speaks against it less likely."""
    for fault in told(name).faults:
        assert fault.support
        assert all(weight.ratio > 1 and weight.source for weight in fault.support)
        assert all(weight.ratio < 1 for weight in fault.against)


def test_the_fix_is_a_difference_of_the_command() -> None:
    """Only the words of the option at fault are gone, and its dotted form is new."""
    change = told("relaunch-confirms").change
    assert change is not None
    assert ["--speculative-config", "{method:", "ngram,", "num_speculative_tokens:", "2}"] == [w.text for w in change.words if w.kind == "gone"]
    new = ["--speculative-config.method", "ngram", "--speculative-config.num_speculative_tokens", "2"]
    assert new == [w.text for w in change.words if w.kind == "new"]
    assert change.worked


def test_a_belief_that_fell_again_had_not_decided() -> None:
    """The moment is the one after which the cause stayed above the threshold, not the first time it passed it."""
    signs = [error("converter-refused", flag) for flag in ("--a", "--b", "--c")]
    steps: list[events.AnyEvent] = [started()]
    for number, (sign, probability) in enumerate(zip(signs, (0.9, 0.3, 0.95), strict=True), 1):
        steps += [
            *launch(number, ("vllm", str(number)), f"error {number}", sign, fix="a fix" if number > 1 else ""),
            belief("a/b", probability, sign),
        ]
    assert 3 == _moment(postmortem(numbered(*steps))).launch


def test_a_cause_that_never_passed_has_no_moment() -> None:
    """A belief below the threshold decides nothing."""
    sign = error("converter-refused")
    run = postmortem(numbered(started(), *launch(1, ("vllm",), "error", sign), belief("a/b", 0.6, sign)))
    assert (None, ()) == (run.faults[0].moment, run.wasted)


def test_without_a_belief_the_first_failing_launch_decides() -> None:
    """A session of which no belief was recorded is judged by its first decisive error."""
    cause = Verdict(hypothesis=Hypothesis(cause="a/b"), probability=0.9, summary="s")
    diagnosis = Diagnosis(outcome="diagnosed", belief=Belief(), cause=cause)
    first, again = (launch(number, ("vllm", str(number)), "boom", error("unrecognised")) for number in (1, 2))
    run = postmortem(numbered(started("import"), *first, *again, events.Diagnosed(diagnosis=diagnosis)))
    assert (1, [2]) == (_moment(run).launch, [item.launch for item in run.wasted])


def test_the_same_signature_without_a_fix_is_wasted() -> None:
    """A launch that changed something which the error is not about was not expected by anybody to differ."""
    sign = error("unrecognised")
    run = postmortem(numbered(started(), *launch(1, ("vllm", "a"), "boom", sign), belief("a/b", 0.95, sign), *launch(2, ("vllm", "b"), "boom", sign)))
    assert ["it failed as launch 1 did: what was changed is not what the error is about; its cause was decidable before it"] == [
        item.why for item in run.wasted
    ]


def test_a_fix_that_failed_taught_something() -> None:
    """A fix that left the failure as it was refuted its hypothesis: it was expected to differ, so it is not called wasted."""
    sign = error("unrecognised")
    judged = events.FixJudged(number=2, verdict="same", text="the same failure again")
    steps = (*launch(1, ("vllm", "a"), "boom", sign), belief("a/b", 0.95, sign), *launch(2, ("vllm", "b"), "boom", sign, fix="f"), judged)
    assert () == postmortem(numbered(started(), *steps)).wasted


def test_a_reading_of_another_launch_is_no_evidence() -> None:
    """A belief formed of another launch's log does not take the decision back, nor does it make one."""
    sign, foreign = error("converter-refused"), Sign(variable="sent", value="another", parameters={"flag": "--x"}, source="launch")
    steps = (*launch(1, ("vllm", "a"), "boom", sign), belief("a/b", 0.95, sign), *launch(2, ("vllm", "b"), "boom", sign))
    run = postmortem(numbered(started(), *steps, belief("process/stale-observation", 0.97, sign, foreign)))
    assert ("a/b", 1, [2]) == (run.faults[0].hypothesis.cause, _moment(run).launch, [item.launch for item in run.stale])


@pytest.mark.parametrize("outcome", [outcome for outcome in Outcome if outcome is not Outcome.OBSERVED])
def test_whatever_could_not_look_is_listed(outcome: Outcome) -> None:
    """Every outcome but observed is a question without an answer, under its own name."""
    question = Question(probe="p", parameters={"flag": "--x"})
    finding = Finding(outcome=outcome, text="t")
    reading = Reading(question=question, outcome=finding.outcome, text=finding.text)
    run = postmortem(numbered(started(), events.QuestionAnswered(output=Output(), reading=reading)))
    assert [(outcome.value, "--x")] == [(item.outcome, item.about) for item in run.voids]


def test_a_run_that_was_cut_off_is_told_as_far_as_it_came() -> None:
    """Without a verdict there is still a timeline, and it is said that there is none."""
    run = postmortem(numbered(started(), *launch(1, ("vllm",), "boom", error("unrecognised"))), torn=True)
    assert ("The run was cut off before a verdict", "undetermined", True, None) == (run.headline, run.outcome, run.torn, run.exit_status)
    assert ["start", "launch", "launch", "symptom"] == [item.kind for item in run.items]


def test_what_does_not_begin_with_a_start_is_no_run() -> None:
    """Neither nothing nor a piece from the middle can be told."""
    for recorded in ((), numbered(events.Noted(text="x"))):
        with pytest.raises(TranscriptError, match="start of a run"):
            postmortem(recorded)


def test_a_session_without_a_clock_is_counted_by_its_steps() -> None:
    """Where no times were recorded, what the launches and probes took is what was spent."""
    sign = error("unrecognised")
    steps = (started(), *launch(1, ("vllm",), "boom", sign, seconds=11.5), belief("a/b", 0.95, sign))
    recorded = [event.__class__(**{**{name: getattr(event, name) for name in event.__struct_fields__}, "at": ""}) for event in numbered(*steps)]
    assert 11.5 == postmortem(recorded).total.seconds


def test_the_same_events_tell_the_same() -> None:
    """The fold is a function of the events alone."""
    assert told("three-in-series") == told("three-in-series")


def test_an_unlikely_last_belief_is_undetermined() -> None:
    """Where unknown is likelier than any cause, no fault is named."""
    moved = events.BeliefMoved(
        belief=Belief(weighed=(Weighed(hypothesis=Hypothesis(cause="a/b"), probability=0.2),), unknown=0.8), moves=(), entropy=1
    )
    run = postmortem(numbered(started(), moved, events.Diagnosed(diagnosis=Diagnosis(outcome="undetermined", belief=moved.belief))))
    assert ((), "Undetermined: no cause is likely enough to be named the one") == (run.faults, run.headline)
