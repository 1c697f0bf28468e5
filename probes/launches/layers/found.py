"""A program reached through layers, and what the layers ask of the one that peels them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from probes.launches.layers.programs import base_name, is_aside
from probes.launches.shell.records import Gone, Ran, Token
from probes.launches.shell.scope import Scope
from transcripts.records import Layer

MOST_RUNS = 400
"""Programs of one script that are looked into."""


@dataclass
class Found:
    """A program reached through layers: its words, the state it starts in, what runs after it. `entry`: it is a serving command.

    `outer` are variables that nobody sets in the text of a layer further out: (layer, the variable's surroundings, names).
    """

    tokens: list[Token]
    scope: Scope
    layers: list[Layer] = field(default_factory=list)
    gone: list[Gone] = field(default_factory=list)
    trailing: list[list[Token]] = field(default_factory=list)
    outer: list[Gone] = field(default_factory=list)
    entry: bool = False
    executed: bool = False
    conditional: bool = False
    certain: bool = True

    @property
    def argv(self) -> tuple[str, ...]:
        """Its words."""
        return tuple(token.text for token in self.tokens)

    @property
    def source(self) -> str:
        """Where its first word stands."""
        return self.tokens[0].source

    def under(self, layer: Layer, inner: int, scope: Scope) -> "Found":
        """The command that begins at the word `inner`, below `layer`."""
        gone = [(index - inner, raw, names) for index, raw, names in self.gone if index >= inner]
        return replace(self, tokens=self.tokens[inner:], layers=[*self.layers, layer], gone=gone, scope=scope)

    def carry(self, tokens: Sequence[Token]) -> None:
        """Remember which variables of an outer shell's words expanded to nothing before an inner one read them."""
        self.outer += [(token.layer, token.raw, token.vanished) for token in tokens if token.vanished]

    def rank(self, number: int) -> tuple[int, ...]:
        """How likely it is the launch: a serving command first, then what is exec'd, then the last that is no helper."""
        helper = is_aside(base_name(self.argv[0]) if self.tokens else "")
        order = -number if self.entry else number
        return (int(self.entry), int(not helper), int(self.executed), int(not self.conditional), order)


def best(candidates: Iterable[Found | None]) -> Found | None:
    """The one of several programs that most likely is the launch, the first of equals."""
    ranked = [(found.rank(number), found) for number, found in enumerate(candidates) if found is not None]
    return max(ranked, key=lambda one: one[0])[1] if ranked else None


class Peel(Protocol):
    """Peels what lies below a layer."""

    def is_entry(self, argv: tuple[str, ...]) -> bool:
        """Whether a command is a serving one."""

    def peel(self, found: Found, stdin: str | None) -> Found | None:
        """The program that no layer hides; None where there is none."""

    def text(self, text: str, scope: Scope, layer: Layer, layers: Sequence[Layer]) -> Found | None:
        """Follow the shell text of `layer` and choose the program in it that is the launch."""

    def chosen(self, runs: list[Ran], layers: list[Layer]) -> Found | None:
        """The one of several programs that is the launch."""
