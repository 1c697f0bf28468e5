"""From what was read and answered to the signs that the belief weighs: pure functions of a symptom, a situation and its faults."""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime

from msgspec import structs

from agent.belief import UNKNOWN, believe, ranking
from agent.causes.cause import Cause
from agent.companions import companion_sign
from agent.kinship import kinship, of_client
from agent.memory import by_identity
from agent.retelling import retold
from probes.probe import Situation
from transcripts.records import Attempt, Fault, Finding, Hypothesis, Question, Reading, Sign, Symptom, Verdict

GOOD = frozenset(
    {
        ("registered", "yes"),
        ("command", "found"),
        ("install", "sound"),
        ("file", "present"),
        ("port", "free"),
        ("credentials", "set"),
        ("environment", "clean"),
        ("model", "folder"),
        ("accelerator", "free"),
        ("limits", "enough"),
        ("kernel", "quiet"),
        ("space", "enough"),
        ("weights", "whole"),
        ("model", "hub-id"),
        ("delivery", "as-meant"),
        ("provenance", "own"),
        ("shape", "intact"),
        ("shape", "intact-json"),
        ("supervisor", "exited"),
        ("error", "none"),
        ("error", "up"),
    }
)
"""The values that are no fault: what is as it should be."""

SUBJECTS = ("flag", "path", "name", "module", "library", "command", "port", "model", "value")
"""What a sign can be about, the first that it has."""

_PARSER_ERRORS = frozenset(
    {
        "converter-refused",
        "json-invalid",
        "unrecognised",
        "invalid-choice",
        "invalid-value",
        "expected-argument",
        "takes-no-value",
        "ambiguous-option",
    }
)
_ORDER = {
    "command": 0,
    "install": 5,
    "delivery": 20,
    "shape": 20,
    "registered": 25,
    "environment": 35,
    "port": 36,
    "model": 40,
    "credentials": 45,
    "file": 60,
}


def subject_of(sign: Sign) -> str:
    """What the sign is about (a flag, a path, a port…), or an empty text."""
    return next((sign.parameters[name] for name in SUBJECTS if sign.parameters.get(name)), "")


def signature(signs: Iterable[Sign]) -> tuple[str, str]:
    """What makes a failure this one and no other: the kind of its error and what that is about."""
    for sign in signs:
        if sign.variable == "error":
            return sign.value, subject_of(sign)
    return "", ""


def faults_of(finding: Finding) -> tuple[Fault, ...]:
    """The faults that a probe's finding shows: its signs that are not as they should be, gathered by subject."""
    groups: dict[str, list[Sign]] = {}
    for sign in finding.signs:
        groups.setdefault(subject_of(sign), []).append(sign)
    return tuple(
        Fault(signs=tuple(signs), order=order_of(signs), text=finding.text)
        for signs in groups.values()
        if any((sign.variable, sign.value) not in GOOD for sign in signs) and any(s.variable != "provenance" for s in signs)
    )


def order_of(signs: Sequence[Sign]) -> int:
    """When a fault would kill: lower dies earlier (execution, imports, argument parser, environment, port, model, files)."""
    if any((sign.variable, sign.value) == ("install", "abi") for sign in signs):
        return 55  # the parser works without the compiled extension: it is missed when the engine starts
    if any(sign.value == "file-malformed" or sign.parameters.get("flag") == "--config" for sign in signs):
        return 15
    return min((_ORDER[sign.variable] for sign in signs if sign.variable in _ORDER), default=30)


def signs_of_symptom(symptom: Symptom, situation: Situation, faults: Sequence[Fault]) -> tuple[Sign, ...]:
    """The signs of a symptom with what the launch and the flag tables add to them: alignment with the argv, kinship, whether it was sent."""
    signs = list(retold(aligned(symptom.signs, situation.arrival.argv), situation))
    kind, subject = signature(signs)
    matched = next((fault for fault in faults if _same(fault, kind, subject)), None)
    if matched is not None:
        seen_whole = {sign.variable for sign in matched.signs} & {"shape"}  # a log cannot show where one word ends and the next begins
        signs = [_joined(sign, matched) for sign in signs if sign.variable not in seen_whole]
        signs += [sign for sign in matched.signs if sign.variable not in {s.variable for s in signs}]
    if kind == "unrecognised" and subject.startswith("-") and not any(sign.variable == "registered" for sign in signs):
        client = any(sign.variable == "error" and sign.parameters.get("program") == "client" for sign in signs)
        signs += of_client(subject, situation) if client else kinship(subject, situation)
    signs += companion_sign(signs, situation)
    if kind == "unrecognised" and _arrives_alone(subject, situation):
        signs.append(Sign(variable="delivery", value="as-meant", parameters={"flag": subject}, source="launch"))
    sent = _sent(symptom, situation)
    return (*signs, *((sent,) if sent else ()))


def aligned(signs: Sequence[Sign], argv: Sequence[str]) -> tuple[Sign, ...]:
    """The signs of an `unrecognised` error with the first printed token told by the word of the argv it belongs to.

    The parser prints the words it did not consume joined by spaces, so a word with a space in it reads as several.
    """
    error = next((sign for sign in signs if sign.variable == "error" and sign.value == "unrecognised"), None)
    tokens = tokens_of(error) if error else ()
    printed = " ".join(tokens)
    word = next((w for w in argv if " " in w.strip() and printed.startswith((w, _dashes(w)))), "")
    if error is None or not word.startswith("-"):
        return tuple(signs)
    subject = {"flag": word.split()[0].partition("=")[0]}
    where = {"index": str(list(argv).index(word)), "length": "1"}
    told = Sign(variable="error", value="unrecognised", parameters={**error.parameters, **subject, **where, "value": word}, source=error.source)
    shape = Sign(variable="shape", value="joined", parameters={**subject, **where, "value": word}, source=error.source)
    return (told, shape, *(sign for sign in signs if sign.variable not in ("error", "shape")))


def _arrives_alone(word: str, situation: Situation) -> bool:
    """Whether the launch is sure to give the option as a word of its own."""
    arrival = situation.arrival
    return word.startswith("-") and arrival.certain and not (arrival.problems or arrival.losses) and word in arrival.argv


def _same(fault: Fault, kind: str, subject: str) -> bool:
    found_kind, found_subject = signature(fault.signs)
    return found_kind == kind and (found_subject == subject or not subject)


def _joined(sign: Sign, fault: Fault) -> Sign:
    """The log's sign with the parameters (position in the argv…) that the check of the argv knows besides."""
    for other in fault.signs:
        if other.variable == sign.variable and other.value == sign.value:
            return Sign(variable=sign.variable, value=sign.value, parameters={**other.parameters, **sign.parameters}, source=sign.source)
    return sign


def _sent(symptom: Symptom, situation: Situation) -> Sign | None:
    """Whether the value in the error can come from this launch; None where nobody can tell."""
    arrival = situation.arrival
    error = next((sign for sign in symptom.signs if sign.variable == "error" and sign.value in _PARSER_ERRORS), None)
    value = error.parameters.get("value", "") if error else ""
    if error is not None and not error.parameters.get("flag", "-").startswith("-"):
        return None  # a setting that may come from anywhere, no option's word
    if error is None or not value or not arrival.certain or arrival.problems or not situation.argv:
        return None
    shown = _dashes(value)
    words = [_dashes(word) for word in arrival.argv]
    if any(shown in (word, word.partition("=")[2], word.partition("=")[0]) for word in words) or shown in " ".join(words):
        return Sign(variable="sent", value="consistent", parameters=_about(error), source="launch")
    if "--config" in situation.argv or _explained(value, arrival.meant) or "..." in " ".join(words):
        return None
    return Sign(variable="sent", value="another", parameters=_about(error), source="launch")


def _about(error: Sign) -> dict[str, str]:
    return {"flag": error.parameters["flag"]} if error.parameters.get("flag") else {}


def _dashes(word: str) -> str:
    head, separator, tail = word.partition("=")
    return head.replace("_", "-") + separator + tail if head.startswith("-") else word


def _explained(value: str, meant: Sequence[str]) -> bool:
    """Whether one more evaluation by a shell that nobody mentioned makes `value` of a word that was meant."""
    bare = value.replace('"', "").replace("'", "").replace("\\", "").replace(" ", "")
    return bool(bare) and any(bare in word.replace('"', "").replace("'", "").replace(" ", "") for word in meant if word[:1] in "{[" or '"' in word)


def identify(causes: Sequence[Cause], fault: Fault, framework: str) -> Verdict | None:
    """The likeliest cause of one visible fault, or None where it is more likely unknown."""
    belief, _ = believe(causes, fault.signs, framework)
    if not belief.weighed or belief.unknown > belief.weighed[0].probability:
        return None
    top = ranking(belief)[0]
    hypothesis = next(item.hypothesis for item in belief.weighed if item.hypothesis.cause == top[0])
    return Verdict(hypothesis=hypothesis, probability=top[1], summary=summary_of(causes, hypothesis))


def summary_of(causes: Sequence[Cause], hypothesis: Hypothesis) -> str:
    """The cause's sentence with this hypothesis' parameters in it; one that is not known reads as an ellipsis."""
    if hypothesis.cause == UNKNOWN:
        return "nothing that is known explains it"
    template = next(cause.summary for cause in causes if cause.id == hypothesis.cause)
    return template.format_map(_Ellipsis(hypothesis.parameters))


class _Ellipsis(dict[str, str]):
    """A mapping in which what is missing reads as an ellipsis."""

    def __missing__(self, key: str) -> str:
        return "…"


def tokens_of(sign: Sign) -> tuple[str, ...]:
    """The tokens that an `unrecognised` error printed (empty where it printed none)."""
    text = sign.parameters.get("tokens", "")
    return tuple(str(token) for token in json.loads(text)) if text.startswith("[") else ()


def reading(question: Question, finding: Finding, seconds: float, target: str, attempt: int) -> Reading:
    """What is recorded of a finding: all but its data, which is read again from the output."""
    return Reading(
        question=question,
        outcome=finding.outcome,
        text=finding.text,
        signs=finding.signs,
        control=finding.control,
        seconds=seconds,
        target=target,
        attempt=attempt,
    )


@by_identity
def sourced(finding: Finding, probe: str) -> tuple[Sign, ...]:
    """The signs of a finding, each with its source."""
    return tuple(structs.replace(sign, source=sign.source or f"probe:{probe}") for sign in finding.signs)


def of_attempt(symptom: Symptom, attempt: Attempt | None) -> Symptom:
    """The symptom with what only the launcher knows: that it came up, hung, or could not be executed."""
    if attempt is None or attempt.end in ("exited", "stopped"):
        return symptom
    source = f"attempt:{attempt.number}"
    if attempt.end == "up":
        # what the log says after that is the echo of our own ending it
        return Symptom(phase="up", signs=(Sign(variable="error", value="up", source=source),))
    if attempt.end == "hang":
        if any(s.variable == "error" and s.value not in ("none", "other", "up", "hang") for s in symptom.signs):
            return symptom
        sign = Sign(variable="error", value="hang", parameters={"phase": symptom.phase}, source=source)
    else:
        kind = "exec-refused" if attempt.exit_status == 126 else "command-not-found"
        sign = Sign(variable="error", value=kind, parameters={"command": attempt.launch.argv[0]}, source=source)
    kept = tuple(s for s in symptom.signs if s.variable not in ("error", "exit"))
    return structs.replace(symptom, signs=(sign, *kept))


def judged(before: tuple[Symptom | None, tuple[str, str]], after: Symptom | None, up: bool, situation: Situation) -> tuple[str, str]:
    """What a relaunch did to the failure: ``gone``, ``same`` or ``moved``, and a sentence."""
    symptom, (kind, subject) = before
    about = f" about {subject}" if subject else ""
    if up:
        return "gone", "it answers a real request"
    now_kind, now_subject = signature(after.signs) if after else ("", "")
    if (now_kind, now_subject) == (kind, subject):
        return "same", f"the same failure again: {kind}{about}"
    further = _depth(after, situation) >= _depth(symptom, situation)
    return ("gone", f"{kind}{about} is gone; now: {now_kind}") if further else ("moved", f"another failure, no later than before: {now_kind}")


def _depth(symptom: Symptom | None, situation: Situation) -> int:
    names = [name for name, _ in situation.framework.phases] if situation.framework else []
    return names.index(symptom.phase) if symptom and symptom.phase in names else -1


def seconds_between(began: str, ended: str) -> float:
    """Seconds between two times of the record (0 where there is none)."""
    if not began or not ended:
        return 0.0
    return round((datetime.fromisoformat(ended) - datetime.fromisoformat(began)).total_seconds(), 3)
