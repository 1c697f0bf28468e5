"""A layer of shell split a JSON value at its spaces.

What happens
    The JSON stood unquoted, or its quotes were used up by an outer shell (``bash -c``, ``ssh``, ``docker exec``, ``eval``). The next shell removes
    the double quotes and splits at every space, so the program receives ``{method:``, ``dflash,`` … as separate words.
How it shows
    ``Value {method: cannot be converted to <function loads>``: the value is the JSON up to its first space, with its quotes gone (one evaluation
    too many) or kept (word splitting of an unquoted ``$VAR``). Where the option takes any text (SGLang), the later pieces are "unrecognized".
How to tell
    argparse calls a converter only for a registered flag, so the flag exists. Echo the argv through the same layers: the pieces stand there.
Fix
    Give the setting key by key (``--speculative-config.method dflash``, vLLM since 0.9), which needs no quoting; or one more level of quotes.
Fix safety
    Same setting, other spelling: nothing else changes.
References
    bash manual, "Word Splitting" and "Quote Removal"; ssh(1): the remote command is one string for the remote shell; vLLM ``FlexibleArgumentParser``.
"""

from agent.causes.cause import Cause
from agent.causes.mending import json_repairs

CAUSE = Cause(
    id="quoting/json-split",
    prior=0.03,
    subject=("flag",),
    parameters=("value", "tokens", "index", "length"),
    table={
        "error": {"converter-refused": 0.66, "json-invalid": 0.1, "unrecognised": 0.2, "invalid-value": 0.039},
        "shape": {"cut-stripped": 0.58, "cut-kept": 0.19, "json-tail": 0.2, "broken-json": 0.02},
        "delivery": {"split": 0.95, "stripped": 0.015, "altered": 0.015},
        "sent": {"consistent": 0.9999},
        "exit": {"usage": 0.93},
    },
    summary="A JSON value was split at its spaces by a shell on the way: {value} is all that arrived for {flag}.",
    advice="Quote the JSON once more for every shell it passes through, or give its keys as dotted flags (vLLM: --flag.key value).",
    mend=json_repairs,
    related=("quoting/json-stripped", "quoting/brace-expansion", "config/invalid-json"),
)
