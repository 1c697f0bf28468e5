"""What a run asks of pure functions again and again, remembered and bounded: a replay asks the same things as its run.

What is given out is shared. Records are frozen, and what a finding's `data` or a situation holds is read only.
"""

from collections.abc import Callable
from functools import lru_cache, partial, wraps
from typing import Generic, ParamSpec, TypeVar

from agent.reading.symptom import read_symptom
from probes.probe import Probe, Situation, read_answer
from probes.probe import askable as questions_of
from transcripts.records import Command, Finding, Output, Question

Asked = tuple[object, ...]
_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")
_REMEMBERED = 1024


class _Call(Generic[_Result]):
    """A call as a key: texts and numbers among its arguments by their value, tuples by their items, anything else as the very object that it is."""

    __slots__ = ("key", "made")

    def __init__(self, arguments: tuple[object, ...], made: Callable[[], _Result]) -> None:
        self.key = tuple(map(_key, arguments))
        self.made = made  # holds the arguments, so that their ids stay theirs

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Call) and self.key == other.key


def _key(value: object) -> object:
    if value is None or isinstance(value, str | int | float):
        return value
    return tuple(map(_key, value)) if isinstance(value, tuple) else ("is", id(value))


def by_identity(function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
    """`function`, which is pure, as one that remembers what it made of these very objects."""

    @lru_cache(maxsize=_REMEMBERED)
    def called(call: _Call[_Result]) -> _Result:
        return call.made()

    @wraps(function)
    def remembered(*arguments: _Parameters.args, **named: _Parameters.kwargs) -> _Result:
        return called(_Call((*arguments, *named.items()), partial(function, *arguments, **named)))

    return remembered


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


@by_identity
def askable(probe: Probe, situation: Situation) -> tuple[Question, ...]:
    """The questions that `probe` can be asked."""
    return questions_of(probe, situation)


@by_identity
def command(probe: Probe, question: Question, situation: Situation) -> Command:
    """What `probe` runs for `question`."""
    return probe.command(question, situation)


def finding(probe: Probe, question: Question, output: Output) -> Finding:
    """What `probe` reads from `output` as the answer to `question`."""
    return _finding(probe, question.probe, tuple(question.parameters.items()), output)


@lru_cache(maxsize=256)
def _finding(probe: Probe, name: str, parameters: tuple[tuple[str, str], ...], output: Output) -> Finding:
    return read_answer(probe, Question(probe=name, parameters=dict(parameters)), output)


symptom = lru_cache(maxsize=64)(read_symptom)
"""`read_symptom` of an excerpt, remembered."""
