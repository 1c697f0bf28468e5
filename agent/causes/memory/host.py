"""The kernel killed a process for want of main memory.

What happens
    Weights, the cache or a compilation need more than the machine or its memory limit has.

How it shows
    Exit 137 or -9, or a worker with exit code -9, and no line of its own; what surrounds it is echo.

How to tell
    The kernel's log (oom-kill), or oom_kill in memory.events of the cgroup. The status alone does not tell it from a supervisor's SIGKILL,
    and a container runtime that says OOMKilled is right, but one that does not say so may have missed it (exit 137 under a memory limit).

Fix
    A larger limit, a smaller model or cache, fewer compile jobs.

Fix safety
    Only words: nothing is changed for you.

References
    https://docs.kernel.org/admin-guide/cgroup-v2.html#memory
"""

from agent.causes import spoken
from agent.causes.cause import Cause

CAUSE = Cause(
    id="memory/host",
    prior=0.02,
    table={
        "error": {"killed": 0.6, "host-memory": 0.2, "none": 0.13, "toolchain": 0.03, "memory": 0.01},
        "supervisor": {"oom-killed": 0.6, "killed-limited": 0.25, "killed": 0.07, "probed": 0.03, "exited": 0.02},
        "kernel": {"oom-kill": 0.86, "quiet": 0.1},
        "exit": {"killed": 0.93, "terminated": 0.01},
        "phase": {"weights": 0.36, "engine": 0.27, "cache": 0.13},
    },
    summary="The process was killed, probably by the kernel for want of memory.",
    advice="Look in dmesg or the memory cgroup for an OOM kill; give it more memory, or load less.",
    subject=("signal",),
    suggest=spoken.signalled(("SIGKILL",)),
)
