"""Looks a flag up in the help text that the program itself prints.

What people do first, and what misleads most: the plain help of vLLM from 0.11 on lists groups and no flag at all, and on a host without a device
help itself crashes. So the control decides: the same text must show a flag that is known to exist. Plain and full help are two modes of the question.

Outcomes: registered or not; void where the control flag is not in the same text, and where help crashes (a finding of its own: its text is
in the data as ``crash``); could not look. Cost: ten seconds, the framework's imports. Control: the framework's control flag in the same text.
"""

import re
import shlex

from probes.asking import changes, folder, seen, unset
from probes.frameworks.catalogue import by_name
from probes.frameworks.framework import Framework
from probes.probe import Probe, Situation
from transcripts.records import Command, Finding, Outcome, Output, Question

NAME = "help-grep"
MODES = ("plain", "full")
_ERROR_LINE = re.compile(r"^[\w.]*(?:Error|Exception|Exit|Interrupt)\b.*|^.*\berror: .*", re.M)


def questions(situation: Situation) -> tuple[Question, ...]:
    """The flag that the error in question is about, looked up in the full help."""
    if not situation.can_ask or situation.framework is None or not situation.program:
        return ()
    flags = dict.fromkeys(
        sign.parameters["flag"]
        for sign in (situation.symptom.signs if situation.symptom else ())
        if sign.variable == "error" and sign.parameters.get("flag", "").startswith("--")
    )
    framework = situation.framework.name
    return tuple(Question(probe=NAME, parameters={"flag": flag, "mode": "full", "framework": framework}) for flag in flags)


def command(question: Question, situation: Situation) -> Command:
    """The program's own help, in the environment of the launch."""
    framework = situation.framework or by_name(question.parameters["framework"])
    words = _help_words(framework, question) if framework else ("--help",)
    return Command(argv=(*_program(situation), *words), env=changes(situation), unset=unset(situation), cwd=folder(situation) or None, timeout=120.0)


def _program(situation: Situation) -> tuple[str, ...]:
    """The words that name the program and its subcommand."""
    framework, entry = situation.framework, situation.entry
    words = shlex.split(entry.command) if entry else [framework.program if framework else "vllm"]
    if words[:2] == ["python", "-m"]:
        return (situation.interpreter or "python3", *words[1:])
    return (situation.program or words[0], *words[1:])


def _help_words(framework: Framework, question: Question) -> tuple[str, ...]:
    return framework.plain_help if question.parameters.get("mode") == "plain" else framework.full_help


def read(question: Question, output: Output) -> Finding:
    """Whether the flag stands in the help text, behind the control."""
    flag, mode = question.parameters["flag"], question.parameters.get("mode", "full")
    framework = by_name(question.parameters.get("framework", "vllm"))
    control = framework.control_flag if framework else ""
    if output.status != 0:
        return _crashed(mode, output)
    text = output.stdout + "\n" + output.stderr
    if not control or not listed(control, text):
        said = f"the {mode} help lists no flags that could be compared: {control}, which every release has, is not in it either"
        return Finding(outcome=Outcome.VOID, text=said, control=f"{control} not found in the same text")
    present = listed(flag, text)
    said = f"the {mode} help {'lists' if present else 'does not list'} {flag}"
    sign = seen(NAME, "registered", "yes" if present else "no", flag=flag)
    return Finding(outcome=Outcome.OBSERVED, text=said, signs=(sign,), control=f"{control} found in the same text")


def listed(flag: str, text: str) -> bool:
    """Whether `flag` stands in a help text as an option of its own (``--a-b`` and ``--a_b`` are the same)."""
    body = re.sub(r"[-_]", "[-_]", re.escape(flag.lstrip("-")).replace(r"\-", "-"))
    dashes = flag[: len(flag) - len(flag.lstrip("-"))]
    return re.search(rf"(?<![\w-]){dashes}(?:\[no-\])?{body}(?![\w-])", text) is not None


def _crashed(mode: str, output: Output) -> Finding:
    errors = _ERROR_LINE.findall(output.stderr) or _ERROR_LINE.findall(output.stdout)
    last = (errors[-1] if errors else output.stderr.strip().rpartition("\n")[2] or "nothing").strip()[:300]
    said = f"the {mode} help ends with status {output.status}, so it tells nothing about flags: {last}"
    return Finding(outcome=Outcome.VOID, text=said, control="the help crashed", data={"crash": output.stderr or output.stdout})


PROBE = Probe(
    name=NAME,
    about="whether the program's own help lists a flag",
    variables=("registered",),
    cost=10.0,
    control="a flag that every release has stands in the same text",
    questions=questions,
    command=command,
    read=read,
)
