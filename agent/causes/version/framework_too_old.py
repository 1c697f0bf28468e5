"""The installed release is too old.

What happens
    The model, method or feature came with a later release.

How it shows
    An unknown architecture, method or choice that a later release has.

How to tell
    The installed release against the first that has it.

Fix
    A later release.

Fix safety
    Only words: nothing is changed for you.

References
    https://github.com/vllm-project/vllm/releases
"""

from agent.causes import spoken
from agent.causes.cause import Cause

_WORDS = (
    r"newer|later release|upgrade"
    r"|not supported (?:in|by) this|please update|requires (?:vllm|transformers)"
)

CAUSE = Cause(
    id="version/framework-too-old",
    prior=0.02,
    table={
        "model": {"not-a-model": 0.0005},
        "topic": {"newer-release": 0.25, "architecture": 0.35, "rope": 0.2},
        "error": {
            "validation": 0.37,
            "invalid-choice": 0.05,
            "import-name": 0.05,
            "missing-module": 0.02,
            "attribute-missing": 0.04,
            "unexpected-key": 0.01,
            "other": 0.3,
            "weights-mismatch": 0.05,
            "compute-capability": 0.02,
        },
        "install": {"sound": 0.9},
    },
    summary="The installed release is too old for this model, method or feature.",
    advice="Install a release that has it.",
    related=("model/architecture",),
    subject=("message",),
    suggest=spoken.of(("validation", "other"), _WORDS, ("message",), topics=("newer-release", "architecture", "rope")),
)
