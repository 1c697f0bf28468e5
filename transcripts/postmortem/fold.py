"""The fold: recorded events in, a `Postmortem` out. Nothing is asked, launched or judged again."""

from collections.abc import Sequence

from transcripts import events
from transcripts.errors import TranscriptError
from transcripts.postmortem import beliefs, changes, decidable, launches, timeline
from transcripts.postmortem.marks import spent
from transcripts.postmortem.story import FaultStory, Moment, Point, Postmortem, Void
from transcripts.records import Diagnosis, Hypothesis, Outcome, Verdict


def postmortem(recorded: Sequence[events.AnyEvent], torn: bool = False) -> Postmortem:
    """Tell a whole run from its events. `torn`: its last line was cut by a crash.

    Raises:
        TranscriptError: the events do not begin with a run's start.
    """
    started = recorded[0] if recorded else None
    if not isinstance(started, events.RunStarted):
        raise TranscriptError("the transcript does not begin with the start of a run")
    diagnosis = next((event.diagnosis for event in reversed(recorded) if isinstance(event, events.Diagnosed)), None)
    ended = recorded[-1] if isinstance(recorded[-1], events.RunEnded) else None
    points = beliefs.points(recorded)
    faults = _faults(recorded, started, points, diagnosis)
    tried = launches.tried(recorded)
    wasted = launches.wasted(tried, _decided(recorded, faults))
    stale = launches.stale(recorded, tried)
    symptom = _symptom(recorded, diagnosis)
    return Postmortem(
        nostart=started.nostart,
        verb=started.verb,
        started=started.at,
        command=changes.command_of(started.launch),
        framework=next((e.framework for e in recorded if isinstance(e, events.LaunchUnderstood) and e.framework), started.framework),
        release=started.release,
        outcome=diagnosis.outcome if diagnosis else "undetermined",
        headline=_headline(diagnosis, faults, ended),
        decisive=symptom.symptom.line.strip() if symptom else "",
        decisive_line=symptom.symptom.line_number if symptom else 0,
        total=spent(recorded, started.at),
        faults=faults,
        also=_also(diagnosis, faults),
        items=timeline.items(recorded, points, {w.launch: w.why for w in wasted}, {s.launch: s.why for s in stale}),
        points=points,
        shifts=beliefs.shifts(recorded, points),
        wasted=wasted,
        stale=stale,
        voids=_voids(recorded),
        change=changes.change(recorded),
        reason=ended.reason if ended else "",
        exit_status=ended.exit_status if ended else None,
        torn=torn,
    )


def _ends(recorded: Sequence[events.AnyEvent]) -> list[int]:
    """For each fault in turn, the event by which it was gone; the last one is there to the end."""
    gone = [event.seq for event in recorded if isinstance(event, events.FixJudged) and event.verdict == "gone"]
    return [*gone, recorded[-1].seq]


def _faults(
    recorded: Sequence[events.AnyEvent], started: events.RunStarted, points: Sequence[Point], diagnosis: Diagnosis | None
) -> tuple[FaultStory, ...]:
    found: list[FaultStory] = []
    least = decidable.threshold(started)
    for number in range(1, len(_ends(recorded)) + 1):
        about = [point for point in points if point.fault == number]
        usable = decidable.own(recorded, about) if about else ()
        diagnosed = diagnosis.cause.hypothesis.cause if diagnosis and diagnosis.cause and diagnosis.outcome != "up" else ""
        cause = decidable.final_cause(usable, diagnosed, least) if about else ""
        if cause:
            moment = decidable.moment(recorded, usable, cause, least)
            found.append(_story(recorded, diagnosis, number, cause, usable, moment))
    if not found and diagnosis and diagnosis.cause and not points:
        cause = diagnosis.cause.hypothesis.cause
        found.append(_story(recorded, diagnosis, 1, cause, (), decidable.without_belief(recorded)))
    return tuple(found)


def _story(
    recorded: Sequence[events.AnyEvent],
    diagnosis: Diagnosis | None,
    number: int,
    cause: str,
    about: Sequence[Point],
    moment: Moment | None,
) -> FaultStory:
    verdicts: list[Verdict] = [*diagnosis.solved, *diagnosis.also] if diagnosis else []
    if diagnosis and diagnosis.cause:
        verdicts.append(diagnosis.cause)
    verdict = next((one for one in verdicts if one.hypothesis.cause == cause), None)
    best = max(about, key=lambda point: (point.probabilities.get(cause, 0.0), point.seq), default=None)
    moved = next((event for event in recorded if isinstance(event, events.BeliefMoved) and best and event.seq == best.seq), None)
    weights = beliefs.weights(moved.moves, cause) if moved else ()
    weighed = [item.hypothesis for item in moved.belief.weighed if item.hypothesis.cause == cause] if moved else []
    probability = about[-1].probabilities.get(cause, 0.0) if about else verdict.probability if verdict else 0.0
    return FaultStory(
        number=number,
        hypothesis=verdict.hypothesis if verdict else weighed[0] if weighed else Hypothesis(cause=cause),
        summary=verdict.summary if verdict else "",
        probability=probability,
        confirmed=any(one.confirmed and one.hypothesis.cause == cause for one in verdicts),
        moment=moment,
        support=tuple(weight for weight in weights if weight.ratio > 1),
        against=tuple(weight for weight in weights if weight.ratio < 1),
    )


def _decided(recorded: Sequence[events.AnyEvent], faults: Sequence[FaultStory]) -> list[tuple[int, int]]:
    ends = _ends(recorded)
    return [(fault.moment.seq, ends[fault.number - 1]) for fault in faults if fault.moment is not None]


def _headline(diagnosis: Diagnosis | None, faults: Sequence[FaultStory], ended: events.RunEnded | None) -> str:
    if diagnosis is None:
        return "The run was cut off before a verdict" if ended is None else f"The run ended before a verdict: {ended.reason}"
    if diagnosis.outcome == "up":
        count = len(diagnosis.solved)
        return "Up: it answers a real request" + (f", after {count} {'fault was' if count == 1 else 'faults were'} mended" if count else "")
    if diagnosis.cause is not None:
        sure = "confirmed by a relaunch" if diagnosis.cause.confirmed else f"{min(diagnosis.cause.probability, 0.999):.1%} likely"
        return f"Cause: {diagnosis.cause.hypothesis.cause}, {sure}"
    if diagnosis.outcome == "error":
        return "The triage could not be carried through"
    likely = f"; likeliest is {faults[-1].hypothesis.cause}, {faults[-1].probability:.0%}" if faults else ""
    return f"Undetermined: no cause is likely enough to be named the one{likely}"


def _symptom(recorded: Sequence[events.AnyEvent], diagnosis: Diagnosis | None) -> events.SymptomRead | None:
    """The reading with the decisive line: the diagnosed one, else the first failure's."""
    read = [event for event in recorded if isinstance(event, events.SymptomRead) and event.symptom.line]
    line = diagnosis.symptom.line if diagnosis and diagnosis.symptom else ""
    return next((event for event in read if event.symptom.line == line), read[0] if read else None)


def _also(diagnosis: Diagnosis | None, faults: Sequence[FaultStory]) -> tuple[str, ...]:
    named = {fault.hypothesis.cause for fault in faults}
    rest = [*diagnosis.solved, *diagnosis.also] if diagnosis else []
    return tuple(dict.fromkeys(f"{one.hypothesis.cause}: {one.summary}" for one in rest if one.hypothesis.cause not in named))


def _voids(recorded: Sequence[events.AnyEvent]) -> tuple[Void, ...]:
    return tuple(
        Void(
            seq=event.seq,
            probe=event.reading.question.probe,
            about=timeline.about_question(event.reading.question),
            outcome=event.reading.outcome.value,
            text=event.reading.text,
            control=event.reading.control,
        )
        for event in recorded
        if isinstance(event, events.QuestionAnswered) and event.reading.outcome is not Outcome.OBSERVED
    )
