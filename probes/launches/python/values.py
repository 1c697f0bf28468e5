"""The values of a Python script's expressions, as far as constants, known names and the library reach."""

import ast
import posixpath
from collections.abc import Callable
from typing import Any

from probes.launches.python import library, operators
from probes.launches.python.records import PyWord, Unknown
from probes.launches.python.state import Function, State

_LONGEST_TEXT = 2_000_000
_MOST_ITEMS = 1000
_ASCII_CONVERSION = ord("s")


class Values:
    """Evaluates and assigns in a `State`; `returned` gives what a function of the script returns, or raises `Unknown`."""

    def __init__(self, state: State, returned: Callable[[Function, ast.Call], Any]) -> None:
        self.state, self.returned = state, returned

    def value(self, node: ast.expr) -> Any:
        """The value of an expression; raises `Unknown`."""
        if self.state.spent():
            raise Unknown
        try:
            made = self._value(node)
        except (TypeError, ValueError, KeyError, IndexError, AttributeError, RecursionError, ArithmeticError) as error:
            raise Unknown from error
        return self._placed(made, node) if isinstance(made, str) else made

    def _placed(self, text: str, node: ast.expr) -> str:
        """A text whose place in the source is remembered: the first expression that had it."""
        if len(text) > _LONGEST_TEXT:
            raise Unknown
        if hasattr(node, "lineno") and id(text) not in self.state.words:
            # A copy of its own, so that equal words at two places keep two lines.
            text = "".join([text[:1], text[1:]]) if len(text) > 1 else text
            self.state.words[id(text)] = PyWord(text, self.state.segment(node), node.lineno)
        return text

    def _value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant():
                return node.value
            case ast.Name() if node.id in self.state.names:
                return self.state.names[node.id]
            case ast.JoinedStr():
                return "".join(str(self.value(part)) for part in node.values)
            case ast.FormattedValue():
                form = str(self.value(node.format_spec)) if node.format_spec is not None else ""
                value = self.value(node.value)
                return format(str(value) if node.conversion == _ASCII_CONVERSION else value, form)
            case ast.List() | ast.Tuple() | ast.Set():
                return self._items(node.elts)
            case ast.Dict():
                return self._dict(node)
            case ast.BinOp():
                return operators.binary(node.op, self.value(node.left), self.value(node.right))
            case ast.IfExp():
                return self.value(node.body if self.value(node.test) else node.orelse)
            case ast.BoolOp():
                return self._boolean(node)
            case ast.UnaryOp():
                operand = self.value(node.operand)
                return (not operand) if isinstance(node.op, ast.Not) else -operand
            case ast.Compare() if len(node.ops) == 1:
                return operators.compare(node.ops[0], self.value(node.left), self.value(node.comparators[0]))
            case ast.Subscript():
                return self._subscript(node)
            case ast.Attribute():
                return self._attribute(node)
            case ast.Call():
                return self._called(node)
            case ast.ListComp() | ast.GeneratorExp() if len(node.generators) == 1:
                return self._comprehension(node)
        raise Unknown

    def _items(self, nodes: list[ast.expr]) -> list[Any]:
        made: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                made += list(self.value(node.value))
            else:
                made.append(self.value(node))
        return made

    def _dict(self, node: ast.Dict) -> dict[Any, Any]:
        made: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                made.update(self.value(value))
            else:
                made[self.value(key)] = self.value(value)
        return made

    def _boolean(self, node: ast.BoolOp) -> Any:
        value: Any = None
        for operand in node.values:
            value = self.value(operand)
            if bool(value) is isinstance(node.op, ast.Or):
                return value
        return value

    def _subscript(self, node: ast.Subscript) -> Any:
        target = self.value(node.value)
        if isinstance(node.slice, ast.Slice):
            bounds = (node.slice.lower, node.slice.upper, node.slice.step)
            return target[slice(*[None if bound is None else self.value(bound) for bound in bounds])]
        return target[self.value(node.slice)]

    def _attribute(self, node: ast.Attribute) -> Any:
        match self.state.dotted(node):
            case "os.environ":
                return dict(self.state.environment)
            case "sys.argv":
                return [self.state.file, *self.state.argv]
            case "sys.executable":
                return "python"
        if node.attr == "parent":
            return posixpath.dirname(self.value(node.value)) or "."
        raise Unknown

    def _called(self, node: ast.Call) -> Any:
        function = self.state.functions.get(node.func.id) if isinstance(node.func, ast.Name) else None
        return library.called(node, self.state, self.value) if function is None else self.returned(function, node)

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp) -> list[Any]:
        generator = node.generators[0]
        made: list[Any] = []
        for item in list(self.value(generator.iter))[:_MOST_ITEMS]:
            self.store(generator.target, item)
            if all(self.value(test) for test in generator.ifs):
                made.append(self.value(node.elt))
        return made

    # assignments

    def bind(self, target: ast.expr, node: ast.expr) -> None:
        """``target = node``; a name whose value is not known is known no longer."""
        try:
            value = self.value(node)
        except Unknown:
            if isinstance(target, ast.Name):
                self.state.names.pop(target.id, None)
            return
        self.store(target, value)

    def store(self, target: ast.expr, value: Any) -> None:
        """Assign a known value."""
        if isinstance(target, ast.Name):
            self.state.names[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List) and isinstance(value, list | tuple):
            for one, item in zip(target.elts, value, strict=False):
                self.store(one, item)
        elif isinstance(target, ast.Subscript):
            self._store_item(target, value)

    def _store_item(self, target: ast.Subscript, value: Any) -> None:
        try:
            key = self.value(target.slice)
            if self.state.dotted(target.value) == "os.environ":
                self.state.export(key, value)
            else:
                self.value(target.value)[key] = value
        except (Unknown, TypeError, KeyError, IndexError):
            return
