"""A limit of the process is too low.

What happens
    The server needs thousands of open files and threads; the shell or the container allows fewer.

How it shows
    Errno 24, or 'can't start new thread', in a worker. The warning about ulimit near the top of most logs is no sign of it.

How to tell
    ulimit -a in the shell that starts the server.

Fix
    Raise the limit for the server's shell or container.

Fix safety
    Only words: nothing is changed for you.

References
    man 2 setrlimit
"""

from agent.causes.cause import Cause

CAUSE = Cause(
    id="environment/limits",
    prior=0.025,
    table={
        "error": {"limit": 0.93, "permission-denied": 0.01, "memory": 0.005, "killed": 0.01},
        "limits": {"low": 0.85, "enough": 0.1},
    },
    summary="A limit of this process (open files, threads, locked memory) is too low: {limit}.",
    advice="Raise the limit (ulimit -n, ulimit -u, ulimit -l) before the server starts.",
    parameters=("limit",),
)
