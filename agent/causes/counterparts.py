"""What one framework's flag is called in another. Facts as data, read from the parsers. Pure.

Each group names one setting: its flags in every framework that has it, the first of them the one to write.
"""

from types import MappingProxyType

SETTINGS: tuple[MappingProxyType[str, tuple[str, ...]], ...] = tuple(
    MappingProxyType(group)
    for group in (
        {"vllm": ("--gpu-memory-utilization",), "sglang": ("--mem-fraction-static",)},
        {"vllm": ("--max-model-len",), "sglang": ("--context-length",)},
        {"vllm": ("--tensor-parallel-size", "-tp"), "sglang": ("--tp-size", "--tp", "--tensor-parallel-size")},
        {"vllm": ("--pipeline-parallel-size", "-pp"), "sglang": ("--pp-size", "--pp", "--pipeline-parallel-size")},
        {"vllm": ("--data-parallel-size", "-dp"), "sglang": ("--dp-size", "--dp", "--data-parallel-size")},
        {"vllm": ("--model",), "sglang": ("--model-path",)},
        {"vllm": ("--tokenizer",), "sglang": ("--tokenizer-path",)},
        {"vllm": ("--max-num-seqs",), "sglang": ("--max-running-requests",)},
        {"vllm": ("--max-num-batched-tokens",), "sglang": ("--chunked-prefill-size",)},
        {"vllm": ("--hf-overrides",), "sglang": ("--json-model-override-args",)},
        {"vllm": ("--seed",), "sglang": ("--random-seed",)},
        {"vllm": ("--enforce-eager",), "sglang": ("--disable-cuda-graph",)},
        {"vllm": ("--no-enable-prefix-caching",), "sglang": ("--disable-radix-cache",)},
        {"vllm": ("--enable-log-requests",), "sglang": ("--log-requests",)},
        {"vllm": ("--uvicorn-log-level",), "sglang": ("--log-level-http",)},
        {"vllm": ("--node-rank",), "sglang": ("--node-rank",)},
        {"vllm": ("--max-lora-rank",), "sglang": ("--max-lora-rank",)},
        {"vllm": ("--max-loras",), "sglang": ("--max-loras-per-batch",)},
        {"vllm": ("--lora-modules",), "sglang": ("--lora-paths",)},
        {"vllm": ("--ssl-keyfile",), "sglang": ("--ssl-keyfile",), "litellm": ("--ssl_keyfile_path",)},
        {"vllm": ("--ssl-certfile",), "sglang": ("--ssl-certfile",), "litellm": ("--ssl_certfile_path",)},
        {"vllm": ("--api-server-count",), "litellm": ("--num_workers",)},
        {"vllm": ("--guided-decoding-backend",), "sglang": ("--grammar-backend",)},
    )
)

_SWITCHES = frozenset({"--enforce-eager", "--disable-cuda-graph", "--no-enable-prefix-caching", "--disable-radix-cache", "--enable-log-requests"})


def counterpart(framework: str, flag: str, value: str) -> tuple[str, ...]:
    """The words by which `framework` makes the setting that ``flag value`` makes elsewhere; none where no counterpart is known.

    vLLM takes its model as a plain word.
    """
    for setting in SETTINGS:
        here = setting.get(framework, ())
        if here and any(flag in names for other, names in setting.items() if other != framework) and flag not in here:
            if here[0] == "--model":
                return (value,) if value else ()
            return (here[0],) if here[0] in _SWITCHES or not value else (here[0], value)
    return ()
