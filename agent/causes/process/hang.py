"""The server neither starts nor ends: no new phase and no progress for a long time.

What happens
    It waits for something that does not come (a peer, a download, a lock), or works in silence (a compilation), or a value made it wait for ever.

How it shows
    The log stops, and the process lives. CPU use tells a wait from work, not a hang from a start: a retry loop burns CPU for ever.

How to tell
    The last phase reached, and what the process waits for (its stack, its connections).

Fix
    By phase: see the steps.

Fix safety
    Only words; the process that hung has been ended by whoever watched it.

References
    https://docs.vllm.ai/en/latest/usage/troubleshooting.html#hangs-downloading-a-model
"""

from agent.causes.cause import Cause
from agent.causes.mending import in_words
from probes.probe import Situation
from transcripts.records import Hypothesis, Repair

BY_PHASE = {
    "none": "it hung before its first line: look at imports from a slow disk, or a wrapper that waits (strace -f -p PID)",
    "arguments": "it hung right after its arguments: look for a value that makes it wait (a negative count, another node's rank)",
    "config": "it hung while reading the model's configuration: the hub may be out of reach (try HF_HUB_OFFLINE=1, or a local folder)",
    "model": "it hung while fetching the model: watch the cache folder grow (du -sh), check proxy and network",
    "weights": "it hung while loading weights: watch the disk (iostat); a network file system may be the limit",
    "engine": "it hung while the workers find each other: check addresses and interfaces (VLLM_HOST_IP, GLOO_SOCKET_IFNAME, NCCL_DEBUG=INFO)",
    "cache": "it hung while profiling or compiling: try --enforce-eager once to tell compilation from the rest",
    "server": "it hung after the engine was ready: check the address it listens on, and callbacks or databases of the configuration",
}
"""What to look at first, by the last phase reached."""


def mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """What to look at for the phase in which it hung."""
    phase = hypothesis.parameters.get("phase") or (situation.symptom.phase if situation.symptom else "")
    first = BY_PHASE.get(phase, "see what the process waits for: py-spy dump --pid PID, or strace -f -p PID")
    return in_words(f"it hung in the phase {phase or 'not known'}", first, "give it more time if it does progress: --hang SECONDS")


CAUSE = Cause(
    id="process/hang",
    prior=0.03,
    table={
        "error": {"hang": 0.98},
        "exit": {"terminated": 0.3, "killed": 0.3},
    },
    summary="The server hangs: no progress in the phase {phase}.",
    advice="Look at what it waits for in its last phase.",
    subject=(),
    parameters=("phase",),
    mend=mend,
    related=("process/service-down", "environment/collective"),
)
