"""The model brings code of its own.

What happens
    Its config.json names Python files in the repository; they run only when that is allowed, and import what they like.

How it shows
    An error that speaks of custom code or trust_remote_code.

How to tell
    auto_map in the model's config.json.

Fix
    Read the code, then decide whether to allow it.

Fix safety
    Never allowed for you: it runs foreign code with your rights.

References
    https://huggingface.co/docs/transformers/custom_models
"""

from agent.causes import spoken
from agent.causes.cause import Cause

CAUSE = Cause(
    id="model/remote-code",
    prior=0.02,
    table={
        "error": {"remote-code": 0.8, "validation": 0.1, "missing-module": 0.02, "import-name": 0.03, "other": 0.01},
        "phase": {"config": 0.56, "model": 0.2},
    },
    summary="The model brings code of its own, which was not allowed to run.",
    advice="Read that code first; only if you trust it, add --trust-remote-code yourself.",
    subject=("message",),
    suggest=spoken.of(("validation", "other"), r"custom code|trust.?remote.?code|remote code", ("message",)),
)
