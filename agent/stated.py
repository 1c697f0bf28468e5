"""The release that a person states, as one plain release: people write ranges, comments, commits and dates. Pure."""

import re
from collections.abc import Sequence

from transcripts.records import Layer

_RELEASE = re.compile(
    r"(?<![\w.])v?(?P<numbers>\d{1,3}(?:\.\d{1,3}){1,2}(?:\.[x*])?)(?P<early>(?:\.?rc|\.dev|\.?post|a|b)\d+)?(?:\.dev\d+)?(?:\+[\w.]+)?(?!\w)"
)
_BOUND = re.compile(r"(?:(?<!-)>=?|<)\s*v?$")
_MAJOR = {"vllm": 0, "sglang": 0, "litellm": 1}
"""The newest major release of each framework: a larger number is a date or another program's release."""
_RANGE = re.compile(r"\s*(?:-|–|to|->|→|/|,)\s*v?")


def stated(text: str, framework: str = "") -> str:
    """The release that `text` names (``0.13.0`` of ``v0.13.0 installed``), or empty where it names none that this framework can have.

    Of a range it is the later end; of several programs' releases the framework's own, else the first; ``0.11.x`` and ``0.11`` are ``0.11.0``.
    ``main 2026-04``, ``nightly``, ``latest`` and a mere bound (``>=0.19``, ``<1.0``) name none.
    """
    own = re.search(rf"\b{re.escape(framework)}\b[\s=:]*(?=[<>~=]*\s*v?\d)", text) if framework else None
    found = [match for match in _RELEASE.finditer(text, own.end() if own else 0) if _possible(match, text, framework)]
    if not found:
        return ""
    chosen = found[0]
    if len(found) > 1 and _RANGE.fullmatch(text[chosen.end() : found[1].start("numbers")]):
        chosen = found[1]
    numbers = chosen["numbers"].removesuffix(".x").removesuffix(".*")
    return numbers + ".0" * (2 - numbers.count(".")) + (chosen["early"] or "")


def of_image(layers: Sequence[Layer], framework: str) -> str:
    """The release in the tag of the container image that a launch runs (``vllm/vllm-openai:v0.8.5``), where the image is the framework's own."""
    for layer in layers:
        name, colon, tag = layer.words[-1].rpartition(":") if layer.kind in ("container", "manifest") and layer.words else ("", "", "")
        if colon and framework and framework in name.lower() and "/" not in tag:
            return stated(tag, framework)
    return ""


def _possible(match: re.Match[str], text: str, framework: str) -> bool:
    return not _BOUND.search(text, 0, match.start()) and int(match["numbers"].partition(".")[0]) <= _MAJOR.get(framework, 99)
