"""Another process already listens on the port.

What happens
    An earlier attempt still runs, or another service has the port.

How it shows
    Errno 98, address already in use, before or after the model is loaded. SGLang says so and then stays, busy and silent.

How to tell
    Which process listens on the port that the launch wants.

Fix
    The next free port. Whoever holds the port is named.

Fix safety
    Nobody is ended: the holder may be somebody else's server. Clients must be told the new port.

References
    man 2 bind: EADDRINUSE
"""

from agent.causes.cause import Cause
from agent.causes.mending import in_words, options, parameter
from agent.causes.seen import known
from probes.probe import Situation
from transcripts.records import Change, Hypothesis, Repair


def mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """The next free port, where one is known; otherwise words."""
    port = parameter(hypothesis, "port", "")
    pid, command = hypothesis.parameters.get("pid", ""), hypothesis.parameters.get("holder", "")
    owner = f"process {pid} ({command})" if pid else ""
    free = hypothesis.parameters.get("free") or known(situation, "port-owner", "free")
    held = f"port {port or '…'} is held by {owner or 'another process'}"
    end = f"or end that process yourself, if it is yours (who it is: ss -ltnp 'sport = :{port or 'PORT'}')"
    if not free or not situation.arrival.argv:
        return in_words(held, "give another port with --port", end)
    change = _setting(situation, str(free))
    return (Repair(summary=f"listen on port {free}: {held}", changes=(change,), steps=(end,), predicts=f"the server listens on {free}"),)


def _setting(situation: Situation, port: str) -> Change:
    flags = situation.framework.port_flags if situation.framework else ("--port",)
    given = [option for flag in flags for option in options(situation, flag) if option.value or option.inline]
    if given:
        return given[-1].with_value(port)
    end = len(situation.arrival.argv)
    return Change(start=end, stop=end, words=(flags[0], port))


CAUSE = Cause(
    id="process/port-in-use",
    prior=0.035,
    table={
        "error": {"address-in-use": 0.98},
        "port": {"taken": 0.97},
        "phase": {"none": 0.02, "arguments": 0.15, "config": 0.3, "model": 0.05, "engine": 0.05, "server": 0.4},
    },
    summary="Port {port} is already in use.",
    advice="Choose another port, or end the process that holds it, if it is yours.",
    subject=("port",),
    parameters=("pid", "holder", "address", "free"),
    mend=mend,
    related=("process/shadowed",),
)
