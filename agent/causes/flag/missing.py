"""The launch needs a flag that it does not give.

What happens
    One setting asks for another (``--enable-auto-tool-choice`` for ``--tool-call-parser``), or the model itself is not named.
How it shows
    ``the following arguments are required``, ``… requires --tool-call-parser``.
How to tell
    The message names what is missing, and the argv does not have it.
Fix
    Give it. Where one value is right for every launch it is put in; else a person must choose.
Fix safety
    Only what is sure to be meant is added.
References
    vLLM ``validate_parsed_serve_args``.
"""

from agent.causes.cause import Cause
from agent.causes.mending import in_words, parameter
from agent.causes.spoken import of
from probes.probe import Situation
from transcripts.records import Hypothesis, Repair


def _mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """What to add, in words: its value is a person's choice."""
    flag = parameter(hypothesis, "flag", "what is missing")
    known = situation.table.find(flag) if situation.table else None
    choices = f" (one of {', '.join(known.choices[:12])})" if known and known.choices else ""
    return in_words(f"add {flag}{choices}", f"the launch needs {flag} with a value that suits the model{choices}")


CAUSE = Cause(
    id="flag/missing",
    prior=0.02,
    subject=("flag", "message"),
    parameters=("field",),
    table={
        # A converter runs for a flag that was given; this one was not.
        "error": {"required-missing": 0.88, "validation": 0.08, "invalid-value": 0.039999},
        "shape": {"intact": 0.6},
        "registered": {"yes": 0.97},
        "sent": {"consistent": 0.9999},
        "exit": {"usage": 0.6, "failure": 0.35},
    },
    summary="The launch needs {flag} and does not give it.",
    advice="Add what the message names.",
    suggest=of(("validation", "invalid-value"), r"require[sd]? |must be (set|given|specified|provided)|without ", ("flag", "field")),
    mend=_mend,
    related=("config/credentials", "model/remote-code"),
)
