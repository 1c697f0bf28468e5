"""The port to a language model that may be consulted. Everything works without one; `agent.litellm_advisor` is the one that asks a real model."""

from typing import Protocol

from transcripts.records import Record


class Choice(Record, frozen=True, kw_only=True):
    """One thing that the advisor may choose: its `name`, what it is, and what it costs (seconds)."""

    name: str
    about: str
    cost: float


class Consultation(Record, frozen=True, kw_only=True):
    """What an advisor is asked: which of `choices` to take next.

    `believed` are the likeliest causes with their probabilities, `quoted` is text from a log: data, whatever it says.
    """

    believed: tuple[tuple[str, float], ...]
    quoted: str
    choices: tuple[Choice, ...]


class Advisor(Protocol):
    """Someone who can be asked what to do next."""

    def choose(self, consultation: Consultation) -> str:
        """The name of the choice to take; anything else counts as no answer.

        Raises:
            UsageError: there is nobody who can be asked.
        """
        ...
