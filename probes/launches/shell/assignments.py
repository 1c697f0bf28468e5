"""``NAME=value`` and the declarations around it."""

from tree_sitter import Node

from probes.launches.shell import grammar
from probes.launches.shell.scope import Item
from probes.launches.shell.walk import Place
from probes.launches.shell.wording import Wording


def assign(words: Wording, place: Place, node: Node, *, export: bool = False) -> str:
    """Carry out one ``NAME=value``; returns it as ``NAME=value`` with the value expanded."""
    value, name_node = node.child_by_field_name("value"), node.child_by_field_name("name")
    name = place.slice(name_node) if name_node is not None else ""
    appended = any(child.type == "+=" for child in node.children)
    if value is not None and value.type == "array":
        return _array(words, place, name, value, appended)
    scope = place.scope
    raws = grammar.raw_words(place.text, [value], grammar.line_end(place.text, node.end_byte)) if value is not None else []
    raw = raws[0][0] if raws and raws[0] else None
    source = scope.at(raw.line if raw else node.start_point[0] + 1)
    before = len(scope.doubts)
    text = words.expander(scope, source).value(raw.text) if raw else ""
    if name_node is not None and name_node.type == "subscript":
        base = name.partition("[")[0]
        scope.arrays.setdefault(base, []).append(text)
        return f"{base}={text}"
    if appended and name in scope.arrays:
        scope.arrays[name][0:1] = [(scope.arrays[name] or [""])[0] + text]
    else:
        scope.set(name, (scope.variables.get(name, "") if appended else "") + text, export=export)
    if len(scope.doubts) > before and "$(" in text:
        scope.unknown.add(name)
    return f"{name}={text}"


def _array(words: Wording, place: Place, name: str, value: Node, appended: bool) -> str:
    scope = place.scope
    items: list[str] = [Item(token.text, token.raw, token.source) for token in words.tokens(place.text, value.named_children, scope)]
    old = scope.arrays.get(name, [scope.variables[name]] if name in scope.variables else []) if appended else []
    scope.arrays[name] = old + items
    scope.unknown.discard(name)
    return f"{name}=({' '.join(items)})"


def declare(words: Wording, place: Place, node: Node) -> None:
    """``export``, ``declare``, ``local`` and their kin."""
    options = [place.slice(child) for child in node.named_children if child.type == "word"]
    export = place.slice(node.children[0]) == "export" or any(word.startswith("-") and "x" in word for word in options)
    for child in node.named_children:
        if child.type == "variable_assignment":
            assign(words, place, child, export=export)
        elif child.type == "variable_name" and export:
            place.scope.export(place.slice(child))
        elif child.type in ("word", "concatenation", "string", "simple_expansion"):
            for value in words.expander(place.scope).word(place.slice(child)).fields:
                name, equals, rest = value.partition("=")
                if equals and name.isidentifier():
                    place.scope.set(name, rest, export=export)
