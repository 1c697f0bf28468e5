"""Memory ends after the weights: while profiling, warming up or capturing graphs.

What happens
    Activations of the largest batch, sampler or graph buffers need more than what weights and cache leave.

How it shows
    Out of memory with frames of profiling, warm-up or capture above it, after the weights were loaded.

How to tell
    The frames, and the phase: the weights are loaded.

Fix
    Fewer sequences or tokens at once (--max-num-seqs, --max-num-batched-tokens), a smaller memory share, or --enforce-eager.

Fix safety
    Only words: nothing is changed for you.

References
    https://docs.vllm.ai/en/latest/configuration/conserving_memory.html
"""

from agent.causes.cause import Cause

CAUSE = Cause(
    id="memory/capture",
    prior=0.015,
    table={
        "accelerator": {"free": 0.9, "occupied": 0.05},
        "error": {"memory": 0.86, "cache-memory": 0.04, "device-fault": 0.03},
        "memory-of": {"capture": 0.9, "cache": 0.03, "others": 0.02, "weights": 0.02},
    },
    summary="The device's memory ended after the weights, while profiling, warming up or capturing graphs.",
    advice="Lower --max-num-seqs or --max-num-batched-tokens, lower --gpu-memory-utilization a little, or try --enforce-eager.",
    related=("memory/weights", "memory/device-occupied"),
)
