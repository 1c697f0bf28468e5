"""The weights do not fit into the device's memory.

What happens
    Parameters times bytes per parameter exceed what one device has.

How it shows
    Out of memory while weights are loaded.

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
        "error": {"memory": 0.93, "killed": 0.02},
        "phase": {"weights": 0.8, "model": 0.1, "engine": 0.07},
    },
    summary="The model's weights do not fit into the device's memory.",
    advice="Use a smaller or quantised model, or more devices (--tensor-parallel-size).",
)
