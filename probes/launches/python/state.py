"""The state of a Python script while it is followed: its names, its environment, what it has started. Pure bookkeeping."""

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from probes.launches.python.records import PyRun, PyWord

Function = ast.FunctionDef | ast.AsyncFunctionDef
_ROUNDS = 40_000


@dataclass
class State:
    """What is known at one point of a script; `read` gives the text of a file (None: not readable), `argv` are the script's own arguments.

    `words` are the texts met so far with their places, by identity; `conditional` counts the undecided branches around this point.
    """

    text: str
    file: str
    argv: tuple[str, ...]
    environment: dict[str, str]
    read: Callable[[str], str | None]
    names: dict[str, Any] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    words: dict[int, PyWord] = field(default_factory=dict)
    changed: dict[str, str] = field(default_factory=dict)
    removed: tuple[str, ...] = ()
    cwd: str | None = None
    runs: list[PyRun] = field(default_factory=list)
    conditional: int = 0
    depth: int = 0
    rounds: int = 0

    def __post_init__(self) -> None:
        self.lines = self.text.splitlines()
        self.names |= {"__name__": "__main__", "__file__": self.file}

    def spent(self) -> bool:
        """Count one step; True once a script has taken more than it may."""
        self.rounds += 1
        return self.rounds > _ROUNDS

    def export(self, name: Any, value: Any) -> None:
        """Set an environment variable; what is no text is passed over."""
        if isinstance(name, str) and isinstance(value, str):
            self.changed[name] = self.environment[name] = value

    def forget(self, name: str) -> None:
        """Take a variable out of the environment."""
        self.environment.pop(name, None)
        self.changed.pop(name, None)
        self.removed += (name,)

    def imported(self, statement: ast.Import | ast.ImportFrom) -> None:
        """Remember which module or function a name stands for."""
        for name in statement.names:
            if isinstance(statement, ast.ImportFrom):
                self.aliases[name.asname or name.name] = f"{statement.module}.{name.name}"
            elif name.asname:
                self.aliases[name.asname] = name.name
            else:
                package = name.name.partition(".")[0]
                self.aliases[package] = package

    def dotted(self, node: ast.expr) -> str:
        """``os.environ.get`` for an attribute chain, imports resolved; empty for anything else."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        return ".".join([self.aliases.get(node.id, node.id), *reversed(parts)])

    def segment(self, node: ast.expr) -> str:
        """The text of an expression in the source; empty for one that does not stand there."""
        if not hasattr(node, "lineno") or node.end_lineno is None:
            return ""
        if node.lineno != node.end_lineno or node.lineno > len(self.lines):
            return ast.get_source_segment(self.text, node) or ""
        line = self.lines[node.lineno - 1].encode()
        return line[node.col_offset : node.end_col_offset].decode("utf-8", "replace")
