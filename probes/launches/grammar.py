"""Shell text as a tree (tree-sitter's bash grammar), and the raw words of its commands.

The grammar takes a carriage return and an escaped blank for white space where a shell makes them part of a word; the words are
therefore read from the text between and behind the nodes too.
"""

from dataclasses import dataclass, field

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

_LANGUAGE = Language(tree_sitter_bash.language())
_META = b" \t\n;&|<>()"
_NOT_WORDS = frozenset({"file_redirect", "heredoc_redirect", "herestring_redirect", "comment"})


@dataclass
class Raw:
    """A word as it stands in the text, and its line there (from 1)."""

    text: str
    line: int


@dataclass
class Text:
    """A parsed shell text. `errors` are (line, column, what) of places that the grammar refuses, from 1."""

    source: bytes
    root: Node
    errors: list[tuple[int, int, str]] = field(default_factory=list)

    def slice(self, node: Node) -> str:
        """The text of a node."""
        return self.decode(node.start_byte, node.end_byte)

    def decode(self, start: int, end: int) -> str:
        """The text between two byte offsets."""
        return self.source[start:end].decode("utf-8", "replace")


def parse(text: str) -> Text:
    """Parse shell text; always gives a tree, with its errors listed (ten at most)."""
    source = text.encode("utf-8", "replace")
    root = Parser(_LANGUAGE).parse(source).root_node
    found = Text(source, root)
    if root.has_error:
        _collect(found)
    return found


def _collect(text: Text) -> None:
    stack = [text.root]
    while stack and len(text.errors) < 10:
        node = stack.pop()
        if node.is_error or node.is_missing:
            what = f"a missing {node.type!r}" if node.is_missing else repr(text.slice(node)[:40])
            text.errors.append((node.start_point[0] + 1, node.start_point[1] + 1, what))
        else:
            stack += [child for child in reversed(node.children) if child.has_error or child.is_error or child.is_missing]


def raw_words(text: Text, nodes: list[Node], end: int | None = None) -> list[list[Raw]]:
    """The words of consecutive nodes; more than one list where an unescaped line end stands between them (``\\`` before a carriage return).

    `end` is where the last word may go on to (the end of the command's line), None: only as far as the last node.
    """
    commands: list[list[Raw]] = [[]]
    reader = _Reader(text, commands)
    for node in nodes:
        reader.gap(node.start_byte)
        reader.word(node)
    if nodes and end is not None:
        reader.tail(end)
    reader.flush()
    return [words for words in commands if words]


class _Reader:
    """Collects words from node spans and from what lies between them."""

    def __init__(self, text: Text, commands: list[list[Raw]]) -> None:
        self.text, self.commands = text, commands
        self.start = self.stop = self.at = -1

    def word(self, node: Node) -> None:
        if self.start < 0:
            self.start = node.start_byte
        self.stop = self.at = node.end_byte

    def flush(self) -> None:
        if 0 <= self.start < self.stop:
            line = self.text.source.count(b"\n", 0, self.start) + 1 if self.start < 2_000_000 else 0
            self.commands[-1].append(Raw(self.text.decode(self.start, self.stop), line))
        self.start = self.stop = -1

    def gap(self, end: int) -> None:
        if self.at >= 0:
            self._scan(self.at, end)
        self.at = end

    def tail(self, end: int) -> None:
        self._scan(self.at, end, stop_at_line=True)

    def _scan(self, at: int, end: int, *, stop_at_line: bool = False) -> None:
        source = self.text.source
        while at < end:
            byte = source[at : at + 1]
            if byte == b"\\" and source[at + 1 : at + 2] == b"\n":
                at += 2
            elif byte in (b" ", b"\t"):
                self.flush()
                at += 1
            elif byte == b"\n":
                self.flush()
                if stop_at_line:
                    return
                self.commands.append([])
                at += 1
            elif byte in b";&|<>()" or (byte == b"#" and self.start < 0):
                if stop_at_line:
                    return
                at += 1
            else:
                if self.start < 0:
                    self.start = at
                at += 2 if byte == b"\\" else 1
                self.stop = min(at, end)


def line_end(text: Text, at: int) -> int:
    """Where the command that ends at `at` surely ends: at the next line end, operator or bracket that no backslash takes away."""
    source = text.source
    while at < len(source) and source[at : at + 1] not in (b"\n", b";", b"&", b"|", b"<", b">", b"(", b")"):
        at += 2 if source[at : at + 1] == b"\\" else 1
    return min(at, len(source))


def is_word(node: Node) -> bool:
    """Whether a child of a command is one of its words."""
    return node.is_named and node.type not in _NOT_WORDS and node.type not in ("variable_assignment", "subscript_assignment")
