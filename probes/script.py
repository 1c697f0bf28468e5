"""Reads a file that must be read to understand the launch: a wrapper script, an env file.

Outcomes: observed with its text as data; observed with data None (absent, a folder, binary, or too large: the text says which); could not look.
Cost: one start of ``head``. Control: none needed, for the file is opened by its own name.
"""

import posixpath

from probes.asking import folder, unreadable
from probes.probe import Probe, Situation
from transcripts.records import Command, Finding, Outcome, Output, Question

NAME = "script"
LIMIT = 200_000

_REASONS = (
    ("No such file", Outcome.OBSERVED, "it does not exist"),
    ("Not a directory", Outcome.OBSERVED, "it does not exist"),
    ("Is a directory", Outcome.OBSERVED, "it is a folder"),
    ("Permission denied", Outcome.DENIED, "it may not be read"),
)


def questions(situation: Situation) -> tuple[Question, ...]:
    """One question for each path that the reading of the launch asks for."""
    needs = situation.data.get("needs", ())
    return tuple(Question(probe=NAME, parameters={"path": str(path)}) for path in needs)


def command(question: Question, situation: Situation) -> Command:
    """Print the beginning of the file."""
    path = posixpath.join(folder(situation), question.parameters["path"])
    return Command(argv=("head", "-c", str(LIMIT + 1), "--", path), env={"LC_ALL": "C"}, timeout=10.0)


def read(question: Question, output: Output) -> Finding:
    """The file's text, or the reason why it has none for us."""
    path, text = question.parameters["path"], output.stdout
    if output.status != 0:
        for said, outcome, reason in _REASONS:
            if said in output.stderr and output.stderr.startswith("head: "):
                return Finding(outcome=outcome, text=f"{path} cannot be read: {reason}")
        return unreadable(output)
    if "\0" in text:
        return Finding(outcome=Outcome.OBSERVED, text=f"{path} is binary")
    if output.truncated or len(text.encode("utf-8", "replace")) > LIMIT:
        return Finding(outcome=Outcome.OBSERVED, text=f"{path} is larger than {LIMIT // 1000} kB and was not read")
    return Finding(outcome=Outcome.OBSERVED, text=f"{path} read, {len(text.splitlines())} lines", data=text)


PROBE = Probe(
    name=NAME,
    about="the text of a script or env file that the launch goes through",
    variables=(),
    cost=0.02,
    control="none needed: the file is opened by its own name",
    check=True,
    near=True,
    questions=questions,
    command=command,
    read=read,
)
