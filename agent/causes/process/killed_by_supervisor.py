"""A supervisor ended the server while it was starting.

What happens
    A liveness probe, a start timeout or a scheduler gives up before the model is loaded.

How it shows
    SIGTERM (exit 143 or -15) or SIGKILL (137, -9), with no error of the server's own; dead-engine lines after it are echo.

How to tell
    The supervisor's events. The status alone does not tell SIGKILL from the kernel's OOM killer.

Fix
    A start-up probe with more time.

Fix safety
    Only words: nothing is changed for you.

References
    https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/
"""

from agent.causes import spoken
from agent.causes.cause import Cause

CAUSE = Cause(
    id="process/killed-by-supervisor",
    prior=0.02,
    table={
        "error": {"killed": 0.8, "none": 0.09, "hang": 0.02},
        "supervisor": {"probed": 0.4, "killed": 0.35, "evicted": 0.1, "killed-limited": 0.1, "exited": 0.04, "oom-killed": 0.001},
        "kernel": {"oom-kill": 0.02, "quiet": 0.95},
        "exit": {"terminated": 0.7, "killed": 0.25},
    },
    summary="Somebody ended the server from outside ({signal}): a probe that gave up, a time limit, or a person.",
    advice="Ask the supervisor (kubectl describe, systemctl status, the scheduler) why it stopped it; give start-up more time.",
    subject=("signal",),
    suggest=spoken.signalled(("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP")),
    related=("memory/host",),
)
