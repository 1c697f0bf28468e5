"""A package that the framework stands on is missing, too old or too new.

What happens
    The framework installs, and a package below it does not fit: not installed at all (an extra was left out), or of a release with other names.

How it shows
    ModuleNotFoundError or ImportError about a package that is not the framework's own, an AttributeError inside one, or the framework's own
    words that a package is wanted. The last line (No module named 'proxy_server') is often only the echo of an earlier one.

How to tell
    What that interpreter has installed against what the framework's metadata asks for, extras included.

Fix
    Install what is missing with the interpreter that runs the server, not with whatever pip comes first on PATH.

Fix safety
    Only words: an environment that others may use is not changed for you.

References
    https://packaging.python.org/en/latest/specifications/dependency-specifiers/
"""

import shlex

from agent.causes import packages
from agent.causes.cause import Cause
from agent.causes.mending import in_words
from probes.probe import Situation
from transcripts.records import Hypothesis, Repair

DISTRIBUTIONS = {"yaml": "pyyaml", "PIL": "pillow", "cv2": "opencv-python-headless", "sklearn": "scikit-learn", "google.protobuf": "protobuf"}
"""Import names whose distribution is called otherwise."""

_PROXY = frozenset({"prisma", "apscheduler", "fastapi", "orjson", "uvicorn", "gunicorn", "backoff", "fastapi_sso", "proxy_server"})
"""Modules that come with LiteLLM's extras alone."""


def distribution(module: str) -> str:
    """The distribution that brings `module`, as far as is known."""
    top = module.partition(".")[0]
    return DISTRIBUTIONS.get(module) or DISTRIBUTIONS.get(top) or top.replace("_", "-")


def mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """What to install, and with which interpreter, in words."""
    module = hypothesis.parameters.get("module", "")
    if not module or module == packages.ELSEWHERE:
        return in_words("compare what is installed with what the framework asks for: run pip check with the interpreter that runs the server")
    wanted = hypothesis.parameters.get("wanted", "")
    target = wanted if wanted and wanted[0].isalpha() else distribution(module) + wanted
    if situation.framework is not None and situation.framework.name == "litellm" and module.partition(".")[0] in _PROXY:
        target = "litellm[proxy,extra_proxy]" if module.startswith("prisma") else "litellm[proxy]"
    python = shlex.quote(situation.interpreter or "PYTHON")
    steps = [f"{python} -m pip install {shlex.quote(target)}"]
    if not situation.interpreter:
        steps.append("PYTHON is the interpreter that runs the server: the first line of its start script names it")
    return in_words(f"install {target} for the interpreter that runs the server", *steps)


CAUSE = Cause(
    id="version/dependency",
    prior=0.065,
    table={
        "topic": {"package": 0.55, "rope": 0.1, "architecture": 0.01, "tokenizer": 0.05},
        "error": {
            "missing-module": 0.56,
            "python-too-old": 0.008,
            "import-name": 0.17,
            "attribute-missing": 0.09,
            "signature-mismatch": 0.07,
            "validation": 0.01,
            "library-missing": 0.01,
            "remote-code": 0.01,
            "weights-mismatch": 0.002,
            "no-tokenizer": 0.004,
            "other": 0.035,
        },
        "install": {"missing-dependency": 0.46, "wrong-dependency": 0.46, "sound": 0.06},
        "phase": {"none": 0.35, "arguments": 0.2, "config": 0.2, "model": 0.08, "engine": 0.05, "server": 0.06},
    },
    summary="A package that the framework needs is missing or does not fit: {module}",
    advice="Install it with the interpreter that runs the server.",
    subject=("module", "object"),
    parameters=("name", "wanted", "found"),
    suggest=packages.others,
    mend=mend,
)
