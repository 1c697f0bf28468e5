"""What runs inside the server beside the framework: a plugin, a connector, a distribution that builds on it. Pure.

Seen in the launch's words, in what a person states as framework and release, and in an error's own words.
"""

import re
from collections.abc import Iterable, Sequence

from probes.probe import Situation
from transcripts.records import Sign

_BUILDS_ON = re.compile(
    r"\b(?:vllm|sglang|litellm)[-_](?!cpu\b|openai\b|main\b|project\b|gpu\b|cuda\b|dev\b|tpu\b|rocm\b|xpu\b|neuron\b|proxy\b)([a-z][a-z0-9]+)\b"
)
_BESIDE = re.compile(r"(?:\+|\bwith|\band|&)\s*([A-Za-z][\w-]+)\s+v?\d+\.\d+")
_CONNECTOR = re.compile(r"\b([A-Z][A-Za-z]+?)(?:Store)?Connector(?:V\d+)?\b")
_OWN = frozenset(
    ("vllm", "sglang", "litellm", "torch", "cuda", "python", "transformers", "driver", "shared", "storage", "example", "multi", "p2pnccl", "nccl")
)


def companions(situation: Situation) -> tuple[str, ...]:
    """The names of what is told to run beside the framework, each once, in lower case."""
    texts = (str(situation.data.get("stated", "")), situation.launch.shell or "", *situation.launch.argv, *situation.arrival.argv)
    found = (match.group(1).lower() for text in texts for rule in (_BUILDS_ON, _BESIDE, _CONNECTOR) for match in rule.finditer(text))
    return tuple(dict.fromkeys(name for name in found if name not in _OWN))


def companion_sign(signs: Sequence[Sign], situation: Situation) -> Iterable[Sign]:
    """Whether something runs beside the framework, where an error of arguments or imports may be its doing; ``owner`` where the error names it."""
    error = next((sign for sign in signs if sign.variable == "error" and sign.value in _MAY_BE), None)
    if error is None or any(sign.variable == "companion" for sign in signs):
        return
    names = companions(situation)
    said = " ".join(error.parameters.get(name, "") for name in ("flag", "module", "object", "function", "name")).lower()
    owner = next((name for name in names if re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", said)), "")
    if names:
        yield Sign(variable="companion", value="owner" if owner else "named", parameters={"companion": owner or names[0]}, source="launch")


_MAY_BE = frozenset(("unrecognised", "missing-module", "import-name", "attribute-missing", "signature-mismatch", "invalid-choice"))
