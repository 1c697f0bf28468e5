"""What became of flags that were replaced: the words that make the same setting now. Facts as data, read from the parsers of the releases. Pure.

A form is the words that make the setting now, the value carried over as ``{value}``; no words say that it is the default.
"""

import json
from types import MappingProxyType

_SPECULATIVE = "--speculative-config"
_STRUCTURED = "--structured-outputs-config"
_EPLB = "--eplb-config"

FORMS: MappingProxyType[str, tuple[str, ...]] = MappingProxyType(
    {
        # vLLM 0.8.3: one JSON for all of speculative decoding
        "--speculative-model": (f"{_SPECULATIVE}.model", "{value}"),
        "--num-speculative-tokens": (f"{_SPECULATIVE}.num_speculative_tokens", "{value}"),
        "--speculative-draft-tensor-parallel-size": (f"{_SPECULATIVE}.draft_tensor_parallel_size", "{value}"),
        "--speculative-model-quantization": (f"{_SPECULATIVE}.quantization", "{value}"),
        "--speculative-max-model-len": (f"{_SPECULATIVE}.max_model_len", "{value}"),
        "--speculative-disable-by-batch-size": (f"{_SPECULATIVE}.disable_by_batch_size", "{value}"),
        "--ngram-prompt-lookup-max": (f"{_SPECULATIVE}.prompt_lookup_max", "{value}"),
        "--ngram-prompt-lookup-min": (f"{_SPECULATIVE}.prompt_lookup_min", "{value}"),
        # vLLM 0.12.0: guided decoding became structured outputs
        "--guided-decoding-backend": (f"{_STRUCTURED}.backend", "{value}"),
        "--guided-decoding-disable-fallback": (f"{_STRUCTURED}.disable_fallback", "true"),
        "--guided-decoding-disable-any-whitespace": (f"{_STRUCTURED}.disable_any_whitespace", "true"),
        "--guided-decoding-disable-additional-properties": (f"{_STRUCTURED}.disable_additional_properties", "true"),
        # vLLM 0.11: expert load balancing
        "--num-redundant-experts": (f"{_EPLB}.num_redundant_experts", "{value}"),
        "--eplb-window-size": (f"{_EPLB}.window_size", "{value}"),
        "--eplb-step-interval": (f"{_EPLB}.step_interval", "{value}"),
        "--eplb-log-balancedness": (f"{_EPLB}.log_balancedness", "true"),
        "--override-pooler-config": ("--pooler-config", "{value}"),
        "--max-seq-len-to-capture": ("--max-cudagraph-capture-size", "{value}"),
        "--cuda-graph-sizes": ("--cudagraph-capture-sizes", "{value}"),
        "--enable-multimodal-encoder-data-parallel": ("--mm-encoder-tp-mode", "data"),
        "--disable-mm-preprocessor-cache": ("--mm-processor-cache-gb", "0"),
        "--reasoning-backend": ("--reasoning-parser", "{value}"),
        "--worker-use-ray": ("--distributed-executor-backend", "ray"),
        "--rope-theta": ("--hf-overrides.rope_theta", "{value}"),
    }
)

_TASKS = MappingProxyType(
    {
        "generate": ("--runner", "generate"),
        "embed": ("--runner", "pooling", "--convert", "embed"),
        "embedding": ("--runner", "pooling", "--convert", "embed"),
        "classify": ("--runner", "pooling", "--convert", "classify"),
        "score": ("--runner", "pooling", "--convert", "classify"),
        "reward": ("--runner", "pooling"),
        "auto": (),
    }
)
"""vLLM 0.13.0: ``--task`` became ``--runner`` and ``--convert``."""


def succeeded(flag: str, value: str, successor: str) -> tuple[str, ...] | None:
    """The words that set today what ``flag value`` set; `successor` is the flag that the tables name. None where the form is not known."""
    name = flag.replace("_", "-")
    if name == "--task":
        return _TASKS.get(value, ("--runner", "pooling"))
    if name == "--rope-scaling" and value:
        return ("--hf-overrides", json.dumps({"rope_scaling": _parsed(value)}))
    if name == "--speculative-model" and value.strip("[]") == "ngram":
        return (f"{_SPECULATIVE}.method", "ngram")
    if name in FORMS:
        return tuple(word.format(value=value) for word in FORMS[name] if value or word != "{value}")
    if successor.startswith("--") and " " not in successor:
        return (successor, value) if value else (successor,)
    return None


def _parsed(value: str) -> object:
    try:
        return json.loads(value)
    except ValueError:
        return value
