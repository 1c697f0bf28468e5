"""The settings of speculative decoding do not fit the method, or the draft does not fit the target.

What happens
    The JSON arrives whole and its keys are known; what is missing or does not match is found when the speculative config is built or the
    draft is loaded.

How it shows
    A validation error of the speculative config, or an error that speaks of the draft model.

How to tell
    The launch got past the parser; the message names the speculative config.

Fix
    Add the missing key, or take a draft with the target's vocabulary.

Fix safety
    Only words: nothing is changed for you.

References
    https://docs.vllm.ai/en/latest/features/spec_decode.html
"""

from agent.causes import spoken
from agent.causes.cause import Cause

CAUSE = Cause(
    id="config/speculative",
    prior=0.02,
    table={
        "topic": {"speculative": 0.94},
        "error": {"validation": 0.75, "other": 0.15, "unexpected-key": 0.03},
        "phase": {"arguments": 0.15, "config": 0.32, "model": 0.32, "engine": 0.05},
    },
    summary="The speculative decoding settings do not fit: {message}.",
    advice="Give every key the method needs (num_speculative_tokens at least), and a draft model made for this target.",
    subject=("message",),
    parameters=("class", "field"),
    suggest=spoken.of(
        ("validation", "other"), r"speculativ|\bdraft\b|n_predict|eagle|medusa", ("message", "class", "field"), topics=("speculative",)
    ),
)
