"""Another process holds the device's memory.

What happens
    Often an engine that outlived its API server.

How it shows
    Free memory on the device is less than desired, before anything was loaded; or an allocator's message whose numbers leave most to others.

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
        "error": {"free-memory": 0.42, "memory": 0.3, "cache-memory": 0.12, "device": 0.03, "device-fault": 0.02},
        "memory-of": {"others": 0.82, "share": 0.01, "weights": 0.08, "cache": 0.05, "capture": 0.03},
        "accelerator": {"occupied": 0.85, "free": 0.05},
    },
    summary="Another process already holds memory of the device.",
    advice="List the processes on the device (nvidia-smi); end what is left of an earlier attempt yourself.",
)
