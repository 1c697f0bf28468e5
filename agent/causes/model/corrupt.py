"""A file of the model is damaged, or does not match its configuration.

What happens
    A truncated download, a pointer file in place of the weights, or weights of another shape than config.json says.

How it shows
    An error of the weight reader (header too large, size mismatch, shape) while weights are loaded.

How to tell
    Size and hash of the file against the repository's.

Fix
    Fetch the file again.

Fix safety
    Only words: nothing is changed for you.

References
    https://huggingface.co/docs/safetensors
"""

from agent.causes import spoken
from agent.causes.cause import Cause

_WORDS = (
    r"header|shape|size mismatch|dimension|mismatch|deserializ"
    r"|load key|truncated|corrupt|metadata|unexpected end"
)

CAUSE = Cause(
    id="model/corrupt",
    prior=0.02,
    table={
        "error": {"other": 0.86, "file-malformed": 0.06, "validation": 0.05},
        "phase": {"weights": 0.75, "engine": 0.1, "model": 0.1},
    },
    summary="A file of the model is damaged.",
    advice="Fetch the file again and compare its size and hash.",
    related=("model/incomplete",),
    subject=("message",),
    suggest=spoken.of(
        ("validation", "other"),
        _WORDS,
        ("message", "path"),
    ),
)
