"""The syntax of the flag's value changed between releases.

What happens
    ``--limit-mm-per-prompt image=4`` was good once; the flag takes JSON now. ``--compilation-config 3`` was a level once; it is an object now.
How it shows
    ``Value image=4 cannot be converted to <function loads>``: the value is ``key=value``, where JSON is wanted.
How to tell
    The flag is registered, its value is intact, and in the form of an earlier release.
Fix
    The same setting in the new form: dotted flags (vLLM since 0.9), or JSON.
Fix safety
    Same setting, other spelling.
References
    vLLM release notes (0.9: JSON for ``--limit-mm-per-prompt``).
"""

import json
import re

from agent.causes.cause import Cause
from agent.causes.mending import in_words, json_repairs, option_of, parameter
from agent.causes.spoken import of
from probes.probe import Situation
from transcripts.records import Hypothesis, Repair

_PAIRS = re.compile(r"[A-Za-z_][\w.-]*=[^,]*(,[A-Za-z_][\w.-]*=[^,]*)*$")


def _mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """The value of the old form as JSON."""
    option = option_of(hypothesis, situation)
    value = option.value if option else parameter(hypothesis, "value", "")
    flag = parameter(hypothesis, "flag", "--FLAG")
    text = _as_json(flag, value, situation)
    if option is not None and text:
        return json_repairs(hypothesis, situation, text=text)
    if text:
        return in_words(f"give {flag} its value as JSON", f"{flag} '{text}'")
    return in_words(f"give {flag} its value in the form that this release wants", f"the full help of this release shows it: {flag}")


def _as_json(flag: str, value: str, situation: Situation) -> str:
    """``image=4,audio=1`` as JSON; a bare number as the level of a compilation config; empty where the form is not known."""
    if _PAIRS.match(value):
        return json.dumps({key: _scalar(text) for key, _, text in (pair.partition("=") for pair in value.split(","))})
    if flag == "--compilation-config" and value.isdigit():
        keys = (situation.table.config_keys.get("CompilationConfig") or {}) if situation.table else {}
        return json.dumps({"level" if "level" in keys and "mode" not in keys else "mode": int(value)})
    return ""


def _scalar(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


CAUSE = Cause(
    id="flag/value-format",
    prior=0.015,
    subject=("flag", "message"),
    parameters=("value", "class", "index", "length"),
    table={
        "error": {"converter-refused": 0.46, "json-invalid": 0.08, "validation": 0.35, "invalid-value": 0.08, "invalid-choice": 0.02},
        "shape": {"old-format": 0.95, "intact": 0.03, "word": 0.015},
        "registered": {"yes": 0.999},
        "delivery": {"as-meant": 0.98},
        "sent": {"consistent": 0.9999},
        "exit": {"usage": 0.9},
    },
    summary="{flag} wants its value in another form in this release than {value}.",
    advice="Give the value in the form that the full help of the installed release shows (JSON, or dotted flags).",
    suggest=of(
        ("validation",), r"should be (an object|a valid (dictionary|dict|list)|an instance)|valid dictionary", ("flag", "value", "index", "length")
    ),
    mend=_mend,
    related=("config/invalid-value", "config/invalid-json"),
)
