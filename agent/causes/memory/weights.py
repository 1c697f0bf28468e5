"""The weights do not fit into the device's memory.

What happens
    Parameters times bytes per parameter exceed what one device has.

How it shows
    Out of memory while weights are loaded: frames of the loader above it, or the phase.

How to tell
    The size of the checkpoint against the device's free memory.

Fix
    A quantised checkpoint, or more devices.

Fix safety
    Only words: nothing is changed for you.

References
    https://docs.vllm.ai/en/latest/configuration/conserving_memory.html
"""

from agent.causes.cause import Cause

CAUSE = Cause(
    id="memory/weights",
    prior=0.025,
    table={
        "accelerator": {"free": 0.9, "occupied": 0.05},
        "error": {"memory": 0.82, "cache-memory": 0.08, "free-memory": 0.02, "host-memory": 0.02, "killed": 0.01},
        "memory-of": {"weights": 0.9, "share": 0.02, "others": 0.02, "capture": 0.03},
    },
    summary="The model's weights do not fit into the device's memory.",
    advice="Use a smaller or quantised model, or more devices (--tensor-parallel-size).",
)
