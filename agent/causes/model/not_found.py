"""The model argument names nothing that is there.

What happens
    A local folder that does not exist, or a repository name with a typing error. A path that is absent is taken for the name of a repository.

How it shows
    Repo id must be in the form 'repo_name' or 'namespace/repo_name': '/models/none', or a 404 of the hub.

How to tell
    Whether the folder exists on the machine, or in the container, where the server runs.

Fix
    The folder of nearly that name, where there is one; otherwise words.

Fix safety
    Changes the model argument alone.

References
    https://huggingface.co/docs/huggingface_hub/package_reference/utilities#huggingface_hub.errors.HFValidationError
"""

from agent.causes.cause import Cause
from agent.causes.mending import in_words, parameter, replaced
from agent.causes.seen import known, model_below, near_path
from probes.probe import Situation
from transcripts.records import Hypothesis, Repair


def mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """The near folder that exists, or words."""
    model = parameter(hypothesis, "model", "")
    near = hypothesis.parameters.get("near") or near_path(situation, model) or model_below(situation, model)
    change = replaced(situation, model, near, hypothesis) if near and model else None
    if near and change:
        return (Repair(summary=f"serve {near}: there is no model at {model}", changes=(change,), predicts="the model's configuration is read"),)
    why = hypothesis.parameters.get("why", "")
    if why:
        what = "a file, not a model folder" if why == "file" else "a folder without config.json"
        return in_words(f"{model} is {what}", "give the folder that holds the model's config.json", f"find it: find {model} -name config.json")
    nearest = known(situation, "model-folder", "nearest") or model.rpartition("/")[0]
    if model.startswith(("/", "./", "../", "~")):
        return in_words(
            f"there is no folder {model} where the server runs",
            f"put the model there, or give the folder it lies in: ls -d {nearest.rstrip('/')}/*",
            "in a container, mount the folder and give the path inside the container",
        )
    return in_words(f"no repository is called {model or 'so'}", "copy the name from the model's page: owner/name, letter for letter")


CAUSE = Cause(
    id="model/not-found",
    prior=0.05,
    table={
        "error": {"repository-invalid": 0.52, "repository-not-found": 0.38, "no-such-file": 0.04, "validation": 0.01, "other": 0.03},
        "model": {"absent": 0.8, "not-a-model": 0.18},
        "shape": {
            "path": 0.55,
            "intact": 0.38,
            "word": 0.03,
            "joined": 0.0005,
            "joined-equals": 0.0005,
            "flag": 0.0005,
            "boolean-word": 0.0005,
            "dollar": 0.0005,
            "empty": 0.0005,
            "typographic": 0.0005,
            "quoted": 0.0005,
            "whole-command": 0.0005,
        },
        "sent": {"consistent": 0.9999},
        "phase": {"config": 0.52, "model": 0.2, "arguments": 0.04},
    },
    summary="There is no model at {model}.",
    advice="Give a folder that exists where the server runs, or the repository's exact name.",
    subject=("model",),
    parameters=("near", "index", "why"),
    mend=mend,
    related=("model/gated", "model/offline"),
)
