"""bash expanded the braces of an unquoted JSON value.

What happens
    ``{"image":4,"video":1}`` without quotes around it is brace expansion to bash: it becomes the two words ``image:4`` and ``video:1``.
How it shows
    The value in the error is one alternative of the braces (``image:4``); the others follow as extra arguments.
How to tell
    ``key:value`` without braces, where JSON is wanted. dash, sh and PowerShell leave the braces: there it reads ``{image:4,video:1}``.
Fix
    Dotted flags (vLLM since 0.9), or single quotes around the JSON.
Fix safety
    Same setting, other spelling: nothing else changes.
References
    bash manual, "Brace Expansion".
"""

from agent.causes.cause import Cause
from agent.causes.mending import json_repairs

CAUSE = Cause(
    id="quoting/brace-expansion",
    prior=0.01,
    subject=("flag",),
    parameters=("value", "tokens", "index", "length"),
    table={
        "error": {"converter-refused": 0.72, "json-invalid": 0.1, "unrecognised": 0.14, "invalid-value": 0.03},
        "shape": {"alternative": 0.95, "json-tail": 0.03},
        "delivery": {"expanded": 0.96, "split": 0.01, "stripped": 0.01},
        "sent": {"consistent": 0.9999},
        "exit": {"usage": 0.93},
    },
    summary="Bash expanded the braces of the unquoted JSON of {flag}: the program received {value}.",
    advice="Put the JSON in single quotes, or give its keys as dotted flags (vLLM: --flag.key value).",
    mend=json_repairs,
    related=("quoting/json-split", "quoting/json-stripped"),
)
