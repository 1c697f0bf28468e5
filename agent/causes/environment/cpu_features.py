"""The processor lacks instructions that the build uses.

What happens
    A build for AVX-512 (or AVX2, AMX) runs on a machine, or in a virtual machine, without it.

How it shows
    SIGILL: exit 132 or -4, Illegal instruction, or a trap in the kernel's log and nothing in the program's own; or words that ask for AVX.

How to tell
    The flags in /proc/cpuinfo against those that the build was made for.

Fix
    A machine that has them, or a build without.

Fix safety
    Only words: nothing is changed for you.

References
    https://docs.vllm.ai/en/latest/getting_started/installation/cpu/
"""

from agent.causes import spoken
from agent.causes.cause import Cause

CAUSE = Cause(
    id="environment/cpu-features",
    prior=0.01,
    table={
        "error": {"killed": 0.6, "cpu-features": 0.3},
        "exit": {"illegal": 0.93, "crashed": 0.02},
    },
    summary="The processor lacks instructions that this build uses ({signal}).",
    advice="Look for avx512f (or what the message names) in /proc/cpuinfo; use another machine, or build for this one.",
    subject=("signal",),
    suggest=spoken.signalled(("SIGILL",)),
)
