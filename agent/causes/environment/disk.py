"""A disk is full, or cannot be written.

What happens
    Compilation caches, temporary files and downloads fill the folder they lie in, or that folder is mounted read-only.

How it shows
    Errno 28 or Errno 30 in a worker, with several caches tried one after the other.

How to tell
    df on TMPDIR and on the cache folders.

Fix
    Free space, or set TMPDIR, HF_HOME and VLLM_CACHE_ROOT to a disk with room.

Fix safety
    Only words: nothing is changed for you.

References
    man 3 errno: ENOSPC, EROFS
"""

from agent.causes.cause import Cause

CAUSE = Cause(
    id="environment/disk",
    prior=0.025,
    table={
        "error": {
            "disk-full": 0.75,
            "read-only": 0.15,
            "permission-denied": 0.03,
            "no-such-file": 0.01,
            "corrupt-weights": 0.01,
            "shared-memory": 0.01,
        },
        "space": {"full": 0.75, "read-only": 0.15, "small-shm": 0.01},
    },
    summary="The disk under the cache or temporary folder is full or read-only.",
    advice="Free space, or point TMPDIR and the cache folders to a disk with room.",
    parameters=("path",),
)
