"""A tool, header or library that compiles kernels at start-up is missing or does not fit.

What happens
    Inductor, Triton, FlashInfer, DeepGEMM and others compile while the server starts: they need a compiler, Python.h, nvcc and ninja, of
    fitting releases, and can exhaust the machine.

How it shows
    nvcc: not found, Python.h: No such file, no working C++ compiler, cannot find -lcuda, ninja: build stopped; usually in a worker, after
    the weights.

How to tell
    Whether the tool that is named is on PATH for the server, and CUDA_HOME; above ninja: build stopped, the first compiler error.

Fix
    Install the compiler, the headers (python3-dev) or the toolkit; or switch off what compiles (--enforce-eager, another attention
    backend).

Fix safety
    Only words: nothing is changed for you.

References
    https://docs.vllm.ai/en/latest/getting_started/installation/gpu/
"""

from agent.causes.cause import Cause

CAUSE = Cause(
    id="environment/toolchain",
    prior=0.02,
    table={
        "error": {"toolchain": 0.88, "command-not-found": 0.01, "no-such-file": 0.01},
        "phase": {"cache": 0.4, "weights": 0.18, "engine": 0.18},
    },
    summary="Something that kernels are compiled with is missing or does not fit: {message}.",
    advice="Install what the message names (compiler, python3-dev, CUDA toolkit, ninja) where the server runs; "
    "or try --enforce-eager or another backend.",
    parameters=("message", "tool", "header", "library"),
    related=("environment/library", "memory/host"),
)
