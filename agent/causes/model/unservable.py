"""The server comes up, and dies of the first real request.

What happens
    A kernel or a combination that only execution meets: a head size without a kernel, a feature that the model lacks.

How it shows
    Up, healthy, then the engine dies in its first step.

How to tell
    One short completion right after start-up; health alone tells nothing.

Fix
    Another backend or setting, without the feature that the traceback names.

Fix safety
    Only words: nothing is changed for you.

References
    https://docs.vllm.ai/en/latest/models/supported_models.html
"""

from agent.causes.cause import Cause

CAUSE = Cause(
    id="model/unservable",
    prior=0.01,
    table={
        "error": {
            "other": 0.15,
            "device-fault": 0.03,
            "attribute-missing": 0.05,
            "compute-capability": 0.02,
            "weights-mismatch": 0.02,
            "memory": 0.03,
            "collective": 0.02,
            "killed": 0.0005,
        },
        "phase": {"up": 0.95},
    },
    summary="The server starts, and its engine dies of the first request.",
    advice="Ask for one short completion after each start; change the backend or setting that the traceback names.",
    related=("config/incompatible",),
)
