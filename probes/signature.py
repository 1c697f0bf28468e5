"""Asks the Python API of the framework (the signature of its engine arguments) whether it has a parameter of a flag's name.

That a parameter is there proves nothing about the command line: every flag of the engine has one, and so have settings that no flag exposes. Only
together with a flag that the parser is known not to have does it mean something: the setting is for the Python API alone.

Outcomes: the parameter is there (with a flag known to be unregistered: a sign of that), or is not (no sign: other flags have none); void where the
control fails; could not look. Cost: eight seconds, the framework's imports. Control: ``model``, which the API of every release has.
"""

import json

from probes.asking import changes, environment, folder, seen, unreadable, unset
from probes.probe import Probe, Situation
from transcripts.records import Command, Finding, Outcome, Output, Question, Sign

NAME = "signature"
CONTROLS = ("model", "model_path")

SCRIPT = r"""
import importlib, inspect, json, os, sys
answer = os.dup(1)
os.dup2(2, 1)
module, _, name = sys.argv[1].partition(":")
found = getattr(importlib.import_module(module), name)
parameters = {key: str(value.annotation) for key, value in inspect.signature(found.__init__).parameters.items() if key != "self"}
os.write(answer, (json.dumps({"class": sys.argv[1], "parameters": parameters}) + "\n").encode())
os._exit(0)
"""


def questions(situation: Situation) -> tuple[Question, ...]:
    """Every flag that is not recognised, where the framework has a Python API."""
    if not situation.can_ask or situation.framework is None or not situation.framework.api_class or not situation.interpreter:
        return ()
    flags = dict.fromkeys(
        sign.parameters["flag"]
        for sign in (situation.symptom.signs if situation.symptom else ())
        if (sign.variable, sign.value) in (("error", "unrecognised"), ("registered", "no")) and sign.parameters.get("flag", "").startswith("--")
    )
    return tuple(Question(probe=NAME, parameters={"flag": flag, "api": situation.framework.api_class, "registered": "no"}) for flag in flags)


def command(question: Question, situation: Situation) -> Command:
    """The signature, printed by the program's own interpreter."""
    flags = () if environment(situation).get("PYTHONPATH") else ("-I",)
    return Command(
        argv=(situation.interpreter or "python3", *flags, "-c", SCRIPT, question.parameters["api"]),
        env=changes(situation),
        unset=unset(situation),
        cwd=folder(situation) or None,
        timeout=120.0,
    )


def read(question: Question, output: Output) -> Finding:
    """Whether the parameter is there."""
    parameters = _parameters(output)
    if parameters is None:
        return unreadable(output)
    flag, api = question.parameters["flag"], question.parameters["api"].rpartition(":")[2]
    control = next((name for name in CONTROLS if name in parameters), "")
    if not control:
        return Finding(outcome=Outcome.VOID, text=f"{api} shows no parameter that it is known to have", control=f"none of {', '.join(CONTROLS)}")
    name = flag.lstrip("-").partition(".")[0].replace("-", "_")
    present = name in parameters
    text = f"{api} has {'a' if present else 'no'} parameter {name}"
    signs: tuple[Sign, ...] = ()
    if present and question.parameters.get("registered") == "no":
        signs = (seen(NAME, "kin", "api-only", flag=flag, parameter=name),)
        text += ", and the command line has no such flag"
    elif present:
        text += ", which says nothing about the command line"
    return Finding(outcome=Outcome.OBSERVED, text=text, signs=signs, control=f"parameter {control} found", data={"parameters": sorted(parameters)})


def _parameters(output: Output) -> dict[str, str] | None:
    if output.status != 0 or output.truncated:
        return None
    lines = output.stdout.strip().splitlines()
    try:
        said = json.loads(lines[-1]) if lines else None
    except ValueError:
        return None
    parameters = said.get("parameters") if isinstance(said, dict) else None
    return parameters if isinstance(parameters, dict) and all(isinstance(key, str) for key in parameters) else None


PROBE = Probe(
    name=NAME,
    about="whether the Python API has a parameter of that name",
    variables=("kin",),
    cost=8.0,
    control="a parameter that every release has",
    questions=questions,
    command=command,
    read=read,
)
