"""Shell text as a tree (tree-sitter's bash grammar), and the raw words of its commands.

The grammar takes a carriage return and an escaped blank for white space where a shell makes them part of a word; the words are
therefore read from the text between and behind the nodes too.
"""

import bisect
import re
from dataclasses import dataclass, field

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from probes.launches.shell.braces import skip_quoted

_LANGUAGE = Language(tree_sitter_bash.language())
_MOST_VISITED = 20_000
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
    starts: list[int] | None = None
    latin: str = ""

    def slice(self, node: Node) -> str:
        """The text of a node."""
        return self.decode(node.start_byte, node.end_byte)

    def line(self, at: int) -> int:
        """The line, from 1, of a byte offset."""
        if self.starts is None:
            self.starts = [match.end() for match in re.finditer(b"\n", self.source)]
        return bisect.bisect_right(self.starts, at) + 1

    def decode(self, start: int, end: int) -> str:
        """The text between two byte offsets."""
        return self.source[start:end].decode("utf-8", "replace")


def parse(text: str) -> Text:
    """Parse shell text; always gives a tree, with its errors listed (ten at most)."""
    source = text.encode("utf-8", "replace")
    root = Parser(_LANGUAGE).parse(source).root_node
    # One character a byte, so that the offsets are those of the tree.
    found = Text(source, root, latin=source.decode("latin-1"))
    if root.has_error:
        _collect(found)
    return found


def _collect(text: Text) -> None:
    stack = [text.root]
    visited = 0
    while stack and len(text.errors) < 10 and visited < _MOST_VISITED:
        node = stack.pop()
        visited += 1
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
            line = self.text.line(self.start)
            self.commands[-1] += [Raw(word, line) for word in _apart(self.text.decode(self.start, self.stop))]
        self.start = self.stop = -1

    def gap(self, end: int) -> None:
        if self.at >= 0:
            self._scan(self.at, end)
        self.at = end

    def tail(self, end: int) -> None:
        self._scan(self.at, end, stop_at_line=True)

    def _scan(self, at: int, end: int, *, stop_at_line: bool = False) -> None:
        text = self.text.latin
        while at < end:
            character = text[at]
            if character == "\\" and text[at + 1 : at + 2] == "\n":
                at += 2
            elif character in " \t":
                self.flush()
                at += 1
            elif character == "\n":
                self.flush()
                if stop_at_line:
                    return
                self.commands.append([])
                at += 1
            elif character in ";&|<>()" or (character == "#" and self.start < 0):
                if stop_at_line:
                    return
                at += 1
            else:
                if self.start < 0:
                    self.start = at
                at = max(skip_quoted(text, at), at + 1)
                self.stop = min(at, end)


def _apart(raw: str) -> list[str]:
    """A raw word, cut at blanks that no quote protects (the grammar takes ``[ x`` for one word)."""
    if " " not in raw and "\t" not in raw:
        return [raw]
    found, at, start = [], 0, 0
    while at < len(raw):
        end = skip_quoted(raw, at)
        if end > at:
            at = end
        elif raw[at] in " \t":
            found.append(raw[start:at])
            at = start = at + 1
        else:
            at += 1
    return [word for word in [*found, raw[start:]] if word]


def line_end(text: Text, at: int) -> int:
    """Where the command that ends at `at` surely ends: at the next line end, operator or bracket that no backslash takes away."""
    latin = text.latin
    while at < len(latin) and latin[at] not in "\n;&|<>()":
        at = max(skip_quoted(latin, at), at + 1)
    at = min(at, len(latin))
    # the digits right before a redirection (`2>&1`) are the number of a descriptor, and no word
    digits = at
    while latin[at : at + 1] in ("<", ">") and latin[digits - 1 : digits].isdigit():
        digits -= 1
    return digits if latin[digits - 1 : digits] in (" ", "\t") else at


def is_word(node: Node) -> bool:
    """Whether a child of a command is one of its words."""
    return node.is_named and node.type not in _NOT_WORDS and node.type not in ("variable_assignment", "subscript_assignment")
