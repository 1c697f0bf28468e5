"""Every framework, one line each, and how they are found."""

from functools import lru_cache

from probes.frameworks.framework import Entry, Framework
from probes.frameworks.litellm import LITELLM
from probes.frameworks.sglang import SGLANG
from probes.frameworks.vllm import VLLM

FRAMEWORKS: tuple[Framework, ...] = (
    VLLM,
    LITELLM,
    SGLANG,
)


def by_name(name: str) -> Framework | None:
    """The framework of this name (``vllm``, ``litellm``, ``sglang``; letter case does not matter), or None."""
    return next((framework for framework in FRAMEWORKS if framework.name == name.lower()), None)


@lru_cache(maxsize=1024)
def recognise(argv: tuple[str, ...]) -> tuple[Framework, Entry] | None:
    """The framework whose serving command stands in `argv`, with the entry; None where there is none."""
    found = [(framework, entry) for framework in FRAMEWORKS if (entry := framework.find_entry(argv))]
    return min(found, key=lambda pair: pair[1].start, default=None)


def find_entry(argv: tuple[str, ...]) -> tuple[int, int] | None:
    """Where the serving command of any framework stands in `argv`: the index of its program word and that of its first option; or None."""
    found = recognise(argv)
    return (found[1].start, found[1].options) if found else None


def reached(framework: Framework, text: str) -> tuple[str, ...]:
    """The phases whose marks stand in `text`, in the framework's order."""
    return tuple(phase for phase, marks in framework.phases if any(mark in text for mark in marks))
