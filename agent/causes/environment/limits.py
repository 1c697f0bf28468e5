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

from agent.causes import spoken
from agent.causes.cause import Cause

_WORDS = (
    r"Errno 24|too many open files|can't start new thread"
    r"|pthread_create|resource temporarily unavailable|RLIMIT|memlock"
)

CAUSE = Cause(
    id="environment/limits",
    prior=0.025,
    table={
        "error": {"other": 0.93, "memory": 0.03, "killed": 0.01},
    },
    summary="A limit of this process (open files, threads, locked memory) is too low.",
    advice="Raise the limit (ulimit -n, ulimit -u, ulimit -l) before the server starts.",
    subject=("message",),
    suggest=spoken.of(
        ("other",),
        _WORDS,
        ("message",),
    ),
)
