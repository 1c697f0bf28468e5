"""What is learnt from a Python script: the programs that it starts."""

from dataclasses import dataclass, field


class Unknown(Exception):
    """A value that does not follow from the text of the script."""


@dataclass
class PyWord:
    """A word of a list in a script: its value, its text in the source, its line."""

    text: str
    raw: str = ""
    line: int = 0


@dataclass
class PyRun:
    """A program that a Python script starts: `words` of a list, or one `shell` text; `whole` False where a word was not known."""

    words: list[PyWord] = field(default_factory=list)
    shell: str | None = None
    env: dict[str, str] = field(default_factory=dict)
    unset: tuple[str, ...] = ()
    cwd: str | None = None
    line: int = 0
    executed: bool = False
    conditional: bool = False
    whole: bool = True
