"""Which fault the belief is about, which others there are, and which of them are sure to kill: pure functions of what was seen."""

from collections.abc import Sequence

from msgspec import structs

from agent.causes.cause import Cause
from agent.evidence import GOOD, SUBJECTS, identify, signature, signs_of_symptom, subject_of
from agent.memory import by_identity
from agent.reading.symptom import read_symptom
from probes.probe import Situation
from transcripts.records import Excerpt, Fault, Hypothesis, Piece, Repair, Sign, Symptom, Verdict

GLOBAL = frozenset({"command", "install", "environment", "credentials", "port", "model", "provenance", "relaunch", "phase", "exit"}) | {
    "accelerator",
    "limits",
    "space",
    "weights",
    "supervisor",
}
"""Variables about the launch as a whole: their signs bear on whatever the failure is about."""

_HARMLESS = frozenset({("command", "another"), ("environment", "unknown-name"), ("install", "wrong-dependency")})
_DETAILS = frozenset({"kin", "registered", "shape", "delivery"})


def focus(symptom: Symptom | None, situation: Situation, seen: Sequence[Fault], signs: Sequence[Sign]) -> tuple[Sign, ...]:
    """The signs of the first fault: the symptom's with what is known of its subject, else those of the first sure fault seen.

    `signs` are all those of the probes; what they say of another subject stays out, it is another fault's.
    """
    own = signs_of_symptom(symptom, situation, seen) if symptom is not None else next((fault.signs for fault in seen if fault.established), ())
    subjects = {subject_of(sign) for sign in own} - {""} | {value for sign in own for value in sign.parameters.values()}
    variables = {sign.variable for sign in own}
    extra: list[Sign] = []
    for sign in (*signs, *(s for fault in seen for s in fault.signs if s.variable in GLOBAL)):
        whole = sign.variable in GLOBAL and (symptom is not None or (sign.variable, sign.value) in GOOD)
        again = sign in own or sign in extra or (sign.variable in ("error", "shape") and sign.variable in variables)
        if (whole or subject_of(sign) in subjects) and not again:
            extra.append(sign)
    return (*own, *extra)


first = by_identity(focus)
"""`focus` of these very objects, remembered."""


def others(causes: Sequence[Cause], seen: Sequence[Fault], first: Sequence[Sign], known: Sequence[Hypothesis], framework: str) -> tuple[Verdict, ...]:
    """The faults seen besides the first one (whose signs are `first`) and the `known`, each with its likeliest cause."""
    about = {(sign.variable, sign.value, subject_of(sign)) for sign in first}
    found: list[Verdict] = []
    for fault in seen:
        if any((s.variable, s.value, subject_of(s)) in about for s in fault.signs if s.variable in ("error", *GLOBAL)):
            continue
        other = identify(causes, fault, framework)
        if other is not None and not any(_alike(other.hypothesis, h) for h in (*(v.hypothesis for v in found), *known)):
            found.append(other)
    return tuple(found)


def repairs(causes: Sequence[Cause], seen: Sequence[Fault], situation: Situation) -> list[tuple[Hypothesis, Repair]]:
    """The first repair of every sure fault's likeliest cause."""
    found: list[tuple[Hypothesis, Repair]] = []
    for fault in seen:
        likeliest = identify(causes, fault, situation.framework.name if situation.framework else "") if lethal(fault) else None
        if likeliest is not None:
            mend = next(cause for cause in causes if cause.id == likeliest.hypothesis.cause).mend
            found += [(likeliest.hypothesis, repair) for repair in (mend(likeliest.hypothesis, situation) if mend else ())[:1]]
    return found


def of_crash(text: str, situation: Situation) -> tuple[Symptom, tuple[Fault, ...]]:
    """What the crash of a probe's command proves, and the fault that it is (none where it is not understood)."""
    excerpt = Excerpt(pieces=(Piece(line=1, offset=0, text=text),), lines=text.count("\n"), size=len(text))
    symptom = read_symptom(excerpt, situation.framework)
    if signature(symptom.signs)[0] in ("", "none", "up"):
        return symptom, ()
    signs = tuple(structs.replace(s, source="probe:help-grep") for s in symptom.signs if s.variable in ("error", "shape"))
    return symptom, (Fault(signs=signs, order=8, text=f"asking for help crashes: {symptom.line.strip()}"),)


def lethal(fault: Fault) -> bool:
    """Whether a fault seen is certain to kill the launch (an install that fits badly, or a second one on PATH, is not)."""
    bad = [(sign.variable, sign.value) for sign in fault.signs if (sign.variable, sign.value) not in GOOD]
    return fault.established and any(pair not in _HARMLESS and pair[0] not in _DETAILS for pair in bad)


def _alike(one: Hypothesis, other: Hypothesis) -> bool:
    shared = [name for name in SUBJECTS if one.parameters.get(name) and other.parameters.get(name)]
    return one.cause == other.cause and all(one.parameters[name] == other.parameters[name] for name in shared)
