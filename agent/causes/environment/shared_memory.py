"""The shared memory of the container is too small.

What happens
    Ranks exchange tensors through /dev/shm; a container gets 64 MiB of it unless told otherwise.

How it shows
    Error while creating shared memory segment, Bus error, No space left on device about /dev/shm; NCCL says only unhandled system error
    without NCCL_DEBUG=INFO.

How to tell
    df /dev/shm in the container.

Fix
    --shm-size 16g or --ipc=host (Kubernetes: an emptyDir of medium Memory at /dev/shm).

Fix safety
    Only words: nothing is changed for you.

References
    https://docs.vllm.ai/en/latest/deployment/docker.html
"""

from agent.causes import spoken
from agent.causes.cause import Cause

CAUSE = Cause(
    id="environment/shared-memory",
    prior=0.015,
    table={
        "exit": {"bus": 0.3, "failure": 0.5},
        "error": {"shared-memory": 0.56, "killed": 0.22, "collective": 0.12, "disk-full": 0.03},
        "space": {"small-shm": 0.85, "enough": 0.1},
    },
    summary="The shared memory (/dev/shm) that the ranks need is too small.",
    advice="Start the container with --shm-size 16g or --ipc=host; in Kubernetes mount an emptyDir with medium: Memory at /dev/shm.",
    subject=("signal",),
    parameters=("path",),
    suggest=spoken.signalled(("SIGBUS",)),
    related=("environment/collective",),
)
