"""Asks whether the files of weights are all there: those in the model's folder against those that its index names.

Outcomes: whole, missing (the index names files that are not there), pointers (files of a few bytes that only name the large ones), empty, none (no
file of weights at all); could not look; void where the folder is not there. Cost: one start of a Python without site-packages; no weights are read.
Control: the folder is listed, and its number of files reported.
"""

from probes.asking import answer, ask, configured, folder, given, positional, python_of, seen, unreadable
from probes.probe import Probe, Situation
from transcripts.records import Command, Finding, Outcome, Output, Question

NAME = "model-weights"
SCRIPT = """\
import json, os, sys
told = json.loads(sys.argv[1])
path = os.path.normpath(os.path.join(told["folder"] or os.getcwd(), told["model"]))
result = {"path": path, "folder": os.path.isdir(path), "files": 0, "weights": 0, "missing": [], "pointers": [], "empty": []}
if result["folder"]:
    try:
        names = sorted(os.listdir(path))
    except OSError as error:
        names = []
        result["failure"] = str(error)
    result["files"] = len(names)
    for name in names:
        full = os.path.join(path, name)
        if name.endswith((".safetensors", ".bin", ".pt", ".gguf")) and os.path.exists(full):
            size = os.path.getsize(full)
            result["weights"] += 1
            if size == 0:
                result["empty"].append(name)
            elif size < 300:
                with open(full, "rb") as stream:
                    if stream.read(40).startswith(b"version https://git-lfs"):
                        result["pointers"].append(name)
    for name in names:
        if name.endswith(".index.json"):
            try:
                with open(os.path.join(path, name), "rb") as stream:
                    wanted = set(json.loads(stream.read().decode("utf-8")).get("weight_map", {}).values())
            except (OSError, ValueError, AttributeError):
                result["unreadable"] = name
                continue
            result["missing"] += sorted(one for one in wanted if not os.path.exists(os.path.join(path, one)))
print(json.dumps(result))
"""
_ERRORS = frozenset(["incomplete-weights", "corrupt-weights", "weights-mismatch", "no-such-file", "no-tokenizer"])


def questions(situation: Situation) -> tuple[Question, ...]:
    """One question, where the last failure has to do with the model's files."""
    signs = situation.symptom.signs if situation.symptom else ()
    if not any(sign.variable == "error" and sign.value in _ERRORS for sign in signs):
        return ()
    model = _model(situation)
    return (Question(probe=NAME, parameters={"model": model}),) if model and "://" not in model else ()


def _model(situation: Situation) -> str:
    """The model that the launch names (empty: none)."""
    if situation.framework is None or situation.entry is None:
        return ""
    named = given(situation, situation.framework.model_flags)
    first = positional(situation)
    return named[-1].value if named else first.value if first else configured(situation, "model", "model_tag")


def command(question: Question, situation: Situation) -> Command:
    """List the folder and read its index."""
    return ask(SCRIPT, interpreter=python_of(situation), told={"model": question.parameters["model"], "folder": folder(situation)})


def read(question: Question, output: Output) -> Finding:
    """Which files of weights are not as the index says."""
    value = answer(output)
    if not isinstance(value, dict) or not isinstance(value.get("folder"), bool) or not isinstance(value.get("files"), int):
        return unreadable(output)
    model = question.parameters["model"]
    if not value["folder"]:
        return Finding(outcome=Outcome.VOID, text=f"{model} is no folder there", control="the folder is absent")
    if value.get("failure"):
        return Finding(outcome=Outcome.DENIED, text=f"{model} may not be listed: {value['failure']}")
    control = f"{value['files']} files listed"
    for state, said in (("pointers", "only name the large files"), ("missing", "are named by the index and not there"), ("empty", "are empty")):
        names = value.get(state)
        if isinstance(names, list) and names:
            sign = seen(NAME, "weights", state, model=model, path=str(names[0]))
            text = f"{len(names)} files of weights {said}: {', '.join(map(str, names[:4]))}"
            return Finding(outcome=Outcome.OBSERVED, text=text, signs=(sign,), control=control, data=value)
    state = "whole" if value.get("weights") else "none"
    text = f"{value.get('weights')} files of weights, all that the index names" if state == "whole" else f"{model} holds no file of weights"
    return Finding(outcome=Outcome.OBSERVED, text=text, signs=(seen(NAME, "weights", state, model=model),), control=control, data=value)


PROBE = Probe(
    name=NAME,
    about="the files of weights against the index",
    variables=("weights",),
    cost=0.15,
    control="the folder is listed, and its number of files reported",
    paste="ls -lL {model}; grep -o 'model-[^\"]*' {model}/*.index.json | sort -u",
    questions=questions,
    command=command,
    read=read,
)
