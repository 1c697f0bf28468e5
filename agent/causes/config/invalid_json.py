"""The value that should be JSON arrived as it was meant, and is no JSON.

What happens
    The value reached the program whole, quotes and all, but it was never JSON: single quotes inside, True for true,
    a trailing comma, a missing brace.

How it shows
    argparse's converter refuses the whole value (Value {'method': …} cannot be converted to <function loads>), or pydantic says Invalid JSON
    with line and column. The value in the error is exactly the one that was typed.

How to tell
    The value in the error is the value that was sent, and json.loads refuses it. A value cut at its first space, or without its quotes, is a layer
    of shell at work (quoting/*), not this.

Fix
    Give the setting key by key (--speculative-config.method ngram), which needs no JSON at all; or the same value as JSON.

Fix safety
    Changes one value, and only its notation: the keys and values stay as they were written.

References
    https://www.rfc-editor.org/rfc/rfc8259 · https://docs.vllm.ai/en/latest/configuration/engine_args.html
"""

from agent.causes.cause import Cause
from agent.causes.mending import json_repairs

CAUSE = Cause(
    id="config/invalid-json",
    prior=0.035,
    table={
        "error": {"converter-refused": 0.55, "json-invalid": 0.35, "invalid-value": 0.05, "validation": 0.02},
        "shape": {
            "broken-json": 0.48,
            "python-literal": 0.38,
            "intact": 0.04,
            "word": 0.01,
            "intact-json": 0.02,
            "stripped": 0.004,
            "quoted": 0.002,
            "cut-stripped": 0.0005,
            "cut-kept": 0.0005,
            "alternative": 0.0005,
            "json-tail": 0.0005,
            "path": 0.001,
            "old-format": 0.001,
            "escaped": 0.001,
            "template": 0.001,
            "dollar": 0.0005,
            "empty": 0.001,
            "typographic": 0.001,
        },
        "registered": {"yes": 0.999},
        "sent": {"consistent": 0.9999},
        "delivery": {"as-meant": 0.97},
        "phase": {"arguments": 0.95, "config": 0.04},
    },
    summary="The value of {flag} arrived as it was written, and it is not JSON: {value}",
    advice="Write it as JSON (double quotes, true/false/null, no trailing comma), or give it key by key with dotted flags.",
    subject=("flag",),
    parameters=("value", "index", "length"),
    mend=json_repairs,
    related=("quoting/json-split", "quoting/json-stripped"),
)
