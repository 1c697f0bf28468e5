"""A layer of shell removed the quotes inside a JSON value, and it still arrived as one word.

What happens
    The JSON passed one evaluation too many and had no space to be split at, or a wrapper joined the pieces again. PowerShell and dash do the
    same to an unquoted JSON with a comma, which bash would expand.
How it shows
    ``Value {method: mtp, num_speculative_tokens: 1} cannot be converted``: the whole JSON, without a single double quote.
How to tell
    The value has its braces and all its keys, and no quotes. Echo the argv through the same layers.
Fix
    Dotted flags (vLLM since 0.9), or one more level of quotes.
Fix safety
    Same setting, other spelling: nothing else changes.
References
    bash manual, "Quote Removal"; vLLM ``FlexibleArgumentParser``.
"""

from agent.causes.cause import Cause
from agent.causes.mending import json_repairs

CAUSE = Cause(
    id="quoting/json-stripped",
    prior=0.02,
    subject=("flag",),
    parameters=("value", "tokens", "index", "length"),
    table={
        "error": {"converter-refused": 0.78, "json-invalid": 0.16, "invalid-value": 0.04, "validation": 0.01},
        "shape": {"stripped": 0.97, "alternative": 0.005, "broken-json": 0.01},
        "delivery": {"stripped": 0.92, "split": 0.02, "altered": 0.03},
        "sent": {"consistent": 0.9999},
        "exit": {"usage": 0.9},
    },
    summary="The quotes inside the JSON of {flag} were removed by a shell on the way: the program received {value}.",
    advice="Quote the JSON once more for every shell it passes through, or give its keys as dotted flags (vLLM: --flag.key value).",
    mend=json_repairs,
    related=("quoting/json-split", "quoting/brace-expansion", "config/invalid-json"),
)
