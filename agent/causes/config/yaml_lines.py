"""Edits of a YAML text's lines at the nodes that the reader found: comments and everything around them stay. Pure functions.

Each takes the lines and a node of their tree, and answers the lines after the edit, or None where the text is written in a way (flow style)
that cannot be edited line by line.
"""

import re

import yaml

Lines = tuple[str, ...]

_TIGHT = re.compile(r"^(\s*(?:-\s+)*)([A-Za-z_][\w.\-]*):(?=[^\s:])(.*)$")


def replaced(lines: Lines, node: yaml.Node, text: str) -> Lines:
    """A scalar of one line replaced by `text`."""
    start, end = node.start_mark, node.end_mark
    line = lines[start.line]
    return _with(lines, start.line, line[: start.column] + text + line[end.column :] if end.line == start.line else line)


def spaced(lines: Lines, node: yaml.Node) -> Lines | None:
    """A space after the colon, and after the dash, in every line of a text that should be keys."""
    first, last = node.start_mark.line, max(node.end_mark.line, node.start_mark.line)
    new = list(lines)
    for index in range(first, min(last, len(lines) - 1) + 1):
        line = lines[index]
        if index == first:
            lead, body = line[: node.start_mark.column], line[node.start_mark.column :]
            body = re.sub(r"^-(?=[A-Za-z_])", "- ", body)
        else:
            lead, body = "", line
        if found := _TIGHT.match(body):
            new[index] = f"{lead}{found.group(1)}{found.group(2)}: {found.group(3)}"
    return tuple(new) if tuple(new) != lines else None


def as_entry(lines: Lines, node: yaml.MappingNode) -> Lines | None:
    """A mapping written as the one entry of a list: a dash before its first key, the rest two columns further in."""
    if node.flow_style:
        return None
    first, column, stop = node.start_mark.line, node.start_mark.column, _stop(lines, node)
    head = lines[first]
    moved = [_shifted(line, 2) for line in lines[first + 1 : stop]]
    return (*lines[:first], head[:column] + "- " + head[column:], *moved, *lines[stop:])


def undashed(lines: Lines, node: yaml.SequenceNode) -> Lines | None:
    """A list of mappings written as one mapping: spaces in place of the dashes."""
    if node.flow_style:
        return None
    new = list(lines)
    columns = {item.start_mark.column for item in node.value}
    if len(columns) != 1:
        return None
    for item in node.value:
        index, column = item.start_mark.line, item.start_mark.column
        lead = lines[index][:column]
        if "-" not in lead:
            return None
        new[index] = lead.replace("-", " ") + lines[index][column:]
    return tuple(new)


def opened(lines: Lines, node: yaml.MappingNode, first: str) -> Lines | None:
    """A mapping with a new first line; what was first stands below it, in the same column."""
    if node.flow_style:
        return None
    index, column = node.start_mark.line, node.start_mark.column
    line = lines[index]
    return (*lines[:index], line[:column] + first, " " * column + line[column:], *lines[index + 1 :])


def gathered(lines: Lines, node: yaml.MappingNode, name: str, keep: tuple[str, ...]) -> Lines | None:
    """A mapping whose keys other than `keep` stand under the key `name` (made where it is missing), order kept."""
    if node.flow_style:
        return None
    column, first = node.start_mark.column, node.start_mark.line
    blocks = _blocks(lines, node)
    moved = [line for key, block in blocks if key not in keep for line in block]
    holder = next((block for key, block in blocks if key == name), None)
    if holder is not None:
        inner = next((value for key, value in node.value if key.value == name), None)
        empty = isinstance(inner, yaml.ScalarNode) and not inner.value.strip()
        if not empty and (not isinstance(inner, yaml.MappingNode) or inner.flow_style):
            return None
        shift = 2 if empty or inner is None else inner.start_mark.column - column
    else:
        shift = 2
    kept = [(key, block) for key, block in blocks if key in keep]
    if holder is None:
        kept.append((name, [" " * column + f"{name}:"]))
    body = [line for key, block in kept for line in (*_trimmed(block), *([_shifted(item, shift) for item in moved] if key == name else ()))]
    lead = lines[first][:column]
    start = next((index for index, line in enumerate(body) if line.strip()), 0)
    body[start] = lead + body[start][column:]
    return (*lines[:first], *body, *lines[_stop(lines, node) :])


def _blocks(lines: Lines, node: yaml.MappingNode) -> list[tuple[str, list[str]]]:
    """The keys of a block mapping with their lines; the first line without what stands before its key."""
    starts = [key.start_mark.line for key, _ in node.value]
    ends = [*starts[1:], _stop(lines, node)]
    found: list[tuple[str, list[str]]] = []
    for (key, _), start, end in zip(node.value, starts, ends, strict=True):
        block = list(lines[start:end])
        if start == node.start_mark.line:
            block[0] = " " * node.start_mark.column + block[0][node.start_mark.column :]
        found.append((str(key.value), block))
    return found


def _stop(lines: Lines, node: yaml.Node) -> int:
    """The line after the last one that belongs to `node`: what the reader counts in besides (blank lines, comments) is left out."""
    stop = min(node.end_mark.line + (1 if node.end_mark.column > 0 and node.end_mark.line < len(lines) else 0), len(lines))
    if node.end_mark.column > 0 and node.end_mark.line < len(lines) and node.end_mark.line > node.start_mark.line:
        tail = lines[node.end_mark.line]
        if len(tail) - len(tail.lstrip()) >= node.end_mark.column and not getattr(node, "flow_style", False):
            stop = node.end_mark.line
    while stop - 1 > node.start_mark.line and (not lines[stop - 1].strip() or lines[stop - 1].lstrip().startswith("#")):
        stop -= 1
    return stop


def _trimmed(block: list[str]) -> list[str]:
    return [line for index, line in enumerate(block) if line.strip() or index < len(block) - 1]


def _shifted(line: str, by: int) -> str:
    return " " * by + line if line.strip() else line


def _with(lines: Lines, index: int, line: str) -> Lines:
    return (*lines[:index], line, *lines[index + 1 :])
