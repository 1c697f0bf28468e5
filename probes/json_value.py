"""Asks the target's own Python whether the value of a JSON flag is JSON, and says what shape a value has that is not.

Outcomes: intact-json, or the shape of what is wrong with it (cut, stripped, single-quoted…); could not look.
Cost: one start of a Python without site-packages. Control: ``{"a": 1}`` is parsed in the same run and must be accepted.
"""

import json

from probes.asking import Given, answer, ask, given, seen, unreadable
from probes.launches.shapes import shape_of
from probes.probe import Probe, Situation
from transcripts.records import Command, Fault, Finding, Outcome, Output, Question

NAME = "json-value"
ORDER = 20

SCRIPT = """\
import json, sys
def parsed(text):
    try:
        value = json.loads(text)
        return {"valid": True, "kind": type(value).__name__, "keys": sorted(value) if isinstance(value, dict) else []}
    except ValueError as error:
        return {"valid": False, "why": str(error)}
print(json.dumps({"control": parsed('{"a": 1}')["valid"], "value": parsed(json.loads(sys.argv[1])["value"])}))
"""


def json_flags(situation: Situation) -> tuple[Given, ...]:
    """The values given to flags that take JSON by the release's own table; without one, those that begin like an object."""
    if situation.table is not None:
        names = [name for flag in situation.table.flags if flag.json_config or flag.type == "json" for name in flag.names]
        return given(situation, names)
    words = {word.partition("=")[0] for word in situation.options if word.startswith("--")}
    return tuple(item for item in given(situation, words) if item.value.lstrip("'\"\\")[:1] == "{")


def json_faults(situation: Situation) -> tuple[Fault, ...]:
    """The JSON values on the arriving argv that do not parse, with their shapes. Pure."""
    faults: list[Fault] = []
    for item in json_flags(situation):
        if not _parses(item.value):
            sign = seen(NAME, "shape", _shape(item.value), flag=item.flag, value=item.value)
            faults.append(Fault(signs=(sign,), order=ORDER, text=f"{item.flag}: {item.value!r} is no JSON"))
    return tuple(faults)


def _parses(value: str) -> bool:
    try:
        json.loads(value)
    except (ValueError, RecursionError):
        return False
    return True


def _shape(value: str) -> str:
    return shape_of(value, wants_json=True).replace("_", "-")


def questions(situation: Situation) -> tuple[Question, ...]:
    """One question for each JSON value on the arriving argv."""
    return tuple(Question(probe=NAME, parameters={"flag": item.flag, "value": item.value}) for item in json_flags(situation))


def command(question: Question, situation: Situation) -> Command:
    """Parse the value with the target's json module."""
    return ask(SCRIPT, interpreter=situation.interpreter, told={"value": question.parameters["value"]})


def read(question: Question, output: Output) -> Finding:
    """Whether the value parses, else its shape."""
    found = answer(output)
    if not isinstance(found, dict) or not isinstance(found.get("value"), dict) or not isinstance(found["value"].get("valid"), bool):
        return unreadable(output)
    flag, value = question.parameters["flag"], question.parameters["value"]
    if found.get("control") is not True:
        return Finding(outcome=Outcome.VOID, text="the target's json module refuses a plain object", control='{"a": 1} was refused')
    control = '{"a": 1} was accepted'
    if found["value"]["valid"]:
        sign = seen(NAME, "shape", "intact-json", flag=flag, value=value)
        text = f"{flag}: the value is JSON ({found['value'].get('kind')})"
        return Finding(outcome=Outcome.OBSERVED, text=text, signs=(sign,), control=control, data=found["value"])
    sign = seen(NAME, "shape", _shape(value), flag=flag, value=value)
    text = f"{flag}: {value!r} is no JSON: {found['value'].get('why')}"
    return Finding(outcome=Outcome.OBSERVED, text=text, signs=(sign,), control=control, data=found["value"])


PROBE = Probe(
    name=NAME,
    about="whether the value of a JSON flag is JSON",
    variables=("shape",),
    cost=0.1,
    control='{"a": 1} is parsed in the same run',
    near=True,
    paste="{python} -m json.tool <<'EOF'\n{value}\nEOF",
    questions=questions,
    command=command,
    read=read,
)
