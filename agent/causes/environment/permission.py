"""The user that runs the server may not read or write a file or folder.

What happens
    A random user id without a home, a read-only mount, a model that belongs to root.

How it shows
    PermissionError or a read-only file system, often deep in a worker and about a cache folder that nobody named.

How to tell
    Whether that user can open the path; where HOME and the cache variables point.

Fix
    Change the mode or owner of the path, or point the cache elsewhere.

Fix safety
    Only words: nothing is changed for you.

References
    https://docs.python.org/3/library/exceptions.html#PermissionError
"""

from agent.causes.cause import Cause

CAUSE = Cause(
    id="environment/permission",
    prior=0.025,
    table={
        "error": {"permission-denied": 0.86, "read-only": 0.07, "exec-refused": 0.03, "other": 0.01},
        "file": {"denied": 0.93, "present": 0.05},
        "command": {"denied": 0.3, "found": 0.65},
    },
    summary="The server may not read or write {path}.",
    advice="Make {path} readable (or writable) for the user that runs the server, or point HOME, HF_HOME and VLLM_CACHE_ROOT to a writable folder.",
    subject=("path",),
)
