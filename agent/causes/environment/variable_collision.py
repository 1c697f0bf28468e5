"""A variable that is meant for something else is read by the framework.

What happens
    Kubernetes sets VLLM_PORT=tcp://… for a Service called vllm; a shell sets a name for its own purpose; the framework takes it for its own
    setting.

How it shows
    A ValueError about a value that nobody typed (tcp://10.0.0.12:8000), in a config object that does not mention the variable.

How to tell
    The names and values of the variables that the framework reads, in the environment that the process gets.

Fix
    Unset the variable for this launch; for good, rename the Service or set enableServiceLinks to false.

Fix safety
    Removes one variable from the server's environment only.

References
    https://docs.vllm.ai/en/latest/configuration/env_vars.html
"""

import re

from agent.causes.cause import Cause, Parameters
from agent.causes.mending import in_words
from agent.causes.spoken import ELSEWHERE
from probes.probe import Situation
from transcripts.records import Change, Hypothesis, Repair, Sign

_NAME = re.compile(r"\W*(?:[Ee]nvironment variable )?([A-Z][A-Z0-9]+_[A-Z0-9_]+)\b")
"""A message that begins with a variable's name is about it; one that only ends with the advice to set some variable is not."""


def suggest(signs: tuple[Sign, ...]) -> list[Parameters]:
    """The variable that was seen to collide; without such a look, the one that the error names: an error that names none is another matter."""
    looked = [sign.parameters for sign in signs if sign.variable == "environment" and sign.parameters.get("name")]
    if looked:
        return [{name: item[name] for name in ("name", "value") if name in item} for item in looked]
    found: list[Parameters] = []
    for sign in signs:
        message = sign.parameters.get("message", "")
        if sign.variable == "error" and message:
            named = _NAME.match(sign.parameters.get("field", "")) or _NAME.match(message)
            found.append({"message": message, "name": named.group(1)} if named else {"message": ELSEWHERE})
    return found or [{}]


def mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """The variable unset for this launch, or words where nobody knows which one it is."""
    name = hypothesis.parameters.get("name", "")
    if not name:
        return in_words("look through the environment for variables that the framework reads (VLLM_…) and that were meant for something else")
    return (
        Repair(
            summary=f"start without {name} in the environment",
            changes=(Change(unset=(name,)),),
            steps=(f"for good: do not set {name} for this process (in Kubernetes: enableServiceLinks: false, or another name for the Service)",),
            predicts=f"the server starts with its own default in place of {name}",
        ),
    )


CAUSE = Cause(
    id="environment/variable-collision",
    prior=0.02,
    table={
        "topic": {"variable": 0.96},
        "error": {"validation": 0.5, "invalid-value": 0.05, "other": 0.35, "address-in-use": 0.02},
        "environment": {"collision": 0.95, "clean": 0.03},
    },
    summary="The environment variable {name} is meant for something else, and the framework reads it.",
    advice="Unset {name} for the server, or set it to what the framework expects.",
    subject=("name", "message"),
    parameters=("value",),
    suggest=suggest,
    mend=mend,
)
