"""Variants of a failure's log: what differs from machine to machine, and must not change what the log proves. Pure, from a seed."""

import json
import re
from collections.abc import Callable
from random import Random

Lines = list[str]
Variant = Callable[[Lines, Random], Lines]

MODELS = ("mistralai/Mistral-Small-24B", "deepseek-ai/DeepSeek-V3", "google/gemma-3-27b-it", "acme/own-model_v2.1")
FOLDERS = ("/data/models/mistral", "/mnt/nvme0/llm/checkpoint-500", "/home/user/My-Models/q.v1")
_MODEL = re.compile(r"\b(?:Qwen|meta-llama|facebook|google|deepseek-ai|TheBloke|someone|acme)/[\w.-]+\w")
_FOLDER = re.compile(r"(?<![\w/.])/(?:models|data/models|srv/models)/[\w.-]+\w")
_SITE = re.compile(r"/[\w./-]*?/(?:site|dist)-packages/")
_ENDS = re.compile(
    r"(?:^|: )(?:error|Error): |command not found|^docker|^Error|executable|systemd\[|^ +(?:State|Last State|Reason|Type)|slurm|^srun"
    r"|^\[ *\d+\.\d+\]"
)
NOISE = {
    "vllm": (
        "INFO 12-01 16:28:20 [__init__.py:241] Automatically detected platform cuda.",
        "WARNING 12-01 16:28:21 [api_server.py:1213] LoRA dynamic loading & unloading is enabled in the API server.",
        "INFO 12-01 16:28:22 [scheduler.py:222] Chunked prefill is enabled with max_num_batched_tokens=2048.",
        "/usr/lib/python3.12/multiprocessing/popen_fork.py:66: DeprecationWarning: This process is multi-threaded, fork() may lead to deadlocks",
    ),
    "sglang": (
        "[2025-12-01 16:28:20] INFO server_args.py:1200: Attention backend not specified. Use flashinfer backend by default.",
        "[2025-12-01 16:28:21] WARNING model_config.py:480: Casting torch.bfloat16 to torch.float16.",
        "/env/lib/python3.12/site-packages/torch/cuda/__init__.py:61: FutureWarning: The pynvml package is deprecated.",
    ),
    "litellm": (
        "16:28:20 - LiteLLM:DEBUG: utils.py:350 - ",
        "INFO:     Started server process [1]",
        "16:28:21 - LiteLLM Proxy:WARNING: proxy_server.py:900 - no cost map for the model",
    ),
}


def _each(form: Callable[[str, int], str]) -> Variant:
    return lambda lines, chance: [form(line, index) for index, line in enumerate(lines)]


def _docker(line: str, index: int) -> str:
    return f"2025-12-01T16:28:{index % 60:02d}.123456789Z {line}"


def _containerd(line: str, index: int) -> str:
    return f"2025-12-01T16:28:{index % 60:02d}.123456789+01:00 stderr F {line}"


def _journal(line: str, index: int) -> str:
    return f"Dec 01 16:28:{index % 60:02d} gpu-box vllm[4242]: {line}"


def _compose(line: str, index: int) -> str:
    return f"server-1  | {line}"


def _json_file(line: str, index: int) -> str:
    return json.dumps({"log": line + "\n", "stream": "stderr", "time": f"2025-12-01T16:28:{index % 60:02d}.1Z"}, separators=(",", ":"))


def _coloured(line: str, index: int) -> str:
    return f"\x1b[31m{line}\x1b[0m" if line else line


def _carriage(line: str, index: int) -> str:
    return line + "\r"


WRAPPERS: dict[str, Variant] = {
    "docker": _each(_docker),
    "containerd": _each(_containerd),
    "journald": _each(_journal),
    "compose": _each(_compose),
    "json-file": _each(_json_file),
    "ansi": _each(_coloured),
    "crlf": _each(_carriage),
}
"""What stands around every line, by whom."""

_PROCESSES = {
    "vllm": (
        "(APIServer pid=311) ",
        "(EngineCore_DP0 pid=312) ERROR 12-01 16:28:20 [core.py:843] ",
        "(Worker_TP1 pid=313) ERROR 12-01 16:28:20 [multiproc_executor.py:597] ",
        "(VllmWorkerProcess pid=314) ERROR 12-01 16:28:20 multiproc_worker_utils.py:226] ",
        "(RayWorkerWrapper pid=315, ip=10.0.0.2) ",
        "[rank0]: ",
        "ERROR 12-01 16:28:20 [core.py:500] ",
        "ERROR 12-01 16:28:20 engine.py:389] ",
    ),
    "sglang": ("[rank1]: ",),
    "litellm": (),
}


def in_a_process(lines: Lines, chance: Random, framework: str) -> Lines:
    """The lines as another process prints them; as they are where they are no process's own words, or have its prefix already."""
    prefixes = _PROCESSES[framework]
    if not prefixes or any(_ENDS.search(line) or re.match(r"[(\[]|(?:INFO|ERROR|WARNING)\b|[\w-]+:\d+:\d+ ", line) for line in lines):
        return lines
    prefix = chance.choice(prefixes)
    return [prefix + line for line in lines]


def other_names(lines: Lines, chance: Random) -> Lines:
    """Other models, folders and installs."""
    model, folder = chance.choice(MODELS), chance.choice(FOLDERS)
    site = chance.choice(("/opt/conda/envs/serve/lib/python3.10/site-packages/", "/usr/local/lib/python3.12/dist-packages/"))
    return [_SITE.sub(site, _FOLDER.sub(folder, _MODEL.sub(model, line))) for line in lines]


def with_head(lines: Lines, chance: Random, framework: str) -> Lines:
    """What servers log before they fail."""
    return [*chance.sample(NOISE[framework], k=chance.randint(1, len(NOISE[framework]))), *lines]


def interleaved(lines: Lines, chance: Random, framework: str) -> Lines:
    """Another process talks in between; each keeps its order. Only where the prefix tells the processes apart."""
    if framework != "vllm" or not all(line.startswith("(") for line in lines):
        return lines
    talk = [f"(Worker_TP7 pid=977) {line}" for line in NOISE["vllm"] if line.startswith(("INFO", "WARNING"))]
    mixed = list(lines)
    for line in talk:
        mixed.insert(chance.randint(0, len(mixed)), line)
    return mixed


def cut(lines: Lines, chance: Random, decisive: int) -> Lines:
    """Head and tail gone, with some lines left around the decisive one (its number, from 1)."""
    before = chance.randint(0, decisive - 1)
    after = chance.randint(decisive, len(lines))
    return lines[before:after]


def variant(lines: Lines, framework: str, decisive: int, seed: int) -> Lines:
    """One variant of a log: names, then a cut, then who prints it, what stands around it, and what wraps it; each now and then."""
    chance = Random(seed)
    made = other_names(lines, chance)
    if chance.random() < 0.4:
        made = cut(made, chance, decisive)
    if chance.random() < 0.6:
        made = in_a_process(made, chance, framework)
    if chance.random() < 0.5:
        made = interleaved(made, chance, framework)
    if chance.random() < 0.5:
        made = with_head(made, chance, framework)
    for wrapper in chance.sample(sorted(WRAPPERS), k=chance.randint(0, 2)):
        made = WRAPPERS[wrapper](made, chance)
    return made
