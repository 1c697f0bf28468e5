"""The installed release does not know the model's architecture.

What happens
    config.json names a model type or architecture that neither the framework nor transformers has.

How it shows
    A validation error that speaks of the architecture or model type. The advice to upgrade transformers is wrong when the framework itself
    is too old.

How to tell
    architectures and model_type in config.json against the framework's registry.

Fix
    A release that knows it.

Fix safety
    Only words: nothing is changed for you.

References
    https://docs.vllm.ai/en/latest/models/supported_models.html
"""

from agent.causes import spoken
from agent.causes.cause import Cause

CAUSE = Cause(
    id="model/architecture",
    prior=0.02,
    table={
        "topic": {"architecture": 0.93},
        "error": {"validation": 0.68, "missing-module": 0.01, "other": 0.25},
        "phase": {"config": 0.43, "model": 0.22, "arguments": 0.1, "engine": 0.22},  # SGLang looks it up in the scheduler
        "model": {"not-a-model": 0.0005},  # without a config.json there is no architecture to be unknown
    },
    summary="This release does not know the model's architecture: {message}.",
    advice="Install a release that knows it (framework, or transformers), or use another model.",
    subject=("message",),
    suggest=spoken.of(
        ("validation", "other"), r"architectur|model.?type|not supported for now|has no vllm implementation", ("message",), topics=("architecture",)
    ),
    related=("version/framework-too-old", "version/dependency"),
)
