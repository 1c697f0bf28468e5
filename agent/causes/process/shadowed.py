"""An older server still answers where this one should.

What happens
    The new server did not start, or listens elsewhere, and requests reach one of an earlier attempt: what it answers says nothing about
    this launch.

How it shows
    It seems up, with another model or other settings than asked for; the port was taken before the launch.

How to tell
    Who holds the port, and since when, against the process that was started.

Fix
    End the older server yourself, or use another port.

Fix safety
    Never ended for you: it may be somebody else's.

References
    https://man7.org/linux/man-pages/man7/socket.7.html
"""

from agent.causes.cause import Cause

CAUSE = Cause(
    id="process/shadowed",
    prior=0.01,
    table={
        "error": {"up": 0.03, "none": 0.06, "address-in-use": 0.02, "hang": 0.02},
        "port": {"taken": 0.95, "free": 0.01},
    },
    summary="An older server on port {port} answers in place of this one.",
    advice="Find who listens there (ss -ltnp), end it yourself, or use another port.",
    subject=("port",),
    related=("process/port-in-use", "process/stale-observation"),
)
