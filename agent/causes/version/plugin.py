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

import re

from agent.causes.cause import Cause, Parameters
from agent.causes.packages import ELSEWHERE
from transcripts.records import Sign

_WORDS = re.compile(r"plugin|register|entry_points?\b", re.IGNORECASE)
_NAMES = ("function", "module", "object")


def suggest(signs: tuple[Sign, ...]) -> list[Parameters]:
    """An error whose function or module is a plugin's, or raised beside one; one that names other code is another matter."""
    beside = next(({"companion": sign.parameters.get("companion", "")} for sign in signs if sign.variable == "companion"), {})
    for sign in signs:
        named = {name: sign.parameters[name] for name in _NAMES if sign.parameters.get(name)}
        if sign.variable == "error" and named:
            return [{**named, **beside} if beside or _WORDS.search(" ".join(named.values())) else dict.fromkeys(named, ELSEWHERE)]
    return [beside]


CAUSE = Cause(
    id="version/plugin",
    prior=0.012,
    table={
        "phase": {"none": 0.15, "arguments": 0.7, "config": 0.1},
        "error": {
            "import-name": 0.17,
            "attribute-missing": 0.2,
            "signature-mismatch": 0.33,
            "missing-module": 0.12,
            "unrecognised": 0.08,
            "other": 0.06,
        },
        "shape": {"flag": 0.5},
        "companion": {"named": 0.55, "owner": 0.38},
    },
    summary="A plugin that is installed beside the framework does not fit this release ({companion}).",
    advice="Find the plugin (entry points of the framework's plugin group) and remove or update it.",
    subject=_NAMES,
    parameters=("companion",),
    suggest=suggest,
)
