"""The installed release has removed what the launch uses.

What happens
    An entry point, module or behaviour of an earlier release is gone.

How it shows
    No module named, inside the framework itself (vllm.entrypoints.api_server), while the framework imports.

How to tell
    The installed release against the one the recipe names.

Fix
    The successor, or the older release.

Fix safety
    Only words: nothing is changed for you.

References
    https://github.com/vllm-project/vllm/releases
"""

from agent.causes import packages
from agent.causes.cause import Cause

CAUSE = Cause(
    id="version/framework-too-new",
    prior=0.02,
    table={
        "error": {
            "missing-module": 0.3,
            "import-name": 0.15,
            "attribute-missing": 0.12,
            "signature-mismatch": 0.05,
            "validation": 0.08,
            "other": 0.1,
        },
        "topic": {"gone": 0.5},
        "install": {"sound": 0.9},
        "companion": {"named": 0.03, "owner": 0.001},
    },
    summary="The installed release no longer has what this launch uses ({module}).",
    advice="Use the entry point or option that replaced it, or install the release that the recipe was written for.",
    subject=("module", "object"),
    parameters=("name",),
    suggest=packages.gone,
    related=("version/broken-install",),
)
