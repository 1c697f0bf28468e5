"""A compiled extension was built for another torch, CUDA or Python than the one it is loaded into.

What happens
    The wheel of the framework and the torch beside it do not belong together; the extension's symbols are not those that torch exports.

How it shows
    undefined symbol, at import. Some releases log it as a WARNING and go on, to die later of an AttributeError about _C or torch.ops: the
    warning is the cause, the crash the consequence.

How to tell
    The torch that the framework's metadata asks for against the one installed; loading the extension alone.

Fix
    The torch that this build was made for, in a clean environment.

Fix safety
    Only words: installing torch changes an environment that others may use.

References
    https://docs.vllm.ai/en/latest/getting_started/installation/ · man 8 ld.so
"""

import shlex

from agent.causes import packages
from agent.causes.cause import Cause, Parameters
from agent.causes.mending import in_words
from probes.probe import Situation
from transcripts.records import Hypothesis, Repair, Sign

_NAMES = ("library", "symbol", "wanted", "found")


def suggest(signs: tuple[Sign, ...]) -> list[Parameters]:
    """Hypotheses about compiled extensions: an import error that names none is another matter."""
    found: list[Parameters] = []
    for sign in signs:
        if sign.variable == "error" and sign.value in ("attribute-missing", "import-name", "missing-module"):
            text = " ".join(sign.parameters.get(name, "") for name in ("module", "object", "name"))
            subject = "module" if "module" in sign.parameters else "object"
            if sign.parameters.get(subject):
                found.append({subject: sign.parameters[subject] if packages.native(text) else packages.ELSEWHERE})
    about = {name: sign.parameters[name] for sign in reversed(signs) for name in _NAMES if name in sign.parameters}
    return [{**about, **item} for item in found] or [about]


def mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """Which torch is wanted, and how to get a fitting pair, in words."""
    python = shlex.quote(situation.interpreter or "PYTHON")
    wanted = hypothesis.parameters.get("wanted", "")
    library = hypothesis.parameters.get("library", "torch")
    name = situation.framework.name if situation.framework else "the framework"
    release = f"=={situation.release.partition('+')[0]}" if situation.release else ""
    steps = [f"{python} -m pip install {shlex.quote(wanted)}"] if wanted and wanted[0].isalpha() else []
    steps.append(f"or install {name}{release} into a clean environment, which brings the torch that it was built for")
    return in_words(f"bring {library} and {name} back together: the extension was built for another one", *steps)


CAUSE = Cause(
    id="version/abi",
    prior=0.025,
    table={
        "error": {"undefined-symbol": 0.66, "attribute-missing": 0.17, "import-name": 0.03, "missing-module": 0.1, "library-missing": 0.04},
        "install": {"abi": 0.93, "wrong-dependency": 0.03},
        "phase": {"none": 0.4, "arguments": 0.2, "config": 0.2, "engine": 0.15},
    },
    summary="A compiled part of the framework was built for another torch than the one installed ({library}).",
    advice="Install the torch that this build was made for, or the framework afresh in a clean environment.",
    subject=("module", "object"),
    parameters=_NAMES,
    suggest=suggest,
    mend=mend,
)
