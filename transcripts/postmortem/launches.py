"""The launches of a run: what each showed, which readings were not its own, and which were wasted."""

import re
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from transcripts import events
from transcripts.postmortem.marks import foreign, same_launch, signature
from transcripts.postmortem.story import Stale, Waste
from transcripts.records import Launch, Sign

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{8,}\b")


class Tried(Struct, frozen=True, kw_only=True):
    """One launch of the run. `started` and `ended` are event numbers, `judged` the verdict on the fix it carried (empty: none)."""

    number: int
    started: int
    launch: Launch
    fix: str
    ended: int = 0
    end: str = ""
    seconds: float = 0.0
    line: str = ""
    signature: tuple[str, str] = ("", "")
    judged: str = ""
    stale: str = ""

    @property
    def failed(self) -> bool:
        """Whether it ended without being up."""
        return self.end not in ("up", "")


def tried(recorded: Sequence[events.AnyEvent]) -> tuple[Tried, ...]:
    """Every launch of the run, in order, with what was read of it."""
    found: dict[int, Tried] = {}
    current = 0
    for event in recorded:
        match event:
            case events.AttemptStarted(number=number):
                current = number
                found[number] = Tried(number=number, started=event.seq, launch=event.launch, fix=event.fix)
            case events.AttemptEnded(attempt=attempt) if attempt.number in found:
                found[attempt.number] = replace(found[attempt.number], ended=event.seq, end=attempt.end, seconds=attempt.seconds)
            case events.SymptomRead(number=number, symptom=symptom) if number in found:
                why = "; ".join(filter(None, (_foreign(symptom.signs), _copied(symptom.line, tuple(found.values()), number))))
                known = found[number]
                found[number] = replace(known, line=symptom.line, signature=signature(symptom.signs), stale=known.stale or why)
            case events.QuestionAnswered(reading=reading) if reading.attempt in found and (why := _foreign(reading.signs)):
                found[reading.attempt] = replace(found[reading.attempt], stale=why)
            case events.BeliefMoved(moves=moves) if current and (why := _foreign([move.sign for move in moves])):
                found[current] = replace(found[current], stale=found[current].stale or why)
            case events.FixJudged(number=number, verdict=verdict) if number in found:
                found[number] = replace(found[number], judged=verdict)
            case _:
                pass
    return tuple(found.values())


def _foreign(signs: Sequence[Sign]) -> str:
    sign = next((sign for sign in signs if foreign(sign)), None)
    if sign is None:
        return ""
    if sign.variable == "provenance":
        return "what was read does not belong to this launch"
    value = sign.parameters.get("value", "")
    return "the value in the error is not one that this launch sent" + (f" ({value})" if value else "")


def _copied(line: str, earlier: Sequence[Tried], number: int) -> str:
    """Two processes do not print the same memory address: a line that is the same down to it was printed once."""
    address = _ADDRESS.search(line)
    first = next((one for one in earlier if one.number != number and one.line == line), None)
    if address is None or first is None:
        return ""
    return f"the line is that of launch {first.number} to the letter, its memory address {address[0]} included: no second process prints it"


def stale(recorded: Sequence[events.AnyEvent], launches: Sequence[Tried]) -> tuple[Stale, ...]:
    """What was read and does not belong to what it was read for."""
    found = [Stale(launch=one.number, seq=one.ended or one.started, why=one.stale) for one in launches if one.stale]
    started = [event.seq for event in recorded if isinstance(event, events.AttemptStarted)]
    first = min(started, default=len(recorded) + 1)
    for event in recorded:
        if isinstance(event, events.BeliefMoved) and event.seq < first and (why := _foreign([move.sign for move in event.moves])):
            log = next((other for other in recorded if isinstance(other, events.LogRead)), None)
            if log is not None:
                found.append(Stale(launch=0, seq=log.seq, why=why))
                break
    return tuple(sorted(found, key=lambda item: item.seq))


def wasted(launches: Sequence[Tried], decided: Sequence[tuple[int, int]]) -> tuple[Waste, ...]:
    """The launches whose outcome no hypothesis expected to differ.

    `decided` holds, for each fault, from which event on its cause was decidable and by which event it was gone.
    """
    found: list[Waste] = []
    for place, one in enumerate(launches):
        why = _why_wasted(one, launches[:place], decided) if one.failed else ""
        if why:
            found.append(Waste(launch=one.number, seq=one.started, seconds=one.seconds, why=why))
    return tuple(found)


def _why_wasted(one: Tried, earlier: Sequence[Tried], decided: Sequence[tuple[int, int]]) -> str:
    failed = [other for other in earlier if other.failed]
    late = any(since < one.started <= until for since, until in decided)
    known = "; its cause was decidable before it" if late else ""
    again = next((other for other in failed if same_launch(other.launch, one.launch)), None)
    if again is not None:
        return f"it is launch {again.number} again: nothing was changed, so nothing could differ{known}"
    if one.stale:
        return f"its outcome was never seen, another one's was read for it{known}"
    if one.judged:
        return ""  # a fix was tried: its hypothesis expected a difference
    like = next((other for other in failed if other.signature == one.signature), None) if one.signature[0] else None
    if like is not None:
        return f"it failed as launch {like.number} did: what was changed is not what the error is about{known}"
    if late and not one.fix:
        return "the cause was decidable before it, and it did not change the fault"
    return ""
