"""What a lack of memory was about: the weights, the cache, what comes after them, or somebody else. Pure.

The same line (*out of memory*) has several causes. The numbers of the message say who holds the memory, the frames what it was wanted for, and
the phase what was there already.
"""

import re
from collections.abc import Sequence

from agent.reading.kind import Kind

_GIB = {"gib": 1.0, "gb": 1.0, "mib": 1 / 1024, "mb": 1 / 1024, "kib": 1 / 1024**2, "bytes": 1 / 1024**3}
_SIZE = r"(?P<{0}>[\d.]+) ?(?P<{0}_unit>[GMK]i?B|bytes)"
_TOTAL = re.compile("total capac\\w* of " + _SIZE.format("total") + r"(?: of which " + _SIZE.format("free") + " is free)?")
_OLD_TOTAL = re.compile(_SIZE.format("total") + " total capacity; " + _SIZE.format("own") + " already allocated; " + _SIZE.format("free") + " free")
_OWN = re.compile(r"this process has " + _SIZE.format("own") + " memory in use")
_ALLOCATED = re.compile(r"allocated memory " + _SIZE.format("own") + " is allocated by PyTorch")
_RESERVED = re.compile(_SIZE.format("own") + r" (?:is )?reserved (?:by PyTorch|in total)")
_CAPTURE = re.compile(
    r":(?:capture\w*|_?dummy_\w+|profile_run|_profile\w*|determine_(?:num_)?available\w*|profile_\w+|warm_?up\w*|compile_or_warm_up_model|_warmup\w*"
    r"|kernel_warmup|init_cuda_graphs?|init_device_graphs)$|cuda_graph_runner\.py|cudagraph\w*\.py"
)
_CACHE = re.compile(
    r":(?:_?allocate_kv\w*|initialize_kv_cache\w*|_?initialize_from_config|init_memory_pool|init_cache_engine|_create_buffers|_init_kv\w*|initialize_cache)$"
    r"|memory_pool\w*\.py|cache_engine\.py"
)
_WEIGHTS = re.compile(
    r":(?:load_(?:model|weights?)|_?initialize_model|create_weights|_?get_model|process_weights_after_loading|weight_loader|load_weights_and_\w+)$"
    r"|weight_utils\.py|model_loader/"
)
_SAYS_CAPTURE = re.compile(r"(?i)capture cuda graph|warming up|warm-?up|cuda graph|profil(?:e|ing)|cudagraph")
_OCCUPIED = 0.15
"""The share of the device that others must hold to be a reason."""


def memory_of(kind: Kind, text: str, frames: Sequence[str], phase: str) -> str:
    """The value of ``memory-of`` for an error of `kind` with the message `text`, or an empty text where nothing tells."""
    if kind.value == "free-memory":
        return _of_share(kind.parameters, text)
    if kind.value != "memory":
        return ""
    if held_by_others(text):
        return "others"
    for value, pattern in (("capture", _CAPTURE), ("cache", _CACHE), ("weights", _WEIGHTS)):
        if any(pattern.search(frame) for frame in frames):
            return value
    if _SAYS_CAPTURE.search(text):
        return "capture"
    return {"weights": "weights", "cache": "capture", "server": "capture", "up": "capture"}.get(phase, "")


def _of_share(parameters: dict[str, str], text: str) -> str:
    free, total = _number(parameters.get("free")), _number(parameters.get("total"))
    if total:
        return "others" if free < total * (1 - _OCCUPIED) else "share"
    return "others" if re.search(r"(?i)unbalanced|occupied|other process", text) else ""


def held_by_others(text: str) -> bool:
    """Whether the numbers of an allocator's message show that other processes hold a good part of the device."""
    match = _TOTAL.search(text) or _OLD_TOTAL.search(text)
    if match is None or match.groupdict().get("free") is None:
        return False
    total, free = _size(match, "total"), _size(match, "free")
    own = max([_size(found, "own") for pattern in (_OWN, _RESERVED, _ALLOCATED) for found in [pattern.search(text)] if found], default=-1.0)
    if own < 0 and match.re is _OLD_TOTAL:
        own = _size(match, "own")
    # What a context and the libraries take is nobody else's.
    return own >= 0 and total > 0 and (total - free - own - 1.5) / total > _OCCUPIED


def _size(match: re.Match[str], name: str) -> float:
    return _number(match[name]) * _GIB.get(match[f"{name}_unit"].lower(), 0.0)


def _number(text: str | None) -> float:
    try:
        return float(text or 0)
    except ValueError:
        return 0.0
