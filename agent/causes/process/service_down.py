"""A service that the launch needs does not answer.

What happens
    A database, a Redis, the first rank of a distributed launch.

How it shows
    A connection refused, or a wait without end in a distributed start.

How to tell
    A connection to the address from the same machine.

Fix
    Start the service, or correct its address.

Fix safety
    Only words: nothing is changed for you.

References
    https://docs.vllm.ai/en/latest/serving/parallelism_scaling.html
"""

from agent.causes import spoken
from agent.causes.cause import Cause

CAUSE = Cause(
    id="process/service-down",
    prior=0.025,
    table={
        "error": {"service": 0.7, "hang": 0.2, "collective": 0.02, "offline": 0.02, "other": 0.02, "none": 0.01},
        "phase": {"engine": 0.38, "server": 0.24, "config": 0.14},
    },
    summary="A service that the launch needs (database, cache, another rank) does not answer.",
    advice="Check that it runs and can be reached from here, then start again.",
    subject=("message",),
    suggest=spoken.of(("other",), r"connection refused|can.t reach|timed? ?out|unreachable|name or service not known|connect", ("message",)),
)
