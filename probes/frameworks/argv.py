"""Finding a serving program's words in an argv: interpreters, modules, programs by any path, and wrappers before them. Pure."""

import re
from collections.abc import Iterator
from pathlib import PurePath

_INTERPRETER = re.compile(r"(?:python|pypy)[0-9.]*(?:\.exe)?")
_TAKES_WORD = ("-W", "-X", "--check-hash-based-pycs")
# Programs that run the rest of their arguments; a program word is looked for behind these alone, so that `echo vllm serve` is none.
# fmt: off
_WRAPPERS = frozenset((
    "env", "nohup", "exec", "time", "timeout", "nice", "ionice", "numactl", "taskset", "stdbuf", "setsid", "sudo", "doas", "gosu", "su-exec", "tini",
    "dumb-init", "catatonit", "chrt", "script", "unbuffer", "uv", "uvx", "pipx", "poetry", "pdm", "hatch", "rye", "pixi", "conda",
    "mamba", "micromamba", "srun", "mpirun", "accelerate", "ray",
    "nsys", "ncu", "strace", "ltrace", "gdb", "catchsegv", "chroot", "docker", "podman", "nerdctl", "kubectl",
))
# fmt: on


def base(word: str) -> str:
    """The file name of a program word, in either kind of path, without ``.exe``."""
    return PurePath(word.replace("\\", "/")).name.removesuffix(".exe")


def is_interpreter(word: str) -> bool:
    """Whether `word` names a Python interpreter."""
    return bool(_INTERPRETER.fullmatch(base(word)))


def starts(argv: tuple[str, ...]) -> Iterator[int]:
    """The indices at which the program word may stand: the first, and behind a known wrapper any."""
    if not argv:
        return
    yield 0
    first = next((word for word in argv if "=" not in word or word.startswith("-")), "")
    if base(first) in _WRAPPERS or "=" in argv[0]:
        yield from range(1, len(argv))


def module_at(argv: tuple[str, ...], start: int) -> tuple[str, int] | None:
    """For ``python [-u …] -m NAME …`` at `start`: the module and the index behind it; for ``python [-u …] FILE …`` the file and that index.

    None where `start` is no interpreter, or runs ``-c`` text or nothing.
    """
    if not is_interpreter(argv[start]):
        return None
    index = start + 1
    while index < len(argv):
        word = argv[index]
        if word == "-m":
            return ("-m " + argv[index + 1], index + 2) if index + 1 < len(argv) else None
        if word.startswith("-m") and not word.startswith("--"):
            return "-m " + word[2:], index + 1
        if word in _TAKES_WORD:
            index += 2
        elif word == "-c":
            return None
        elif word.startswith("-"):
            index += 1
        else:
            return word, index + 1
    return None


def program_at(argv: tuple[str, ...], start: int) -> tuple[str, int] | None:
    """The program that the words at `start` run, and the index of its first argument.

    It is ``-m MODULE`` for a module, else the bare file name (``/opt/v/bin/vllm``, ``python /opt/v/bin/vllm`` → ``vllm``).
    """
    if start >= len(argv):
        return None
    found = module_at(argv, start)
    if found is not None:
        name, after = found
        return (name if name.startswith("-m ") else base(name)), after
    if is_interpreter(argv[start]):
        return None
    return base(argv[start]), start + 1
