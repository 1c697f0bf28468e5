"""What following a shell text gives: words on their way and the programs that they start."""

from dataclasses import dataclass, field

from probes.launches.shell.scope import Scope

Gone = tuple[int, str, tuple[str, ...]]
"""A raw word that expanded to nothing: the index where it would stand, its text, the variables that nobody set."""


@dataclass
class Token:
    """A word on its way. `kept` is its text with quotes kept, `group` tells the fields of one raw word, `how` what made several of it."""

    text: str
    raw: str = ""
    source: str = ""
    kept: str = ""
    group: int = -1
    how: str = ""
    layer: int = -1
    vanished: tuple[str, ...] = ()


@dataclass
class Ran:
    """A program that a shell text starts. `gone` are raw words that expanded to nothing."""

    tokens: list[Token]
    scope: Scope
    gone: list[Gone] = field(default_factory=list)
    assignments: tuple[str, ...] = ()
    executed: bool = False
    conditional: bool = False
    stdin: str | None = None
    evaluated: str = ""

    @property
    def argv(self) -> tuple[str, ...]:
        """Its words."""
        return tuple(token.text for token in self.tokens)
