"""Files of the model are missing.

What happens
    A download that broke off, large files that are only pointers, an index that names shards which are not there.

How it shows
    No such file, cannot find any model weights, or a missing parameter, while weights are loaded.

How to tell
    The shards that the index names against those in the folder.

Fix
    Fetch the model again.

Fix safety
    Only words: nothing is changed for you.

References
    https://huggingface.co/docs/huggingface_hub/guides/download
"""

from agent.causes.cause import Cause

CAUSE = Cause(
    id="model/incomplete",
    prior=0.02,
    table={
        "weights": {"missing": 0.5, "pointers": 0.2, "empty": 0.06, "none": 0.15, "whole": 0.06},
        "error": {
            "incomplete-weights": 0.56,
            "no-such-file": 0.12,
            "corrupt-weights": 0.12,
            "weights-mismatch": 0.07,
            "no-tokenizer": 0.05,
            "file-malformed": 0.02,
            "other": 0.03,
        },
        "phase": {"weights": 0.51, "model": 0.17, "config": 0.08},
        # a folder without config.json reads as a model of no known type
        "topic": {"architecture": 0.15},
        "model": {"folder": 0.6, "not-a-model": 0.3},
    },
    summary="The model's folder lacks files that are needed to serve it.",
    advice="Fetch the repository again and compare the file list (index, shards, tokenizer).",
    related=("model/corrupt", "model/tokenizer"),
    parameters=("path",),
)
