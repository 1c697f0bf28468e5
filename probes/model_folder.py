"""Asks what the model argument names: a folder on the target, a name on the hub, or nothing.

Outcomes: folder (with ``config.json``), hub-id (``owner/name`` and no such folder here), absent (reads like a path, and nothing is there),
not-a-model (a folder without ``config.json``, or a word that can be no repository name); could not look.
Cost: one start of a Python without site-packages. Control: the nearest folder that exists is looked at in the same breath.
"""

import re

from probes.asking import Given, answer, ask, configured, folder, given, positional, predicted, python_of, seen, unreadable
from probes.launches.shapes import shape_of
from probes.probe import Probe, Situation
from transcripts.records import Command, Finding, Outcome, Output, Question

NAME = "model-folder"

SCRIPT = """\
import json, os, sys
told = json.loads(sys.argv[1])
model = told["model"]
path = os.path.normpath(os.path.join(told["folder"] or os.getcwd(), model))
result = {"path": path, "exists": os.path.lexists(path), "folder": os.path.isdir(path), "file": os.path.isfile(path)}
near = os.path.dirname(path)
while near != "/" and not os.path.isdir(near):
    near = os.path.dirname(near)
result["nearest"] = near
result["near"] = []
if not result["exists"] and near == os.path.dirname(path):
    import difflib
    try:
        names = [name for name in os.listdir(near) if os.path.isdir(os.path.join(near, name))]
    except OSError:
        names = []
    for name in difflib.get_close_matches(os.path.basename(path), names, 3, 0.7):
        result["near"].append(os.path.join(near, name))
if result["folder"]:
    try:
        names = sorted(os.listdir(path))
        result["names"] = names[:200]
        result["readable"] = True
    except OSError:
        result["names"], result["readable"] = [], False
    result["config"] = os.path.isfile(os.path.join(path, "config.json")) or os.path.isfile(os.path.join(path, "params.json"))
    result["weights"] = any(name.endswith((".safetensors", ".bin", ".pt", ".gguf")) for name in result["names"])
    below = [n for n in result["names"] if os.path.isfile(os.path.join(path, n, "config.json"))]
    result["below"] = below[:20]
print(json.dumps(result))
"""

_HUB = re.compile(r"^[\w][\w.-]{0,95}/[\w][\w.-]{0,95}$")
_BARE = re.compile(r"^[\w][\w.-]{0,95}$")
_ELSEWHERE = re.compile(r"^(?:https?|s3|gs|az|runai)://")


def _model(situation: Situation) -> Given | None:
    framework = situation.framework
    if framework is None or not situation.entry:
        return None
    named = given(situation, framework.model_flags)
    found = named[-1] if named else positional(situation)
    inside = configured(situation, "model", "model_tag")
    return found or (Given(flag="--config", value=inside, position=0) if inside else None)


def questions(situation: Situation) -> tuple[Question, ...]:
    """One question about the model, where the launch names one that is not fetched from a store."""
    if situation.framework is None or situation.framework.rules.kind == "click":
        return ()
    model = _model(situation)
    if model is None or not model.value or _ELSEWHERE.match(model.value):
        return ()
    return (Question(probe=NAME, parameters={"model": model.value, "flag": model.flag}),)


def command(question: Question, situation: Situation) -> Command:
    """Look at the path that the model argument would be."""
    return ask(SCRIPT, interpreter=python_of(situation), told={"model": question.parameters["model"], "folder": folder(situation)})


def read(question: Question, output: Output) -> Finding:
    """What the model argument names, and the error that it makes certain."""
    value = answer(output)
    if not isinstance(value, dict) or not isinstance(value.get("exists"), bool):
        return unreadable(output)
    model = question.parameters["model"]
    control = f"{value.get('nearest')} exists"
    if value.get("folder"):
        return _of_folder(model, value, control)
    if value.get("file") and model.endswith(".gguf"):
        return Finding(outcome=Outcome.OBSERVED, text=f"{model} is a GGUF file", control=control, data=value)
    if value["exists"]:
        sign = seen(NAME, "model", "not-a-model", model=model, why="file")
        return Finding(outcome=Outcome.OBSERVED, text=f"{model} is a file, not a model folder", signs=(sign,), control=control, data=value)
    if _HUB.match(model) and value.get("near"):
        sign = seen(NAME, "model", "absent", model=model, near=str(value["near"][0]))
        text = f"{model} does not exist; {value['near'][0]} is near"
        return Finding(outcome=Outcome.OBSERVED, text=text, signs=(sign,), control=control, data=value)
    if _HUB.match(model) and not model.startswith((".", "~")):
        sign = seen(NAME, "model", "hub-id", model=model)
        return Finding(
            outcome=Outcome.OBSERVED, text=f"{model} is no folder here; it reads as a name on the hub", signs=(sign,), control=control, data=value
        )
    if _BARE.match(model):
        sign = seen(NAME, "model", "hub-id", model=model, form="bare")
        text = f"{model} is no folder here; as a name on the hub it has no owner"
        return Finding(outcome=Outcome.OBSERVED, text=text, signs=(sign,), control=control, data=value)
    more = {"near": str(value["near"][0])} if value.get("near") else {}
    shape = shape_of(model)
    told = () if shape in ("intact", "path", "word") else (seen(NAME, "shape", shape, model=model, value=model),)
    signs = (seen(NAME, "model", "absent", model=model, **more), predicted("repository-invalid", model=model), *told)
    text = f"{model} does not exist; the nearest folder that does is {value.get('nearest')}"
    if more:
        text = f"{model} does not exist; {more['near']} is near"
    return Finding(outcome=Outcome.OBSERVED, text=text, signs=signs, control=control, data=value)


def _of_folder(model: str, value: dict[str, object], control: str) -> Finding:
    if value.get("config"):
        sign = seen(NAME, "model", "folder", model=model)
        return Finding(outcome=Outcome.OBSERVED, text=f"{model} is a folder with a config.json", signs=(sign,), control=control, data=value)
    if not value.get("readable"):
        return Finding(outcome=Outcome.DENIED, text=f"{model} is a folder that may not be read", control=control)
    below = value.get("below")
    inside = f"; models lie below it: {', '.join(map(str, below))}" if isinstance(below, list) and below else ""
    sign = seen(NAME, "model", "not-a-model", model=model, why="no config.json")
    return Finding(outcome=Outcome.OBSERVED, text=f"{model} is a folder without config.json{inside}", signs=(sign,), control=control, data=value)


PROBE = Probe(
    name=NAME,
    about="what the model argument names",
    variables=("model", "error"),
    cost=0.1,
    control="the nearest folder that exists is looked at in the same breath",
    check=True,
    paste="ls -l {model}/config.json",
    questions=questions,
    command=command,
    read=read,
)
