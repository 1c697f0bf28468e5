"""What is different when a world is recorded again: what became of each launch, and how each question is answered."""

from collections.abc import Iterator

from agent.reading.symptom import read_symptom
from evals.world import Outcome, World, launch_key
from probes.catalogue import PROBES
from probes.frameworks.catalogue import by_name
from probes.probe import read_answer


def changes(before: World, after: World) -> Iterator[str]:
    """The differences, a line each; times and process ids are none."""
    for name in sorted({*before.versions, *after.versions}):
        old, new = before.versions.get(name, "nothing"), after.versions.get(name, "nothing")
        if old != new:
            yield f"{name}: was {_short(old)}, is {_short(new)}"
    yield from _compared("launch", _launches(before), _launches(after))
    yield from _compared("question", _answers(before), _answers(after))


def _compared(what: str, before: dict[str, str], after: dict[str, str]) -> Iterator[str]:
    for name in sorted({*before, *after}):
        if name not in before:
            yield f"new {what} {name}: {after[name]}"
        elif name not in after:
            yield f"{what} that is not there any more: {name}: {before[name]}"
        elif before[name] != after[name]:
            yield f"{what} {name}: was {before[name]}, is {after[name]}"


def _launches(world: World) -> dict[str, str]:
    return {launch_key(outcome.launch, outcome.files): _ended(world, outcome) for outcome in world.launches}


def _ended(world: World, outcome: Outcome) -> str:
    symptom = read_symptom(outcome.excerpt, by_name(world.framework), exit_status=outcome.attempt.exit_status)
    kinds = " ".join(sign.value for sign in symptom.signs if sign.variable == "error")
    return f"{outcome.attempt.end} {outcome.attempt.exit_status}, {kinds or 'nothing decisive'}"


def _answers(world: World) -> dict[str, str]:
    probes = {probe.name: probe for probe in PROBES}
    told: dict[str, str] = {}
    for answer in world.answers:
        probe = probes.get(answer.question.probe)
        if probe is not None:
            finding = read_answer(probe, answer.question, answer.output)
            told[f"{probe.name} {answer.key}"] = f"{finding.outcome}: {_short(finding.text)}"
    return told


def _short(text: str) -> str:
    return text if len(text) <= 120 else text[:120] + "\u2026"
