"""Asks whether the files that the launch names are there: certificates, chat templates (`probes.config_file` reads the
configuration).

Outcomes: present, absent, denied (another user's, or a folder on the way may not be entered), a folder where a file is wanted; could not look.
Cost: one start of a Python without site-packages for each file. Control: the folder in which the file should lie, or the nearest one that
exists, is looked at in the same breath and reported.
"""

import re

from probes.asking import Given, answer, ask, folder, given, predicted, python_of, seen, unreadable
from probes.probe import Probe, Situation
from transcripts.records import Command, Finding, Outcome, Output, Question

NAME = "files"

SCRIPT = """\
import json, os, sys
told = json.loads(sys.argv[1])
path = os.path.normpath(os.path.join(told["folder"] or os.getcwd(), told["path"]))
result = {"path": path, "link": os.path.islink(path)}
try:
    os.stat(path)
    result["kind"] = "folder" if os.path.isdir(path) else "file"
    result["readable"] = os.access(path, os.R_OK)
    result["state"] = "present" if result["readable"] else "denied"
except PermissionError:
    result["state"] = "denied"
except (FileNotFoundError, NotADirectoryError):
    result["state"] = "absent"
except (OSError, ValueError) as error:
    result["state"] = "error"
    result["why"] = str(error)
near = os.path.dirname(path)
while near != "/" and not os.path.isdir(near):
    near = os.path.dirname(near)
result["nearest"] = near
result["close"] = []
if result["state"] == "absent" and near == os.path.dirname(path):
    import difflib
    try:
        result["close"] = [os.path.join(near, n) for n in difflib.get_close_matches(os.path.basename(path), os.listdir(near), 3, 0.6)]
    except OSError:
        pass
print(json.dumps(result))
"""

_PATH = re.compile(r"^(?:/|\.{1,2}/|~)|^[\w.@+-]+(?:/[\w.@+-]+)+$|^[\w.@+-]+\.(?:jinja2?|ya?ml|json|pem|crt|key|txt|toml|cfg|py|cert|model)$")


def _names(situation: Situation) -> tuple[Given, ...]:
    framework = situation.framework
    if framework is None:
        return ()
    others = {framework.config_flag, "-c"}
    found = given(situation, [flag for flag in framework.file_flags if flag not in others])
    return tuple(item for item in found if _PATH.search(item.value) and "\n" not in item.value)


def questions(situation: Situation) -> tuple[Question, ...]:
    """One question for each file that a flag names; a value that is evidently the text itself (an inline template) is none."""
    return tuple(Question(probe=NAME, parameters={"flag": item.flag, "path": item.value}) for item in _names(situation))


def command(question: Question, situation: Situation) -> Command:
    """Look at the file, and at the folder where it should lie."""
    return ask(SCRIPT, interpreter=python_of(situation), told={"path": question.parameters["path"], "folder": folder(situation)})


def read(question: Question, output: Output) -> Finding:
    """The state of the file, and the error that it makes certain."""
    value = answer(output)
    if not isinstance(value, dict) or value.get("state") not in ("present", "absent", "denied"):
        return unreadable(output)
    path, flag, where = question.parameters["path"], question.parameters["flag"], str(value["path"])
    control = f"{value.get('nearest')} exists"
    about = {"path": path, "flag": flag}
    value["near"] = {path: value.get("close") or []}
    if value["state"] == "absent":
        near = {"near": str(value["close"][0])} if value.get("close") else {}
        note = f" (looked for as {where})" if where != path else ""
        signs = (seen(NAME, "file", "absent", **about, **near), predicted("no-such-file", path=path, flag=flag))
        return Finding(outcome=Outcome.OBSERVED, text=f"{flag}: {path} does not exist{note}", signs=signs, control=control, data=value)
    if value["state"] == "denied":
        signs = (seen(NAME, "file", "denied", **about), predicted("permission-denied", path=path, flag=flag))
        return Finding(outcome=Outcome.OBSERVED, text=f"{flag}: {path} may not be read", signs=signs, control=control, data=value)
    if value.get("kind") == "folder":
        refused = seen(NAME, "file", "refused", **about, why="folder")
        return Finding(outcome=Outcome.OBSERVED, text=f"{flag}: {path} is a folder, not a file", signs=(refused,), control=control, data=value)
    return Finding(
        outcome=Outcome.OBSERVED, text=f"{flag}: {path} is there", signs=(seen(NAME, "file", "present", **about),), control=control, data=value
    )


PROBE = Probe(
    name=NAME,
    about="the files that the launch names",
    variables=("file", "error"),
    cost=0.1,
    control="the nearest folder that exists is looked at in the same breath",
    check=True,
    paste="ls -ld {path}",
    questions=questions,
    command=command,
    read=read,
)
