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

from agent.causes.cause import Cause

CAUSE = Cause(
    id="model/corrupt",
    prior=0.02,
    table={
        "weights": {"whole": 0.75, "empty": 0.08, "pointers": 0.08, "missing": 0.03},
        "error": {"corrupt-weights": 0.58, "weights-mismatch": 0.3, "file-malformed": 0.06, "validation": 0.02},
        "phase": {"weights": 0.6, "engine": 0.08, "model": 0.08},
    },
    summary="A file of the model is damaged.",
    advice="Fetch the file again and compare its size and hash.",
    related=("model/incomplete",),
    parameters=("path", "name"),
)
