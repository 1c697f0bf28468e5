"""The quantisation that was asked for does not fit the checkpoint or the device.

What happens
    The checkpoint carries another quantisation, or none, than --quantization says; or the device has no kernel for it.

How it shows
    A validation error that speaks of quantisation, or of a quantisation config file that cannot be found.

How to tell
    quantization_config in the model's config.json against --quantization.

Fix
    Leave --quantization out, or name the checkpoint's own method.

Fix safety
    Only words: nothing is changed for you.

References
    https://docs.vllm.ai/en/latest/features/quantization/
"""

from agent.causes import spoken
from agent.causes.cause import Cause

CAUSE = Cause(
    id="config/quantization",
    prior=0.02,
    table={
        "topic": {"quantization": 0.94},
        "error": {
            "validation": 0.7,
            "other": 0.1,
            "compute-capability": 0.08,
            "weights-mismatch": 0.04,
            "no-such-file": 0.005,
            "invalid-choice": 0.03,
        },
        "phase": {"arguments": 0.15, "config": 0.27, "model": 0.27, "engine": 0.05, "weights": 0.12},
    },
    summary="The quantisation asked for does not fit the model: {message}.",
    advice="Leave --quantization out: the checkpoint names its own method; only methods that quantise while loading need it.",
    subject=("message",),
    suggest=spoken.of(
        ("validation", "device", "other"),
        r"quanti[sz]|cannot find the config file for|\b(?:awq|gptq|fp8|bitsandbytes|marlin|gguf)\b",
        ("message",),
        topics=("quantization",),
    ),
)
