"""Reads a file that must be read to understand the launch: a wrapper script, an env file.

Outcomes: observed with its text as data; observed with data None (absent, a folder, binary, or too large: the text says which); could not look.
Cost: one start of a Python without site-packages. Control: none needed, for the file is opened by its own name.
"""

from probes.asking import answer, ask, folder, unreadable
from probes.probe import Probe, Situation
from transcripts.records import Command, Finding, Outcome, Output, Question

NAME = "script"
LIMIT = 200_000

SCRIPT = """\
import json, os, sys
told = json.loads(sys.argv[1])
path = os.path.join(told["folder"] or os.getcwd(), os.path.expanduser(told["path"]))
result = {"path": path}
try:
    result["size"] = os.stat(path).st_size
    if os.path.isfile(path):
        with open(path, "rb") as stream:
            data = stream.read(told["limit"] + 1)
        result["mode"] = os.stat(path).st_mode & 0o777
        result["binary"] = b"\\0" in data
        result["text"] = "" if result["binary"] else data[:told["limit"]].decode("utf-8", "replace")
    else:
        result["failure"] = "directory" if os.path.isdir(path) else "special"
except PermissionError:
    result["failure"] = "denied"
except OSError:
    result["failure"] = "absent"
print(json.dumps(result))
"""

_REASONS = {"directory": "it is a folder", "special": "it is no regular file", "absent": "it does not exist", "denied": "it may not be read"}


def questions(situation: Situation) -> tuple[Question, ...]:
    """One question for each path that the reading of the launch asks for."""
    needs = situation.data.get("needs", ()) if situation.can_ask else ()
    return tuple(Question(probe=NAME, parameters={"path": str(path)}) for path in needs)


def command(question: Question, situation: Situation) -> Command:
    """Print the file's text as JSON."""
    return ask(SCRIPT, told={"path": question.parameters["path"], "folder": folder(situation), "limit": LIMIT})


def read(question: Question, output: Output) -> Finding:
    """The file's text, or the reason why it has none for us."""
    value = answer(output)
    if not isinstance(value, dict) or "path" not in value:
        return unreadable(output)
    path = question.parameters["path"]
    failure = value.get("failure", "")
    if failure == "denied":
        return Finding(outcome=Outcome.DENIED, text=f"{path} cannot be read: {_REASONS[failure]}")
    if failure in _REASONS:
        return Finding(outcome=Outcome.OBSERVED, text=f"{path} cannot be read: {_REASONS[failure]}")
    if value.get("binary"):
        return Finding(outcome=Outcome.OBSERVED, text=f"{path} is binary")
    text = value.get("text")
    if not isinstance(text, str):
        return unreadable(output)
    if int(value.get("size", 0)) > LIMIT:
        return Finding(outcome=Outcome.OBSERVED, text=f"{path} is larger than {LIMIT // 1000} kB and was not read")
    return Finding(outcome=Outcome.OBSERVED, text=f"{path} read, {len(text.splitlines())} lines", data=text)


PROBE = Probe(
    name=NAME,
    about="the text of a script or env file that the launch goes through",
    variables=(),
    cost=0.1,
    control="none needed: the file is opened by its own name",
    check=True,
    questions=questions,
    command=command,
    read=read,
)
