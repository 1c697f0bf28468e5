"""An installed plugin does not fit the framework's release.

What happens
    Entry points are loaded while the parser is built; one that was made for another release raises.

How it shows
    A traceback through the plugin's own package. A plugin that only logs its failure is no sign: the server can still come up.

How to tell
    The distributions that declare the framework's plugin entry points.

Fix
    Update or remove the plugin.

Fix safety
    Only words: nothing is changed for you.

References
    https://docs.vllm.ai/en/latest/design/plugin_system.html
"""

from agent.causes.cause import Cause

CAUSE = Cause(
    id="version/plugin",
    prior=0.01,
    table={
        "error": {"import-name": 0.15, "attribute-missing": 0.25, "signature-mismatch": 0.25, "missing-module": 0.04, "other": 0.1},
    },
    summary="A plugin that is installed beside the framework does not fit this release.",
    advice="Find the plugin (entry points of the framework's plugin group) and remove or update it.",
)
