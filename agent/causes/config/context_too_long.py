"""The launch asks for a longer context than the model, or the cache, can hold.

What happens
    --max-model-len is larger than the positions that the model was made for.

How it shows
    A validation error that names max_model_len and the derived maximum; the advice it prints (an environment variable that allows it) leads
    to wrong output or a crash later.

How to tell
    max_position_embeddings in the model's config.json against --max-model-len.

Fix
    Lower --max-model-len, or leave it out: the model's own maximum is the default.

Fix safety
    Never set the variable that overrides the check: it starts and then answers wrongly or dies.

References
    https://docs.vllm.ai/en/latest/configuration/conserving_memory.html
"""

from agent.causes import spoken
from agent.causes.cause import Cause

CAUSE = Cause(
    id="config/context-too-long",
    prior=0.025,
    table={
        "topic": {"context": 0.85, "incompatible": 0.02},
        "error": {"validation": 0.7, "cache-memory": 0.07, "other": 0.08},
        "phase": {"config": 0.36, "model": 0.32, "cache": 0.08},
    },
    summary="The launch asks for a longer context than the model has: {message}.",
    advice="Lower --max-model-len to what the model's config.json gives (max_position_embeddings), or leave it out.",
    subject=("message",),
    suggest=spoken.of(
        ("validation", "other"),
        r"max_model_len|max(?:imum)? (?:model|seq(?:uence)?|context) len|context.?length|max_position_embeddings|longer than",
        ("message",),
        topics=("context",),
    ),
)
