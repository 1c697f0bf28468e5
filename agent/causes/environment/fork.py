"""CUDA was used before a process was forked.

What happens
    A worker is forked from a process that has already initialised CUDA; CUDA does not survive a fork. Or workers are spawned from a script
    without a main guard.

How it shows
    Cannot re-initialize CUDA in forked subprocess; or: before the current process has finished its bootstrapping phase.

How to tell
    Whether the program that starts the server touches CUDA first, and VLLM_WORKER_MULTIPROC_METHOD.

Fix
    VLLM_WORKER_MULTIPROC_METHOD=spawn, and in a script everything under if __name__ == '__main__':.

Fix safety
    Only words: nothing is changed for you.

References
    https://docs.vllm.ai/en/latest/design/multiprocessing.html
"""

from agent.causes.cause import Cause

CAUSE = Cause(
    id="environment/fork",
    prior=0.015,
    table={
        "error": {"fork": 0.95},
    },
    summary="CUDA was initialised before the workers were forked.",
    advice="Set VLLM_WORKER_MULTIPROC_METHOD=spawn (in a script, with a main guard), and touch no CUDA before the engine starts.",
)
