"""The tokenizer cannot be loaded.

What happens
    Its files are missing from the folder, need a package that is not installed, or belong to another model.

How it shows
    An error that speaks of the tokenizer, after the configuration was read.

How to tell
    tokenizer.json, tokenizer_config.json and their like in the folder.

Fix
    Fetch the missing files, or name a tokenizer.

Fix safety
    Only words: nothing is changed for you.

References
    https://huggingface.co/docs/transformers/main_classes/tokenizer
"""

from agent.causes import spoken
from agent.causes.cause import Cause

CAUSE = Cause(
    id="model/tokenizer",
    prior=0.015,
    table={
        "topic": {"tokenizer": 0.94},
        "error": {"no-tokenizer": 0.55, "other": 0.2, "missing-module": 0.03, "no-such-file": 0.06, "validation": 0.08, "corrupt-weights": 0.01},
        "phase": {"model": 0.42, "config": 0.17, "engine": 0.17},
    },
    summary="The model's tokenizer cannot be loaded.",
    advice="Add the tokenizer's files to the model's folder, or name another with --tokenizer.",
    subject=("message",),
    suggest=spoken.of(("validation", "other"), r"tokeni[sz]er|sentencepiece|tiktoken|vocab", ("message",), topics=("tokenizer",)),
    related=("model/incomplete",),
)
