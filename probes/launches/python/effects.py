"""Method calls of a Python script that change something: lists, dicts, the environment, the folder."""

import ast

from probes.launches.python import library
from probes.launches.python.records import Unknown
from probes.launches.python.values import Values


def carry_out(values: Values, node: ast.expr) -> None:
    """Carry out ``list.append``, ``.extend``, ``os.environ.update``, ``os.putenv``, ``os.chdir`` and the like; anything else does nothing."""
    node = node.value if isinstance(node, ast.Await) else node
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return
    try:
        if not _on_process(values, node):
            _on_value(values, node, node.func)
    except (Unknown, TypeError, ValueError, IndexError, AttributeError):
        return


def _on_process(values: Values, node: ast.Call) -> bool:
    """A change of the process's own state; False where it is none."""
    state, value = values.state, values.value
    match state.dotted(node.func):
        case "os.chdir":
            state.cwd = str(value(node.args[0]))
        case "os.putenv" | "os.environ.__setitem__":
            state.export(value(node.args[0]), value(node.args[1]))
        case "os.environ.setdefault":
            if value(node.args[0]) not in state.environment:
                state.export(value(node.args[0]), value(node.args[1]))
        case "os.environ.update":
            for name, given in library.mapping(node, value).items():
                state.export(name, given)
        case "os.environ.pop" | "os.unsetenv":
            state.forget(str(value(node.args[0])))
        case _:
            return False
    return True


def _on_value(values: Values, node: ast.Call, function: ast.Attribute) -> None:
    if function.attr not in ("append", "extend", "insert", "update", "remove"):
        return
    target = values.value(function.value)
    if isinstance(target, list | dict):
        getattr(target, function.attr)(*[values.value(argument) for argument in node.args])


def augment(values: Values, statement: ast.AugAssign) -> None:
    """``name += value``."""
    if not isinstance(statement.target, ast.Name):
        return
    state, name = values.state, statement.target.id
    try:
        # Evaluating may enter a function, whose names come and go.
        old, new = state.names[name], values.value(statement.value)
        state.names[name] = [*old, *new] if isinstance(old, list) else old + new
    except (Unknown, KeyError, TypeError):
        state.names.pop(name, None)
