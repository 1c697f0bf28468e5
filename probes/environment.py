"""Asks for the target's environment: every name with its value, secrets hidden by whoever asked.

Outcomes: observed (the whole environment as data; nothing is judged here, see `probes.environment_names`), or could not look.
Cost: one start of ``cat``. Control: none needed, for the question is about no single name.
"""

from probes.asking import unreadable
from probes.probe import Probe, Situation
from transcripts.records import Command, Finding, Outcome, Output, Question

NAME = "environment"


def questions(situation: Situation) -> tuple[Question, ...]:
    """One question, always."""
    return (Question(probe=NAME),)


def command(question: Question, situation: Situation) -> Command:
    """Print the environment of a process that changes nothing in it (a Python behind a version manager would see another PATH)."""
    return Command(argv=("cat", "/proc/self/environ"), timeout=10.0)


def read(question: Question, output: Output) -> Finding:
    """The environment as a mapping from name to value."""
    entries = [entry.partition("=") for entry in output.stdout.split("\0") if entry]
    if output.status != 0 or output.truncated or not output.stdout.endswith("\0") or not all(name and equals for name, equals, _ in entries):
        return unreadable(output)
    value = {name: text for name, _, text in entries}
    return Finding(outcome=Outcome.OBSERVED, text=f"the target's environment has {len(value)} variables", data=value)


PROBE = Probe(
    name=NAME,
    about="the environment of the target",
    variables=(),
    cost=0.02,
    control="none needed: the whole environment is read, no single name is looked for",
    check=True,
    near=True,
    paste="env | grep -E '^(VLLM|SGLANG|LITELLM|CUDA|HF)_' | cut -d= -f1",
    questions=questions,
    command=command,
    read=read,
)
