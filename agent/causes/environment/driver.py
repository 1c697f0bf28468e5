"""The device driver is too old, or at odds with its own libraries.

What happens
    The CUDA runtime of the install asks for a newer driver than the host has; or a compatibility library, a half-done update or a missing
    container toolkit puts another libcuda before the driver's own.

How it shows
    Error 803 or 804, driver version is insufficient, unsupported toolchain for PTX, driver/library version mismatch, unsatisfied
    condition: cuda>=….

How to tell
    The driver's release and CUDA version in nvidia-smi against the CUDA that torch was built for; which libcuda.so.1 the loader finds
    first.

Fix
    A newer driver on the host, an install for an older CUDA, or the loader's order put right.

Fix safety
    Only words: nothing is changed for you.

References
    https://docs.nvidia.com/deploy/cuda-compatibility/
"""

from agent.causes.cause import Cause

CAUSE = Cause(
    id="environment/driver",
    prior=0.02,
    table={
        "error": {"driver": 0.62, "driver-absent": 0.2, "device": 0.04, "device-fault": 0.015},
        "accelerator": {"failed": 0.55, "free": 0.4},
    },
    summary="The device driver does not fit this install: {message}.",
    advice="Compare nvidia-smi (driver, CUDA version) with torch.version.cuda; "
    "update the driver, or take a build for an older CUDA; a compat libcuda must not come before the driver's own.",
    parameters=("message", "library"),
    related=("environment/no-device",),
)
