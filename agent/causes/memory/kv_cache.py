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
        "accelerator": {"free": 0.9, "occupied": 0.05},
        "error": {"cache-memory": 0.75, "memory": 0.17, "free-memory": 0.02, "validation": 0.03},
        "memory-of": {"cache": 0.85, "capture": 0.08, "weights": 0.02, "others": 0.03},
    },
    summary="Too little memory is left for the key-value cache.",
    advice="Lower --max-model-len, or raise the memory that the server may use.",
)
