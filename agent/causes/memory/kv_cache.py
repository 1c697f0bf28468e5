"""Too little memory is left for the key-value cache.

What happens
    After weights and activations, the cache cannot hold one sequence of the length that was asked for.

How it shows
    An error that speaks of cache blocks or of the KV cache, after the weights were loaded.

How to tell
    The phase: weights are loaded, the cache is not.

Fix
    Lower --max-model-len.

Fix safety
    Only words: nothing is changed for you.

References
    https://docs.vllm.ai/en/latest/configuration/conserving_memory.html
"""

from agent.causes.cause import Cause

CAUSE = Cause(
    id="memory/kv-cache",
    prior=0.025,
    table={
        "error": {"memory": 0.9, "validation": 0.05},
        "phase": {"cache": 0.8, "engine": 0.15},
    },
    summary="Too little memory is left for the key-value cache.",
    advice="Lower --max-model-len, or raise the memory that the server may use.",
)
