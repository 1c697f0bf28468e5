"""From the belief to the diagnosis: the verdict, the evidence for and against it, and what would tell where nothing decides. Pure."""

from collections.abc import Iterable, Sequence

from agent.belief import expected_gain, ranking
from agent.causes.cause import Cause
from agent.evidence import summary_of
from agent.strategies.strategy import Candidate
from probes.probe import Situation
from transcripts.records import Belief, Evidence, Hypothesis, Move, Sign, Suggestion, Symptom, Verdict

SUPPORT = 1.5
"""A likelihood ratio from here on is worth telling; so is its inverse, against."""


def leading(causes: Sequence[Cause], belief: Belief, threshold: float) -> Verdict | None:
    """The cause that leads, where its marginal probability reaches the threshold."""
    if not belief.weighed:
        return None
    cause, probability = ranking(belief)[0]
    if probability < threshold:
        return None
    hypothesis = next(item.hypothesis for item in belief.weighed if item.hypothesis.cause == cause)
    return Verdict(hypothesis=hypothesis, probability=probability, summary=summary_of(causes, hypothesis))


def of(causes: Sequence[Cause], belief: Belief, hypothesis: Hypothesis) -> Verdict:
    """The verdict that a hypothesis of the belief would be, likely or not."""
    probability = next((item.probability for item in belief.weighed if item.hypothesis == hypothesis), 0.0)
    return Verdict(hypothesis=hypothesis, probability=probability, summary=summary_of(causes, hypothesis))


def evidence(moves: Sequence[Move], belief: Belief, symptom: Symptom | None) -> tuple[Evidence, ...]:
    """Every sign with the causes it speaks for and against, among those that were ever in question."""
    shown = {cause for cause, probability in ranking(belief)[:8] if probability > 1e-6}
    items: list[Evidence] = []
    for sign, own in _by_sign(moves):
        supports = _ids((m for m in own if m.ratio >= SUPPORT), shown)
        refutes = _ids((m for m in own if m.ratio <= 1 / SUPPORT), shown)
        if not supports and not refutes:
            continue
        from_log = sign.source.startswith("log")
        text = (
            symptom.line.strip()
            if from_log and symptom and sign.variable in ("error", "shape")
            else _described(sign.variable, sign.value, sign.parameters)
        )
        items.append(Evidence(kind="symptom" if from_log else "reading", text=text, source=sign.source, supports=supports, refutes=refutes))
    return _joined(items)


def _by_sign(moves: Sequence[Move]) -> list[tuple[Sign, list[Move]]]:
    """The signs in the order in which they come, each with its moves; two that are equal are one."""
    groups: list[tuple[Sign, list[Move]]] = []
    known: dict[int, list[Move]] = {}
    for move in moves:
        own = known.get(id(move.sign))
        if own is None:
            own = next((moved for sign, moved in groups if sign == move.sign), None)
            if own is None:
                groups.append((move.sign, own := []))
            known[id(move.sign)] = own
        own.append(move)
    return groups


def _ids(moves: Iterable[Move], shown: set[str]) -> tuple[str, ...]:
    found: dict[str, float] = {}
    for move in moves:
        if move.hypothesis.cause in shown:
            found[move.hypothesis.cause] = max(found.get(move.hypothesis.cause, 0.0), move.ratio)
    return tuple(sorted(found, key=lambda cause: (-found[cause], cause)))


def _joined(items: list[Evidence]) -> tuple[Evidence, ...]:
    """One entry for what the same line says in several ways."""
    merged: dict[tuple[str, str, str], Evidence] = {}
    for item in items:
        key = (item.kind, item.text, item.source)
        before = merged.get(key)
        if before is None:
            merged[key] = item
            continue
        supports = tuple(dict.fromkeys([*before.supports, *item.supports]))
        refutes = tuple(cause for cause in dict.fromkeys([*before.refutes, *item.refutes]) if cause not in supports)
        merged[key] = Evidence(kind=item.kind, text=item.text, source=item.source, supports=supports, refutes=refutes)
    return tuple(merged.values())


def _described(variable: str, value: str, parameters: dict[str, str]) -> str:
    about = ", ".join(
        f"{name} {text!r}" for name, text in sorted(parameters.items()) if name not in ("index", "length", "tokens", "choices") and text
    )
    return f"{variable}: {value}" + (f" ({about})" if about else "")


def suggestions(causes: Sequence[Cause], belief: Belief, candidates: Sequence[Candidate], situation: Situation) -> tuple[Suggestion, ...]:
    """The questions that would tell most, as commands to paste, best first (at most three)."""
    # What the failure itself already showed is no question any more.
    known = {sign.variable for sign in situation.symptom.signs} if situation.symptom else set()
    scored: list[tuple[float, Candidate]] = []
    for candidate in candidates:
        asked = [variable for variable in candidate.probe.variables if variable not in known]
        gain = max((expected_gain(causes, belief, variable, candidate.question.parameters) for variable in asked), default=0.0)
        if gain > 0.01 and candidate.probe.paste:
            scored.append((gain / max(candidate.probe.cost, 0.05), candidate))
    scored.sort(key=lambda item: (-item[0], item[1].probe.name))
    made: dict[str, Suggestion] = {}
    for _, candidate in scored:
        command = candidate.probe.paste.format_map(_Known(candidate.question.parameters, situation))
        made.setdefault(command, Suggestion(probe=candidate.probe.name, command=command, why=candidate.probe.about))
    return tuple(made.values())[:3]


class _Known(dict[str, str]):
    """What a pasted command may name: the question's parameters, the program and its Python; else the placeholder's name in capitals."""

    def __init__(self, parameters: dict[str, str], situation: Situation) -> None:
        program = situation.program or (situation.argv[0] if situation.argv else (situation.framework.program if situation.framework else "PROGRAM"))
        super().__init__({"program": program, "python": situation.interpreter or "python3", **parameters})

    def __missing__(self, key: str) -> str:
        return key.upper()
