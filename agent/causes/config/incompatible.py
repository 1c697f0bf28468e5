"""Two options that are valid alone exclude each other.

What happens
    Each option is accepted by the parser; the configuration objects that are built from them refuse the combination.

How it shows
    A validation error, or a ValueError of a config class, that names two options or says that one requires, or does not work with, another.

How to tell
    The arguments were accepted (the launch got past the parser) and neither value is wrong alone; leaving out either option moves the
    failure on.

Fix
    Drop one of the two options, or add the one that is required.

Fix safety
    Only words: nothing is changed for you.

References
    https://docs.vllm.ai/en/latest/usage/compatibility_matrix.html
"""

from agent.causes import spoken
from agent.causes.cause import Cause

_WORDS = (
    r"not supported with|cannot be (?:used|combined|set)|mutually exclusive|incompatible|not compatible|conflict|together"
    r"|only (?:supported|valid|works?) (?:with|when|if)|requires? (?:--|enabl|the )"
)

CAUSE = Cause(
    id="config/incompatible",
    prior=0.02,
    table={
        "topic": {"incompatible": 0.76, "setting": 0.09, "speculative": 0.05},
        "error": {"validation": 0.8, "other": 0.1, "required-missing": 0.05},
        "phase": {"arguments": 0.15, "config": 0.32, "model": 0.32, "engine": 0.05},
    },
    summary="Two options of this launch exclude each other: {message}.",
    advice="Read which two options the message names and drop the one you need less.",
    subject=("message",),
    parameters=("class", "field"),
    suggest=spoken.of(("validation", "other"), _WORDS, ("message", "class", "field"), topics=("incompatible",)),
)
