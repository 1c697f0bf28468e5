"""No accelerator is visible to the process.

What happens
    The container was started without devices, the driver is not loaded, or the build is for another kind of device.

How it shows
    Failed to infer device type, No CUDA GPUs are available, Device string must not be empty.

How to tell
    What the device tool (nvidia-smi) says inside the same container or environment.

Fix
    Give the container its devices, or install the build for the device there is.

Fix safety
    Only words: nothing is changed for you.

References
    https://docs.vllm.ai/en/latest/getting_started/installation/
"""

from agent.causes.cause import Cause

CAUSE = Cause(
    id="environment/no-device",
    prior=0.025,
    table={
        "error": {"device": 0.7, "driver-absent": 0.2, "validation": 0.02, "hang": 0.02, "ranks": 0.008},
        "phase": {"arguments": 0.17, "config": 0.34, "engine": 0.25},
        "accelerator": {"none": 0.8, "failed": 0.1},
    },
    summary="No device that this framework can use is visible to the process.",
    advice="Run it where a GPU is visible (nvidia-smi inside the same container), or use the build for CPU.",
    related=("environment/driver",),
)
