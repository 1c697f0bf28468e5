"""Words that are a command, or the start of one, where options or a model are wanted. Pure."""

import re

# fmt: off
PROGRAMS = frozenset((
    "sh", "bash", "dash", "ash", "zsh", "ksh", "fish", "env", "exec", "nohup", "sleep", "tail", "cat", "echo", "cd", "source", "export",
    "eval", "sudo", "tini", "dumb-init", "catatonit", "timeout", "nice", "numactl", "taskset", "docker", "podman", "kubectl", "conda", "uv",
    "uvx", "pip", "ray", "torchrun", "accelerate", "mpirun", "srun", "vllm", "sglang", "litellm", "llama-run", "llama-server", "llama-cli",
    "ollama", "tritonserver", "trtllm-serve", "text-generation-launcher", "lmdeploy", "uvicorn", "gunicorn", "nvidia-smi", "bentoml",
    "aphrodite", "tgi",
))
# fmt: on
SUBCOMMANDS = frozenset(("serve", "launch_server", "run-batch", "chat", "complete", "bench"))
"""Words that name a subcommand: as a program or as a model they are a rest of a command."""
_PYTHON = re.compile(r"python[0-9.]*")
_BARE = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?:-[A-Za-z0-9]+)*")
_BOOLEAN = frozenset(("true", "false", "yes", "no", "on", "off", "none", "null", "auto"))
_SHELL_WORDS = frozenset(("&&", "||", ";", "|", "-c", "-lc", "-ec", "-xc"))


def is_program(word: str) -> bool:
    """Whether `word` names a program that starts or runs something: a shell, an interpreter, a server."""
    name = word.rpartition("/")[2]
    return name in PROGRAMS or bool(_PYTHON.fullmatch(name)) or name.endswith((".sh", ".py"))


def is_command(tokens: list[str]) -> bool:
    """Whether unconsumed `tokens` begin with a command: a program or a subcommand, or a bare word with options or shell words behind it."""
    if not tokens:
        return False
    word, after = tokens[0], tokens[1:2]
    if is_program(word) or word in SUBCOMMANDS:
        return True
    joined = bool(after) and (after[0] in _SHELL_WORDS or (after[0].startswith("-") and len(after[0]) == 2))
    return joined and bool(_BARE.fullmatch(word)) and word.lower() not in _BOOLEAN
