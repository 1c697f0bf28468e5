"""A flag of earlier releases whose setting another flag or key carries now.

What happens
    The flag was replaced: ``--speculative-model`` by a key of ``--speculative-config``, ``--task embed`` by ``--runner pooling``.
How it shows
    ``unrecognized arguments: --speculative-model foo --num-speculative-tokens 5``.
How to tell
    An earlier release had the flag, this one has not, and its successor is there.
Fix
    The successor with the value carried over; flags that went into the same successor are mended together.
Fix safety
    The successor makes the same setting; where its values have other names, the known ones are translated.
References
    vLLM release notes; ``SpeculativeConfig``, ``StructuredOutputsConfig``, ``EPLBConfig``.
"""

import json

from msgspec import structs

from agent.causes.cause import Cause
from agent.causes.mending import Option, in_words, option_of, options, parameter, takes_dotted, value_meant
from agent.causes.successors import succeeded
from probes.probe import Situation
from transcripts.records import Change, Hypothesis, Repair


def _mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """The successor in the place of every flag that has the same one."""
    flag = parameter(hypothesis, "flag", "--FLAG")
    successor = hypothesis.parameters.get("successor", "")
    option = option_of(hypothesis, situation)
    words = succeeded(flag, value_meant(option, situation) if option else "VALUE", successor)
    said = " ".join(words or ()) or successor or "its successor"
    if option is None or words is None:
        return in_words(f"write {said} instead of {flag}" if words != () else f"leave {flag} out: its setting is the default now")
    changes = sorted([option.becomes(*words), *_companions(option, words, situation)], key=lambda change: change.start)
    if words and "." in words[0] and not takes_dotted(situation):
        changes = _as_json(changes)
    flags = " ".join(situation.arrival.argv[change.start].partition("=")[0] for change in changes)
    instead = f"write {' '.join(word for change in changes for word in change.words)} instead of {flags}"
    summary = instead if words else f"leave {flags} out: its setting is the default now"
    return (Repair(summary=summary, changes=tuple(changes), predicts=f"nothing is said of {flags} any more"),)


def _companions(option: Option, words: tuple[str, ...], situation: Situation) -> list[Change]:
    """The changes of the other flags of the launch that went into the same successor."""
    base = words[0].partition(".")[0] if words else ""
    changes: list[Change] = []
    for index, word in enumerate(situation.arrival.argv):
        name = word.partition("=")[0]
        if index == option.start or not name.startswith("--") or (situation.table and situation.table.find(name)):
            continue
        other = next((found for found in options(situation, name) if found.start == index), None)
        others = succeeded(name, value_meant(other, situation), "") if other else None
        if other and others and others[0].partition(".")[0] == base:
            changes.append(other.becomes(*others))
    return changes


def _as_json(changes: list[Change]) -> list[Change]:
    """The dotted words of all changes as one JSON value at the first place, for a release that takes no dotted flags."""
    words = [word for change in changes for word in change.words]
    members = {name.partition(".")[2]: _parsed(value) for name, value in zip(words[::2], words[1::2], strict=False)}
    whole = (words[0].partition(".")[0], json.dumps(members))
    first = min(changes, key=lambda change: change.start)
    return [structs.replace(change, words=whole if change is first else ()) for change in changes]


def _parsed(value: str) -> object:
    try:
        return json.loads(value)
    except ValueError:
        return value


CAUSE = Cause(
    id="flag/renamed",
    prior=0.02,
    subject=("flag",),
    parameters=("successor", "last", "value", "tokens", "index", "length"),
    table={
        # Together all but one in a million: a converter runs for a registered flag only, so no other error of an argument can come of it.
        "error": {"unrecognised": 0.996, "ambiguous-option": 0.003999},
        "shape": {"flag": 0.97},
        "registered": {"no": 0.999},
        "kin": {"successor": 0.62, "config-key": 0.03, "earlier": 0.02, "once-replaced": 0.3},
        "delivery": {"as-meant": 0.98},
        "sent": {"consistent": 0.9999},
        "exit": {"usage": 0.95},
    },
    summary="{flag} was replaced: {successor} makes its setting now.",
    advice="Write the successor in its place, or install a release that has the flag.",
    mend=_mend,
    related=("flag/removed", "version/framework-too-new"),
)
