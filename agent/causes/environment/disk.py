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

from agent.causes import spoken
from agent.causes.cause import Cause

CAUSE = Cause(
    id="environment/disk",
    prior=0.025,
    table={
        "error": {"other": 0.9, "permission-denied": 0.05, "no-such-file": 0.01, "memory": 0.01},
    },
    summary="The disk under the cache or temporary folder is full or read-only.",
    advice="Free space, or point TMPDIR and the cache folders to a disk with room.",
    subject=("message",),
    suggest=spoken.of(("other",), r"Errno 28|no space left|Errno 30|read-only file system", ("message",)),
)
