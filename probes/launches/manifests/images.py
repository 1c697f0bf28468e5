"""What is known of the entrypoints of the frameworks' published images: words that stand before those of a command."""

import re
from pathlib import PurePosixPath

from msgspec import Struct

API_SERVER = ("python3", "-m", "vllm.entrypoints.openai.api_server")
SERVE = ("vllm", "serve")
_RELEASE = re.compile(r"v?(\d+)\.(\d+)\.(\d+)")
_SERVE_SINCE = (0, 11, 1)
"""The first release whose image vllm/vllm-openai begins with ``vllm serve`` instead of the module."""
_VLLM = re.compile(r"(?:^|/)vllm-(?:openai|cpu-release-repo|cpu|rocm)[\w-]*$|(?:^|/)vllm-openai")
_LITELLM = re.compile(r"(?:^|/)litellm(?:-[\w-]+)?$")
_BARE = re.compile(r"(?:^|/)sglang$|^rocm/vllm|^nvcr\.io/")
_PYTHONS = re.compile(r"python[\d.]*$")


class Entrypoint(Struct, frozen=True):
    """The words that an image puts before a command; `known` is False where they are only what such an image usually has."""

    words: tuple[str, ...]
    known: bool = True


def split_image(image: str) -> tuple[str, str]:
    """An image's name and its tag (empty: none, or a digest)."""
    name = image.partition("@")[0]
    head, colon, tag = name.rpartition(":")
    return (head, tag) if colon and "/" not in tag else (name, "")


def entrypoint_of(image: str, first: str) -> Entrypoint:
    """The entrypoint of `image`; of one that is not known, what the `first` word of the command lets expect."""
    name, tag = split_image(image)
    if _VLLM.search(name):
        release = _RELEASE.match(tag)
        old = release is not None and tuple(int(part) for part in release.groups()) < _SERVE_SINCE
        return Entrypoint(API_SERVER if old else SERVE)
    if _LITELLM.search(name):
        return Entrypoint(("litellm",))
    if _BARE.search(name):
        return Entrypoint(())
    if not first.startswith("-"):
        return Entrypoint((), known=False)
    named = next((words for mark, words in (("litellm", ("litellm",)), ("vllm", SERVE)) if mark in name.lower()), ())
    return Entrypoint(named, known=False)


def repeated(entrypoint: tuple[str, ...], words: tuple[str, ...]) -> int:
    """How many of the first `words` say again what the entrypoint says already."""
    plain = tuple(PurePosixPath(word).name if "/" in word else word for word in words[:3])
    plain = tuple("python3" if _PYTHONS.match(word) else word for word in plain)
    for again in _repeats(entrypoint):
        if again and plain[: len(again)] == again:
            return len(again)
    return 0


def _repeats(entrypoint: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    if entrypoint in (SERVE, API_SERVER):
        return (SERVE, API_SERVER, ("serve",), ("vllm",))
    own = (PurePosixPath(entrypoint[0]).name, *entrypoint[1:]) if entrypoint else ()
    return (own, own[-1:] if own[-1:] == ("serve",) else ())
