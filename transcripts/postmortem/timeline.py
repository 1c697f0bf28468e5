"""The steps of a run in the order in which they happened, each with what it cost and what was seen."""

from collections.abc import Mapping, Sequence

from transcripts import events
from transcripts.postmortem.changes import command_of
from transcripts.postmortem.marks import marginals, seconds_between
from transcripts.postmortem.story import Item, Kind, Mark, Point
from transcripts.records import Excerpt, Outcome, Output, Question

_HEAD, _TAIL = 1200, 2800
_SHORT = 80


def items(recorded: Sequence[events.AnyEvent], points: Sequence[Point], wasted: Mapping[int, str], stale: Mapping[int, str]) -> tuple[Item, ...]:
    """The timeline. `wasted` and `stale` are the launches so called, with the reason."""
    found: list[Item] = []
    began = recorded[0].at
    seqs = [point.seq for point in points]
    teller = _Teller(wasted, stale)
    for event in recorded:
        item = teller.item(event)
        if item is not None:
            last = sum(seq <= event.seq for seq in seqs) - 1
            kind, title, mark, cost, facts, output = item
            at = seconds_between(began, event.at)
            found.append(Item(seq=event.seq, at=at, kind=kind, title=title, mark=mark, cost=cost, facts=facts, output=output, point=last))
    return tuple(found)


Told = tuple[Kind, str, Mark, float, tuple[str, ...], str]


class _Teller:
    """Tells events one by one; remembers what a question expected until it is answered."""

    def __init__(self, wasted: Mapping[int, str], stale: Mapping[int, str]) -> None:
        self._wasted = wasted
        self._stale = stale
        self._asked: events.QuestionAsked | None = None

    def item(self, event: events.AnyEvent) -> Told | None:
        match event:
            case events.RunStarted():
                return "start", f"{event.verb}: {command_of(event.launch) or 'no command was given'}", "", 0.0, _beliefs(event), ""
            case events.LaunchUnderstood():
                layers = " → ".join(layer.kind for layer in event.layers)
                facts = (f"through: {layers}",) if layers else ()
                return "read", f"the launch is read as one of {event.framework or 'no known framework'}", "", 0.0, facts, _listed(event.arrives)
            case events.QuestionAsked():
                self._asked = event
                return None
            case events.QuestionAnswered():
                return self._answer(event)
            case events.FaultSeen(fault=fault):
                return "fault", f"seen without launching: {fault.text}", "bad", 0.0, (), ""
            case events.AttemptStarted():
                facts = (f"carries the fix: {event.fix}",) if event.fix else ()
                return "launch", f"launch {event.number} starts", "", 0.0, facts, command_of(event.launch)
            case events.AttemptEnded():
                return self._ended(event)
            case events.LogRead():
                status = "" if event.exit_status is None else f", exit status {event.exit_status}"
                title = f"log {event.path}: {event.excerpt.lines} lines, {event.excerpt.size} bytes{status}"
                return "log", title, "stale" if 0 in self._stale else "", 0.0, (), _excerpt(event.excerpt)
            case events.SymptomRead():
                return self._symptom(event)
            case _:
                return _later(event)

    def _answer(self, event: events.QuestionAnswered) -> Told:
        reading, asked = event.reading, self._asked
        about = about_question(reading.question)
        facts = [f"why: {asked.why}"] if asked and asked.why else []
        if asked and asked.gain:
            facts.append(f"expected {asked.gain:.2f} bits for {asked.cost:g} s")
        if reading.control:
            facts.append(f"control: {reading.control}")
        observed = reading.outcome is Outcome.OBSERVED
        title = f"probe {reading.question.probe}{f' ({about})' if about else ''}: {'' if observed else f'{reading.outcome}: '}{reading.text}"
        return "probe", title, "" if observed else "void", reading.seconds, tuple(facts), _output(event.output)

    def _ended(self, event: events.AttemptEnded) -> Told:
        attempt = event.attempt
        status = "" if attempt.exit_status is None else f" with status {attempt.exit_status}"
        facts = [f"phases: {', '.join(attempt.phases)}"] if attempt.phases else []
        facts += [f"answered: {attempt.answer}"] if attempt.answer else []
        mark: Mark = "good" if attempt.end == "up" else "bad"
        for told, reasons, name in (("stale", self._stale, "stale"), ("wasted", self._wasted, "wasted")):
            if attempt.number in reasons:
                facts.append(f"{told}: {reasons[attempt.number]}")
                mark = "wasted" if name == "wasted" else "stale"
        title = f"launch {attempt.number}: {attempt.end}{status}"
        return "launch", title, mark, attempt.seconds, tuple(facts), _excerpt(event.excerpt)

    def _symptom(self, event: events.SymptomRead) -> Told | None:
        symptom = event.symptom
        if not symptom.line:
            return None
        where = f"line {symptom.line_number}" if symptom.line_number else "the log"
        facts = [f"phase: {symptom.phase}"] if symptom.phase else []
        facts += [] if symptom.whole else ["the log is cut, or may be"]
        stale = event.number in self._stale
        facts += [f"stale: {self._stale[event.number]}"] if stale else []
        return "symptom", f"decisive, {where}: {symptom.line.strip()}", "stale" if stale else "bad", 0.0, tuple(facts), ""


def _later(event: events.AnyEvent) -> Told | None:
    match event:
        case events.BeliefMoved():
            top = [f"{name} {probability:.1%}" for name, probability in list(marginals(event.belief).items())[:3]]
            return "belief", f"belief: {', '.join([*top, f'unknown {event.belief.unknown:.1%}'])}", "", 0.0, (), ""
        case events.FixChosen(fix=fix):
            word = "trying" if event.tried else "proposed"
            return "fix", f"{word}: {fix.summary}", "", 0.0, (f"predicts: {fix.predicts}",) if fix.predicts else (), fix.shell
        case events.FixJudged():
            return "judged", f"{event.verdict}: {event.text}", "good" if event.verdict == "gone" else "bad", 0.0, (), ""
        case events.Noted():
            return "note", event.text, "", 0.0, (), ""
        case events.Diagnosed(diagnosis=diagnosis):
            named = f": {diagnosis.cause.hypothesis.cause}" if diagnosis.cause else ""
            return "verdict", f"{diagnosis.outcome}{named}", "good" if diagnosis.outcome == "up" else "", 0.0, (), ""
        case events.RunEnded():
            return "end", f"ended: {event.reason}, exit status {event.exit_status}", "", 0.0, (), ""
        case _:
            return None


def about_question(question: Question) -> str:
    """What a question is about, in a few words: its short parameters."""
    return ", ".join(value for value in question.parameters.values() if value and len(value) <= _SHORT)[: 2 * _SHORT]


def _beliefs(event: events.RunStarted) -> tuple[str, ...]:
    said = [f"framework, as stated: {event.framework}"] if event.framework else []
    return (*said, *([f"release, as stated: {event.release}"] if event.release else []))


def _listed(words: Sequence[str]) -> str:
    """One word of an argv a line: how they are split is the point."""
    return "\n".join(f"{place:>3}  {word}" for place, word in enumerate(words))


def _output(output: Output) -> str:
    if output.failure:
        return ""
    return clipped("\n".join(text for text in (output.stdout, output.stderr) if text))


def _excerpt(excerpt: Excerpt) -> str:
    return clipped("\n…\n".join(piece.text.rstrip("\n") for piece in excerpt.pieces))


def clipped(text: str) -> str:
    """The head and the tail of a long text, and how much is left out between them."""
    if len(text) <= _HEAD + _TAIL:
        return text
    return f"{text[:_HEAD]}\n… {len(text) - _HEAD - _TAIL} characters left out …\n{text[-_TAIL:]}"
