"""A key or secret that the launch needs is not set.

What happens
    The server refuses to start without a key of its own (the LiteLLM proxy without a master key), or needs one for a service it uses.

How it shows
    UnsafeMasterKeyError: no master key is set; or an error that asks for an environment variable by name.

How to tell
    Whether the variable is set in the environment that the server gets (its name, never its value), and whether the configuration sets it.

Fix
    A fresh random key for this launch, given through the environment.

Fix safety
    The key is made at launch and never written down. The switches that allow a weak or missing key are never used: they call themselves dangerous.

References
    https://docs.litellm.ai/docs/proxy/virtual_keys
"""

import re

from agent.causes.cause import Cause
from agent.causes.mending import in_words, parameter
from probes.probe import Situation
from transcripts.records import Change, Hypothesis, Repair

MADE = frozenset({"LITELLM_MASTER_KEY", "LITELLM_SALT_KEY"})
"""The secrets that are the server's own to choose, so that a fresh random one serves."""


def variable(name: str) -> str:
    """The environment variable that a parameter names, in whatever way the error writes it (``master_key``, ``os.environ/X``)."""
    bare = name.rpartition("/")[2].strip("'\"` ")
    upper = re.sub(r"\W+", "_", bare).upper()
    return {"MASTER_KEY": "LITELLM_MASTER_KEY", "SALT_KEY": "LITELLM_SALT_KEY"}.get(upper.removeprefix("GENERAL_SETTINGS_"), upper)


def mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """A fresh key where the secret is the server's own; otherwise words."""
    name = variable(hypothesis.parameters.get("name", ""))
    if not name and situation.framework is not None and situation.framework.name == "litellm":
        name = "LITELLM_MASTER_KEY"
    if name not in MADE:
        shown = name or parameter(hypothesis, "name", "the secret that the error names")
        return in_words(f"set {shown} in the server's environment before it starts")
    return (
        Repair(
            summary=f"set {name} to a fresh random key",
            changes=(Change(env={name: f"${name}"}),),
            generated=(name,),
            predicts="the server starts and answers requests that carry this key",
        ),
    )


CAUSE = Cause(
    id="config/credentials",
    prior=0.035,
    table={
        "error": {"credentials-missing": 0.95, "service": 0.02, "other": 0.01},
        "credentials": {"unset": 0.97},
        "phase": {"arguments": 0.05, "config": 0.25, "model": 0.35, "server": 0.3},
    },
    summary="A secret that the launch needs is not set: {name}",
    advice="Set it in the environment of the server; never in the command line, and never with the switch that allows a missing one.",
    subject=("name",),
    mend=mend,
)
