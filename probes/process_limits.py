"""Asks for the limits that a process started there gets: open files, processes and threads, locked memory.

Outcomes: enough, low (fewer than 4096 files or threads); could not look. What a service manager or a container sets for the server may differ.
Cost: one start of ``cat``. Control: the table must name the limit of open files.
"""

import re

from probes.asking import seen, unreadable
from probes.probe import Probe, Situation
from transcripts.records import Command, Finding, Outcome, Output, Question

NAME = "process-limits"
_ROW = re.compile(r"^(?P<name>Max [a-z -]+?) {2,}(?P<soft>\S+) +(?P<hard>\S+)", re.MULTILINE)
_WANTED = {"Max open files": ("files", 4096), "Max processes": ("threads", 4096)}


def questions(situation: Situation) -> tuple[Question, ...]:
    """One question, where the last failure has to do with a limit."""
    signs = situation.symptom.signs if situation.symptom else ()
    return (Question(probe=NAME),) if any(sign.variable == "error" and sign.value in ("limit", "host-memory") for sign in signs) else ()


def command(question: Question, situation: Situation) -> Command:
    """Print the limits of a process that sets none itself."""
    return Command(argv=("cat", "/proc/self/limits"), timeout=10.0)


def read(question: Question, output: Output) -> Finding:
    """Which limit is low."""
    rows = {match["name"]: match["soft"] for match in _ROW.finditer(output.stdout)}
    if output.status != 0 or "Max open files" not in rows:
        return unreadable(output)
    low = [name for title, (name, least) in _WANTED.items() if rows.get(title, "").isdigit() and int(rows[title]) < least]
    text = ", ".join(f"{name}: {rows[title]}" for title, (name, _) in _WANTED.items() if title in rows)
    sign = seen(NAME, "limits", "low", limit=low[0]) if low else seen(NAME, "limits", "enough")
    return Finding(outcome=Outcome.OBSERVED, text=text, signs=(sign,), control=f"{len(rows)} limits listed", data=rows)


PROBE = Probe(
    name=NAME,
    about="the limits of open files and threads that a server gets there",
    variables=("limits",),
    cost=0.05,
    control="the table names the limit of open files",
    paste="ulimit -n -u -l",
    questions=questions,
    command=command,
    read=read,
)
