"""A value was escaped once too often, and nobody takes the escapes away.

What happens
    ``printf %q``, a template or a person added backslashes for a shell that never reads the value (a list, an exec form, single quotes).
How it shows
    ``Value \\{\\"method\\": … cannot be converted``: the value bears backslashes before its quotes and braces.
How to tell
    Taking one level of backslashes away leaves good JSON.
Fix
    The value without them: dotted flags (vLLM since 0.9), or the literal JSON as one word.
Fix safety
    Same setting, other spelling: nothing else changes.
References
    bash manual, "printf %q" and "Quoting".
"""

import re

from agent.causes.cause import Cause
from agent.causes.mending import in_words, is_json, json_repairs, option_of, parameter
from probes.probe import Situation
from transcripts.records import Hypothesis, Repair


def _mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """The value with one level of escapes taken away."""
    option = option_of(hypothesis, situation)
    value = option.value if option else ""
    plain = value
    for _ in range(3):
        if is_json(plain) or "\\" not in plain:
            break
        plain = re.sub(r"\\(.)", r"\1", plain)
    if is_json(plain):
        return json_repairs(hypothesis, situation, text=plain)
    if option and plain != value:
        return (Repair(summary=f"take the backslashes out of the value of {option.name}", changes=(option.with_value(plain),)),)
    flag = parameter(hypothesis, "flag", "the option")
    return in_words(f"take the backslashes out of the value of {flag}: nothing on its way removes them")


CAUSE = Cause(
    id="quoting/over-escaped",
    prior=0.01,
    subject=("flag",),
    parameters=("value", "index", "length"),
    table={
        "error": {"converter-refused": 0.76, "json-invalid": 0.15, "invalid-value": 0.04, "unrecognised": 0.03},
        "shape": {"escaped": 0.985},
        "sent": {"consistent": 0.9999},
        "exit": {"usage": 0.9},
    },
    summary="The value of {flag} was escaped once too often: the program received {value}.",
    advice="Take one level of backslashes away: no shell reads the value any more.",
    mend=_mend,
    related=("quoting/literal-quotes", "config/invalid-json"),
)
