"""YAML documents as nodes that know their place in the text, read without constructing anything."""

from collections.abc import Iterator

import yaml

Node = yaml.nodes.Node
Mapping = yaml.nodes.MappingNode
Sequence = yaml.nodes.SequenceNode
Scalar = yaml.nodes.ScalarNode

_KINDS = {"int": "number", "float": "number", "bool": "boolean", "null": "null", "timestamp": "date"}
_MOST = 200


class Malformed(ValueError):
    """A text that is no YAML: what is wrong, and in which line (0: not known)."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


def documents(text: str) -> tuple[Node, ...]:
    """The root node of every document.

    Raises:
        Malformed: the text is no YAML.
    """
    try:
        found = []
        for node in yaml.compose_all(text, Loader=yaml.SafeLoader):
            if node is not None:
                found.append(node)
            if len(found) > _MOST:
                raise Malformed("it holds too many documents", 0)
        return tuple(found)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise Malformed(" ".join(filter(None, (error.context, error.problem))), mark.line + 1 if mark else 0) from error
    except (yaml.YAMLError, RecursionError) as error:
        raise Malformed(str(error), 0) from error


def entries(node: Node | None) -> Iterator[tuple[Scalar, Node]]:
    """The entries of a mapping with those that it merges in (``<<``), its own first; none of anything else."""
    if not isinstance(node, Mapping):
        return
    merged: list[Node] = []
    for key, value in node.value:
        if isinstance(key, Scalar) and key.tag.endswith(":merge"):
            merged += value.value if isinstance(value, Sequence) else [value]
        elif isinstance(key, Scalar):
            yield key, value
    for other in merged:
        yield from entries(other)


def entry(node: Node | None, name: str) -> tuple[Scalar, Node] | None:
    """The entry called `name` of a mapping."""
    return next(((key, value) for key, value in entries(node) if key.value == name), None)


def at(node: Node | None, *path: str) -> Node | None:
    """The node below `node` that the names lead to."""
    for name in path:
        found = entry(node, name)
        node = found[1] if found else None
    return node


def items(node: Node | None) -> tuple[Node, ...]:
    """The items of a sequence; none of anything else."""
    return tuple(node.value) if isinstance(node, Sequence) else ()


def text_of(node: Node | None) -> str:
    """A scalar's text as it stands (empty for anything else)."""
    return str(node.value) if isinstance(node, Scalar) else ""


def kind_of(node: Node) -> str:
    """``text``, ``number``, ``boolean``, ``null``, ``date``, ``mapping`` or ``list``."""
    if isinstance(node, Mapping):
        return "mapping"
    if isinstance(node, Sequence):
        return "list"
    return _KINDS.get(node.tag.rpartition(":")[2], "text")


def line_of(node: Node) -> int:
    """The line that a node begins in, from 1."""
    return int(node.start_mark.line) + 1


def span_of(node: Node, text: str) -> tuple[int, int]:
    """Where a node's value stands in the text, without the blank space behind it."""
    start, stop = node.start_mark.index, node.end_mark.index
    return start, start + len(text[start:stop].rstrip())


def scalar(text: str, style: str = "", *, flow: bool = False) -> str:
    """`text` as a YAML scalar on one line that every reader takes for text: plain where that is safe, else quoted (in `style`, if it can be)."""
    if not style and _plain(text, flow):
        return text
    single = "'" + text.replace("'", "''") + "'"
    if "\n" not in text and text.isprintable() and style != '"' and (style == "'" or '"' in text or "\\" in text):
        return single
    return '"' + "".join(_ESCAPES.get(character, character) for character in text) + '"'


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def _plain(text: str, flow: bool) -> bool:
    """Whether `text` written plainly, as an item of a list, is read as that text."""
    if not text or "\n" in text or text != text.strip() or (flow and set(text) & set(",[]{}")):
        return False
    try:
        node = yaml.compose(f"[{text}]" if flow else f"- {text}\n", Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        return False
    inner = items(node)
    return len(inner) == 1 and kind_of(inner[0]) == "text" and text_of(inner[0]) == text and text not in ("y", "n", "Y", "N")
