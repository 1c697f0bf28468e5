"""Options of programs that are no framework here, and that people carry over or put behind an image's name. Data."""

from types import MappingProxyType

# fmt: off
PROGRAMS: MappingProxyType[str, frozenset[str]] = MappingProxyType({
    "llama.cpp": frozenset((
        "--n-gpu-layers", "--gpu-layers", "-ngl", "--ngl", "--ctx-size", "--threads", "--threads-batch", "--temp", "--mlock", "--no-mmap",
        "--n-predict", "--predict", "--mmproj", "--jinja", "--cont-batching", "--parallel", "--cache-type-k", "--cache-type-v", "--batch-size",
        "--ubatch-size", "--repeat-penalty", "--flash-attn", "-fa", "-ub", "--no-warmup", "--n-cpu-moe", "--cpu-moe", "--split-mode",
        "--tensor-split", "--main-gpu", "--hf-repo", "--hf-file", "-hf", "--no-kv-offload", "--no-context-shift", "--defrag-thold",
        "--rope-freq-base", "--rope-freq-scale", "--override-tensor", "-ot", "--model-draft", "--draft-max", "--draft-min", "--slots", "--no-webui",
    )),
    "text-generation-inference": frozenset((
        "--model-id", "--num-shard", "--max-input-length", "--max-input-tokens", "--max-total-tokens", "--max-batch-prefill-tokens",
        "--quantize", "--max-concurrent-requests", "--sharded", "--max-batch-total-tokens", "--huggingface-hub-cache",
        "--cuda-memory-fraction", "--max-best-of", "--max-stop-sequences", "--waiting-served-ratio",
    )),
    "TensorRT-LLM": frozenset((
        "--max_batch_size", "--max_num_tokens", "--tp_size", "--kv_cache_free_gpu_memory_fraction", "--extra_llm_api_options", "--ep_size",
        "--max_seq_len", "--max_beam_width", "--pp_size",
    )),
    "lmdeploy": frozenset((
        "--session-len", "--cache-max-entry-count", "--tp", "--model-format", "--quant-policy", "--cache-block-seq-len",
    )),
    "docker": frozenset((
        "--gpus", "--ipc", "--shm-size", "--runtime", "--volume", "--env", "--name", "--network", "--restart", "--privileged",
        "--entrypoint", "--detach", "--publish", "--env-file", "--pull",
    )),
})
# fmt: on


def program_of(flag: str) -> str:
    """The program that takes `flag` (as typed, with or without its value); empty where none of these does."""
    name = flag.partition("=")[0]
    return next((program for program, flags in PROGRAMS.items() if name in flags), "")
