"""The JSON or the file is sound, and one of its keys is none that the framework knows.

What happens
    A key is misspelt, or belongs to another release or another setting; the configuration object refuses what it does not know.

How it shows
    Unexpected keyword argument, with the key and the class (SpeculativeConfig), while arguments are parsed or when the configuration is built.

How to tell
    The error proves that the value arrived as JSON: no layer of shell is at fault. The class's keys in this release tell which one was meant.

Fix
    The nearest key of that class.

Fix safety
    Renames one key; its value stays.

References
    https://docs.pydantic.dev/latest/errors/validation_errors/#unexpected_keyword_argument
"""

import json
from typing import Any

from rapidfuzz import fuzz, process

from agent.causes.cause import Cause
from agent.causes.mending import in_words, parameter
from probes.probe import Situation
from transcripts.records import Change, Hypothesis, Repair

_NEAR = 70.0


def near_key(key: str, keys: tuple[str, ...]) -> str | None:
    """The known key that `key` was meant to be; words that are shortened (``num_spec_tokens``) count as near."""
    same = [known for known in keys if known.replace("_", "").lower() == key.replace("_", "").replace("-", "").lower()]
    if same:
        return same[0]
    found = process.extractOne(key, keys, scorer=fuzz.ratio, score_cutoff=_NEAR)
    return found[0] if found else None


def renamed(value: Any, old: str, new: str) -> Any:
    """`value` with the key `old` called `new`, wherever it stands, order kept."""
    if isinstance(value, dict):
        return {(new if key == old else key): renamed(item, old, new) for key, item in value.items()}
    if isinstance(value, list):
        return [renamed(item, old, new) for item in value]
    return value


def _change(word: str, old: str, new: str) -> str | None:
    """`word` with the key renamed, where it is JSON that has it or a dotted flag that names it."""
    name, equals, inline = word.partition("=")
    if name.startswith("--") and name.endswith(f".{old}"):
        return f"{name.removesuffix(old)}{new}{equals}{inline}"
    head, text = (f"{name}=", inline) if name.startswith("--") and equals else ("", word)
    try:
        value = json.loads(text)
    except ValueError:
        return None
    changed = renamed(value, old, new)
    return head + json.dumps(changed, ensure_ascii=False) if changed != value else None


def _keys(hypothesis: Hypothesis, situation: Situation) -> tuple[str, ...]:
    known = situation.table.config_keys if situation.table else {}
    of_class = known.get(hypothesis.parameters.get("class", ""))
    return tuple(of_class) if of_class else ()


def mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """The key renamed where it stands in the argv, or words."""
    key = parameter(hypothesis, "key")
    owner = hypothesis.parameters.get("class", "") or "this setting"
    keys = _keys(hypothesis, situation)
    near = hypothesis.parameters.get("near") or near_key(key, keys)
    if near is None:
        known = f": {', '.join(keys)}" if keys else "; ask the framework's documentation for its keys"
        return in_words(f"{owner} has no key {key}{known}")
    first = situation.entry.options if situation.entry else 1
    for index, word in enumerate(situation.arrival.argv[first:], first):
        mended = _change(word, key, near)
        if mended is not None:
            change = Change(start=index, stop=index + 1, words=(mended,))
            return (Repair(summary=f"call the key {key} {near}", changes=(change,), predicts=f"{owner} accepts its keys"),)
    return in_words(f"call the key {key} {near} where it is written")


CAUSE = Cause(
    id="config/unknown-key",
    prior=0.03,
    table={
        "error": {"unexpected-key": 0.93, "file-refused": 0.02, "unrecognised": 0.01, "validation": 0.02},
        "shape": {"intact-json": 0.85, "intact": 0.13},
        "registered": {"yes": 0.99},
        "sent": {"consistent": 0.9999},
        "kin": {"config-key": 0.3, "near": 0.3},
        "delivery": {"as-meant": 0.97},
        "phase": {"arguments": 0.4, "config": 0.25, "model": 0.3},
    },
    summary="{class} has no key {key}.",
    advice="Use a key that this release's configuration class has; the nearest one is probably meant.",
    subject=("key",),
    parameters=("class", "flag", "near"),
    mend=mend,
)
