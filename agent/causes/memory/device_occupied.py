"""Another process holds the device's memory.

What happens
    Often an engine that outlived its API server.

How it shows
    Free memory on the device is less than desired, before anything was loaded.

How to tell
    The processes on the device, and its free memory before the launch.

Fix
    End the other process, or give this one a smaller share.

Fix safety
    Never ended for you: it may be somebody else's.

References
    https://docs.vllm.ai/en/latest/usage/troubleshooting.html
"""

from agent.causes.cause import Cause

CAUSE = Cause(
    id="memory/device-occupied",
    prior=0.02,
    table={
        "error": {"memory": 0.88, "device": 0.08},
        "phase": {"engine": 0.55, "weights": 0.2, "cache": 0.2},
    },
    summary="Another process already holds memory of the device.",
    advice="List the processes on the device (nvidia-smi); end what is left of an earlier attempt yourself.",
)
