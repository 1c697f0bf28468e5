"""The model cannot be split over the ranks that were asked for.

What happens
    Tensor parallelism needs a number of ranks that divides the attention heads; every rank needs a device.

How it shows
    An error that speaks of heads or layers that are not divisible, or of a world size larger than the devices there are.

How to tell
    num_attention_heads in the model's config.json, and the number of visible devices, against the product of the parallel sizes.

Fix
    A --tensor-parallel-size that divides the heads and does not exceed the devices.

Fix safety
    Only words: nothing is changed for you.

References
    https://docs.vllm.ai/en/latest/serving/parallelism_scaling.html
"""

from agent.causes import spoken
from agent.causes.cause import Cause

CAUSE = Cause(
    id="config/parallelism",
    prior=0.015,
    table={
        "topic": {"parallelism": 0.94},
        "error": {"validation": 0.4, "ranks": 0.4, "other": 0.12, "device": 0.01, "hang": 0.02},
        "phase": {"arguments": 0.15, "config": 0.32, "model": 0.32, "engine": 0.05},
    },
    summary="The model cannot be split as asked: {message}.",
    advice="Choose a number of ranks that divides the attention heads and that the machine has devices for.",
    subject=("message",),
    suggest=spoken.of(("validation", "other", "device"), r"divisible|parallel.?size|world.?size|\bheads\b", ("message",), topics=("parallelism",)),
)
