"""The quote characters themselves arrived as data.

What happens
    An env file, a YAML list, systemd or a Python list takes quotes for part of the value: nobody removes them.
How it shows
    The value in the error starts and ends with a quote: ``Value '{"a": 1}' cannot be converted``, ``invalid choice: '"float16"'``. In a list,
    ``--opt="{…}"`` parses as a JSON *string* and fails later.
How to tell
    The argv as it arrives has the quotes in it.
Fix
    The value without them; JSON as dotted flags (vLLM since 0.9), or as one word.
Fix safety
    Only the outermost pair is taken away.
References
    docker run ``--env-file``; systemd ``EnvironmentFile``; YAML plain and quoted scalars.
"""

from agent.causes.cause import Cause
from agent.causes.mending import in_words, is_json, json_repairs, option_of, parameter, replaced
from probes.probe import Situation
from transcripts.records import Hypothesis, Repair


def _mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """The value without its outermost pair of quotes."""
    option = option_of(hypothesis, situation)
    value = option.value if option else parameter(hypothesis, "value", parameter(hypothesis, "model", ""))
    plain = _unquoted(value)
    if option and is_json(plain):
        return json_repairs(hypothesis, situation, text=plain)
    change = option.with_value(plain) if option and plain != value else replaced(situation, value, plain, hypothesis) if plain != value else None
    if change is not None:
        return (Repair(summary=f"take the quotes around {plain} away", changes=(change,), predicts="the value is read as it was meant"),)
    flag = parameter(hypothesis, "flag", "the option")
    return in_words(f"take the quotes around the value of {flag} away: where it is written down, they are part of it")


def _unquoted(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        inner = text[1:-1]
        return inner.replace('\\"', '"') if text[0] == '"' else inner
    return text


CAUSE = Cause(
    id="quoting/literal-quotes",
    prior=0.015,
    subject=("flag",),
    parameters=("value", "model", "path", "index", "length"),
    table={
        "error": {
            "converter-refused": 0.5,
            "validation": 0.1,
            "invalid-choice": 0.1,
            "json-invalid": 0.08,
            "invalid-value": 0.08,
            "repository-invalid": 0.05,
            "no-such-file": 0.03,
            "repository-not-found": 0.02,
            "unrecognised": 0.02,
            "command-not-found": 0.01,
        },
        "shape": {"quoted": 0.985},
        "sent": {"consistent": 0.9999},
        "exit": {"usage": 0.8},
    },
    summary="The quote characters are part of the value of {flag}: the program received {value}.",
    advice="Take the quotes away where the value is written down (env file, YAML, list): nothing removes them on the way.",
    mend=_mend,
    related=("quoting/over-escaped", "config/invalid-json"),
)
