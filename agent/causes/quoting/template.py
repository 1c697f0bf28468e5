"""A template's placeholder was not rendered, or its escape was not undone.

What happens
    ``{{`` stands for one brace in Jinja, Helm or ``str.format`` templates; ``{name}`` and ``{{ name }}`` for a value; ``$$`` for ``$`` in compose.
    A text that is not rendered, or twice, arrives with them.
How it shows
    Doubled braces or a bare placeholder in the value of the error; or the orchestrator refuses its own file (``invalid interpolation format``).
How to tell
    The value holds ``{{`` or ``{name}`` in the place of a value.
Fix
    Render the template, or write the values; where only the braces are doubled, single ones.
Fix safety
    Only braces are changed; a placeholder's value is for a person to give.
References
    Docker compose, "Interpolation"; Helm templates; Python ``str.format``.
"""

from agent.causes.cause import Cause
from agent.causes.mending import in_words, is_json, json_repairs, option_of, parameter
from probes.probe import Situation
from transcripts.records import Hypothesis, Repair


def _mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """Single braces where only the escape was left over, else in words."""
    option = option_of(hypothesis, situation)
    single = (option.value if option else "").replace("{{", "{").replace("}}", "}")
    nested = single + "}" * (single.count("{") - single.count("}"))
    for text in (single, nested):
        if option and text != option.value and is_json(text):
            return json_repairs(hypothesis, situation, text=text)
    where = f"the value of {hypothesis.parameters['flag']}" if hypothesis.parameters.get("flag") else "the file"
    return in_words(
        f"render the template: {where} still holds a placeholder ({parameter(hypothesis, 'value', parameter(hypothesis, 'name'))})",
        "give every placeholder a value, and write a literal brace or dollar sign as the template engine wants it ({{ and }}, or $$ in compose)",
    )


CAUSE = Cause(
    id="quoting/template",
    prior=0.01,
    subject=("flag",),
    parameters=("value", "name", "model", "tokens", "index", "length"),
    table={
        "error": {
            "converter-refused": 0.36,
            "interpolation": 0.3,
            "invalid-value": 0.09,
            "json-invalid": 0.06,
            "repository-invalid": 0.06,
            "unrecognised": 0.05,
            "invalid-choice": 0.03,
            "no-such-file": 0.03,
            "validation": 0.01,
        },
        "shape": {"template": 0.985},
        "sent": {"consistent": 0.9999},
        "exit": {"usage": 0.7},
    },
    summary="A template was not rendered: the value of {flag} arrived as {value}.",
    advice="Render the template before the launch, give its placeholders values, and undo its escapes ({{ }}, $$).",
    mend=_mend,
    related=("quoting/unexpanded-variable",),
)
