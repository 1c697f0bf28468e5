"""What a run asks of pure functions again and again, remembered by value and bounded: a replay asks the same things as its run.

What is given out is shared. Records are frozen, and what a finding's `data` holds is read only.
"""

from functools import lru_cache

from agent.reading.symptom import read_symptom
from probes.probe import Probe, read_answer
from transcripts.records import Command, Finding, Output, Question

Asked = tuple[object, ...]


def asked(question: Question, command: Command) -> Asked:
    """A key that two questions share exactly if they, and what is run for them, are equal."""
    return (
        question.probe,
        tuple(sorted(question.parameters.items())),
        command.argv,
        command.stdin,
        tuple(sorted(command.env.items())),
        command.unset,
        command.cwd,
        command.timeout,
        command.limit,
    )


def finding(probe: Probe, question: Question, output: Output) -> Finding:
    """What `probe` reads from `output` as the answer to `question`."""
    return _finding(probe, question.probe, tuple(question.parameters.items()), output)


@lru_cache(maxsize=256)
def _finding(probe: Probe, name: str, parameters: tuple[tuple[str, str], ...], output: Output) -> Finding:
    return read_answer(probe, Question(probe=name, parameters=dict(parameters)), output)


symptom = lru_cache(maxsize=64)(read_symptom)
"""`read_symptom` of an excerpt, remembered."""
