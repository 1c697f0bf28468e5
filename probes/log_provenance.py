"""Asks whether a log can be of the attempt it is read for: when it was written, and which process and arguments it names.

Outcomes: own (written after the attempt began, or naming its process or arguments), stale (last written before the attempt began, or naming other
arguments or another process than the attempt's), could not look; void where the log shows nothing that could tell.
Cost: one start of a Python without site-packages that reads the first 64 kB. Control: the log must be a file with a time and a first line.
"""

import json
import re
from typing import Any

from probes.asking import answer, ask, seen, unreadable
from probes.probe import Probe, Situation
from transcripts.records import Command, Finding, Outcome, Output, Question

NAME = "log-provenance"
SLACK = 2.0
"""Seconds by which clocks and file systems may differ."""

SCRIPT = """\
import json, os, sys, time
told = json.loads(sys.argv[1])
result = {"now": time.time()}
try:
    found = os.stat(told["path"])
    with open(told["path"], "rb") as stream:
        head = stream.read(65536).decode("utf-8", "replace")
    result.update(mtime=found.st_mtime, size=found.st_size, head=[line[:2000] for line in head.splitlines()[:400]])
except PermissionError:
    result["failure"] = "denied"
except OSError:
    result["failure"] = "absent"
print(json.dumps(result))
"""

_ARGUMENTS = re.compile(r"non-default args: (\{.*\})|args: Namespace\((.*)\)")
_PID = re.compile(r"\bpid=(\d+)")
_PAIR = re.compile(r"'?(\w+)'?[:=]\s*('(?:[^'\\]|\\.)*'|[\w.+-]+)")


def questions(situation: Situation) -> tuple[Question, ...]:
    """One question about the log in hand (``situation.data["log"]``: path, and when and as which process the attempt began, where known)."""
    log = situation.data.get("log")
    if not isinstance(log, dict) or not log.get("path") or log["path"] == "-":
        return ()
    parameters = {"path": str(log["path"]), "argv": json.dumps(list(situation.argv))}
    parameters |= {name: str(log[name]) for name in ("began", "pid") if log.get(name)}
    return (Question(probe=NAME, parameters=parameters),)


def command(question: Question, situation: Situation) -> Command:
    """Read the log's time and its first lines."""
    return ask(SCRIPT, told={"path": question.parameters["path"]})


def read(question: Question, output: Output) -> Finding:
    """Whether the log can be this attempt's."""
    value = answer(output)
    if not isinstance(value, dict):
        return unreadable(output)
    path = question.parameters["path"]
    if value.get("failure") == "denied":
        return Finding(outcome=Outcome.DENIED, text=f"{path} may not be read")
    if value.get("failure") == "absent":
        return Finding(outcome=Outcome.VOID, text=f"{path} does not exist", control="the log is absent")
    if not isinstance(value.get("mtime"), int | float) or not isinstance(value.get("head"), list):
        return unreadable(output)
    if not value["head"]:
        return Finding(outcome=Outcome.VOID, text=f"{path} is empty", control="the log has no first line")
    control = f"{len(value['head'])} first lines seen"
    stale = _stale(question, value)
    if stale:
        sign = seen(NAME, "provenance", "stale", path=path, why=stale)
        return Finding(outcome=Outcome.OBSERVED, text=f"{path} is not this attempt's: {stale}", signs=(sign,), control=control)
    own = _own(question, value)
    if not own:
        return Finding(outcome=Outcome.VOID, text=f"{path} names nothing that tells which attempt it is of", control=control)
    sign = seen(NAME, "provenance", "own", path=path)
    return Finding(outcome=Outcome.OBSERVED, text=f"{path} is this attempt's: {own}", signs=(sign,), control=control)


def _stale(question: Question, value: dict[str, Any]) -> str:
    began = question.parameters.get("began", "")
    if began and value["mtime"] + SLACK < float(began):
        return f"it was last written {float(began) - value['mtime']:.0f} s before the attempt began"
    argv = json.loads(question.parameters.get("argv", "[]"))
    for name, said in _said(value["head"]).items():
        given = _given(argv, name)
        if given is not None and said not in (given, str(given)):
            return f"it names {name} as {said!r}, and the launch gives {given!r}"
    return ""


def _own(question: Question, value: dict[str, Any]) -> str:
    pid = question.parameters.get("pid", "")
    if pid and any(match == pid for line in value["head"] for match in _PID.findall(line)):
        return f"it names process {pid}"
    if question.parameters.get("began"):
        return "it was written after the attempt began"
    argv = json.loads(question.parameters.get("argv", "[]"))
    same = [name for name in _said(value["head"]) if _given(argv, name) is not None]
    return f"it names the launch's own {', '.join(same[:3])}" if same else ""


def _said(head: list[str]) -> dict[str, str]:
    """The plain arguments that a server's own first lines print."""
    for line in head:
        match = _ARGUMENTS.search(line)
        if match:
            return {name: text.strip("'") for name, text in _PAIR.findall(match.group(1) or match.group(2))}
    return {}


def _given(argv: list[str], name: str) -> str | None:
    """The value that the argv gives to the option called `name` in Python's spelling, numbers and words alone."""
    flag = "--" + name.replace("_", "-")
    for index, word in enumerate(argv):
        head, equals, text = word.partition("=")
        if head.replace("_", "-") == flag:
            value = text if equals else argv[index + 1] if index + 1 < len(argv) else ""
            return value if re.fullmatch(r"[\w.+/-]+", value) and not re.search(r"[kKmMgG]$", value) else None
    return None


PROBE = Probe(
    name=NAME,
    about="whether a log is of the attempt it is read for",
    variables=("provenance",),
    cost=0.1,
    control="the log must have a time and a first line",
    near=True,
    paste="ls -l --time-style=full-iso {path}; head -5 {path}",
    questions=questions,
    command=command,
    read=read,
)
