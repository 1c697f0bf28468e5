"""Reads the flags of the installed framework from its source, in the target's own Python, importing nothing of the framework.

The extractor (`probes.atlas.source`) is sent on standard input, finds the package where it is installed, follows the code that builds the parser, and
prints one JSON document: options with aliases, types, choices and arity, the fields of the Python API without a flag, subcommands, environment
variables, keys of JSON configurations.

Outcomes: the flag table (and, where a flag is asked about, whether it is registered); void where the control fails or the code could not be
followed to its end; could not look. Cost: half a second of one core, a fiftieth of the framework's own full help. Control: the flag that every
release of the framework has must be found in the same document.
"""

import json
import posixpath
from typing import Any

from probes.asking import seen, unreadable
from probes.atlas.kinship import kin
from probes.atlas.source import program, table_of
from probes.atlas.table import FlagTable
from probes.frameworks.catalogue import by_name
from probes.probe import Probe, Situation
from transcripts.records import Command, Finding, Outcome, Output, Question, Sign

NAME = "source-flags"


def questions(situation: Situation) -> tuple[Question, ...]:
    """One question for the installed framework, where its interpreter or its folder is known."""
    if not situation.can_ask or situation.framework is None or not situation.interpreter:
        return ()
    root = _root(situation)
    if root is None:
        return ()
    parameters = {"framework": situation.framework.name, "interpreter": situation.interpreter, **({"root": root} if root else {})}
    return (Question(probe=NAME, parameters=parameters),)


def _root(situation: Situation) -> str | None:
    """The folder that holds the installed package: "" to let the program find it, None where it is known not to be there."""
    versions = situation.data.get("versions")
    if not isinstance(versions, dict):
        return ""
    location = versions.get("location")
    return posixpath.dirname(location) if isinstance(location, str) and location else None


def command(question: Question, situation: Situation) -> Command:
    """The extractor on standard input of the target's interpreter: isolated, without site-packages."""
    framework = by_name(question.parameters["framework"])
    package = framework.package if framework else question.parameters["framework"]
    argv = (question.parameters["interpreter"], "-I", "-S", "-", question.parameters.get("root", ""), package, "serve")
    return Command(argv=argv, stdin=program(), timeout=60.0)


def read(question: Question, output: Output) -> Finding:
    """The flag table of the output, behind its control."""
    document = _document(output)
    if document is None:
        return unreadable(output)
    try:
        table = table_of(document)
    except (KeyError, TypeError, ValueError):
        return unreadable(output)
    framework = by_name(question.parameters["framework"])
    control = framework.control_flag if framework else ""
    failed = document.get("failed") or []
    if failed:
        return Finding(outcome=Outcome.VOID, text=f"the source could not be followed to its end: {failed[0]}", control=f"looked for {control}")
    if table.find(control) is None:
        return Finding(outcome=Outcome.VOID, text=f"no flags found: not even {control}, which every release has", control=f"{control} not found")
    text = f"{len(table.flags)} options of {table.framework} {table.release or '(release unknown)'}, read from its source"
    signs, said = _about(question, table)
    return Finding(outcome=Outcome.OBSERVED, text=f"{text}{said}", signs=signs, control=f"{control} found", data=table)


def _document(output: Output) -> dict[str, Any] | None:
    if output.status != 0 or output.truncated:
        return None
    try:
        document = json.loads(output.stdout)
    except ValueError:
        return None
    return document if isinstance(document, dict) and isinstance(document.get("options"), list) else None


def _about(question: Question, table: FlagTable) -> tuple[tuple[Sign, ...], str]:
    flag = question.parameters.get("flag", "")
    if not flag:
        return (), ""
    found = [sign for sign in kin(flag, table=table, framework=table.framework, release=table.release) if sign.variable == "registered"]
    if not found:
        return (), f"; of {flag} it does not tell"
    return (seen(NAME, "registered", found[0].value, flag=flag),), f"; {flag} is {'among them' if found[0].value == 'yes' else 'none of them'}"


PROBE = Probe(
    name=NAME,
    about="which flags the installed release takes, by its source",
    variables=("registered",),
    cost=0.5,
    control="the flag that every release has is found in the same document",
    check=True,
    questions=questions,
    command=command,
    read=read,
)
