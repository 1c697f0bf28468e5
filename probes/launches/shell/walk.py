"""What the parts that follow a shell text ask of each other."""

from dataclasses import dataclass, replace
from typing import Protocol

from tree_sitter import Node

from probes.launches.shell import grammar
from probes.launches.shell.records import Ran
from probes.launches.shell.scope import Scope
from probes.launches.shell.wording import Wording


@dataclass(frozen=True)
class Place:
    """Where a statement stands: its text, the scope it runs in, and whether it is known to run (`conditional`: it is not)."""

    text: grammar.Text
    scope: Scope
    conditional: bool = False

    def slice(self, node: Node) -> str:
        """The text of a node."""
        return self.text.slice(node)

    def perhaps(self, undecided: bool = True) -> "Place":
        """The same place behind a condition that is not decided."""
        return replace(self, conditional=self.conditional or undecided)

    def apart(self) -> "Place":
        """The same place in a subshell."""
        return replace(self, scope=self.scope.copy())


class Walk(Protocol):
    """One shell text being followed.

    `stopped` says that nothing more of it runs (`returning`: of the function or sourced file alone), `calls` how many functions are open,
    `evaluating` the text of the ``eval`` that is being followed.
    """

    words: Wording
    runs: list[Ran]
    stopped: bool
    returning: bool
    calls: int
    evaluating: str

    def follow_text(self, text: str, scope: Scope, *, conditional: bool) -> None:
        """Follow another text in `scope`."""

    def statement(self, place: Place, node: Node, stdin: str | None = None) -> bool | None:
        """Follow one statement; its status, None where that is not known."""

    def block(self, place: Place, node: Node) -> bool | None:
        """Follow the statements below a node; the status of the last."""
