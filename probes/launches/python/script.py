"""What a Python script starts: its statements followed in order, with `ast` and folded as far as constants reach. Nothing runs."""

import ast
from collections.abc import Callable, Mapping
from typing import Any

from probes.launches.python.effects import augment, carry_out
from probes.launches.python.records import PyRun, Unknown
from probes.launches.python.starts import Starts
from probes.launches.python.state import Function, State
from probes.launches.python.values import Values

_DEEPEST_STATEMENT = 30
_DEEPEST_CALL = 20
_DEEPEST_RETURN = 15
_MOST_ITEMS = 200


class Script:
    """Follows one script, statement by statement; `read` gives the text of a file, `argv` are the script's own arguments."""

    def __init__(self, text: str, argv: tuple[str, ...], environment: Mapping[str, str], read: Callable[[str], str | None], file: str) -> None:
        self.state = State(text, file, argv, dict(environment), read)
        self.values = Values(self.state, self._returned)
        self.starts = Starts(self.values)

    def follow(self) -> list[PyRun]:
        """The programs that the script starts, in order; raises `SyntaxError` where it does not parse."""
        self._block(ast.parse(self.state.text).body)
        return self.state.runs

    def _block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            if self.state.spent() or self.state.depth > _DEEPEST_STATEMENT:
                return
            self.state.depth += 1
            self._statement(statement)
            self.state.depth -= 1

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Import() | ast.ImportFrom():
                self.state.imported(statement)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.state.functions[statement.name] = statement
            case ast.Assign():
                self._assign(statement.targets, statement.value)
            case ast.AnnAssign() if statement.value is not None:
                self._assign([statement.target], statement.value)
            case ast.AugAssign():
                augment(self.values, statement)
            case ast.Expr() | ast.Return() if statement.value is not None:
                self._calls(statement.value)
                carry_out(self.values, statement.value)
            case ast.If():
                self._if(statement)
            case ast.For():
                self._for(statement)
            case ast.With() | ast.AsyncWith():
                for item in statement.items:
                    self._calls(item.context_expr)
                self._block(statement.body)
            case ast.Try():
                self._block(statement.body)
                self._block(statement.finalbody)
            case ast.While():
                self._block(statement.body)
            case ast.Delete():
                self._delete(statement)

    def _assign(self, targets: list[ast.expr], value: ast.expr) -> None:
        self._calls(value)
        for target in targets:
            self.values.bind(target, value)

    def _delete(self, statement: ast.Delete) -> None:
        for target in statement.targets:
            if isinstance(target, ast.Subscript) and self.state.dotted(target.value) == "os.environ":
                try:
                    self.state.forget(str(self.values.value(target.slice)))
                except Unknown:
                    continue

    def _if(self, statement: ast.If) -> None:
        try:
            decided = bool(self.values.value(statement.test))
        except Unknown:
            self._perhaps([*statement.body, *statement.orelse])
            return
        self._block(statement.body if decided else statement.orelse)

    def _for(self, statement: ast.For) -> None:
        try:
            values = list(self.values.value(statement.iter))[:_MOST_ITEMS]
        except (Unknown, TypeError):
            self._perhaps(statement.body)
            return
        for value in values:
            self.values.store(statement.target, value)
            self._block(statement.body)

    def _perhaps(self, statements: list[ast.stmt]) -> None:
        """Follow what may or may not run."""
        self.state.conditional += 1
        self._block(statements)
        self.state.conditional -= 1

    # calls

    def _calls(self, node: ast.expr) -> None:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Call):
                function = self.state.functions.get(self.state.dotted(inner.func))
                if function is None:
                    self.starts.call(inner)
                else:
                    self._enter(function, inner)

    def _enter(self, function: Function, call: ast.Call) -> None:
        """Follow a function of the script, its parameters bound to what the call gives."""
        if self.state.depth > _DEEPEST_CALL:
            return
        saved = dict(self.state.names)
        self._bind_parameters(function, call)
        self._block(function.body)
        self.state.names = saved

    def _returned(self, function: Function, call: ast.Call) -> Any:
        """What a function of the script returns, where its last statement is a ``return``."""
        last = function.body[-1]
        if self.state.depth > _DEEPEST_RETURN or not isinstance(last, ast.Return) or last.value is None:
            raise Unknown
        saved, depth, runs = dict(self.state.names), self.state.depth, len(self.state.runs)
        self.state.depth += 1
        try:
            self._bind_parameters(function, call)
            self._block(function.body[:-1])
            return self.values.value(last.value)
        finally:
            self.state.names, self.state.depth = saved, depth
            # What it starts is noted where the call itself is followed.
            del self.state.runs[runs:]

    def _bind_parameters(self, function: Function, call: ast.Call) -> None:
        """Bind parameters to arguments; all are evaluated first, for the caller's names may be those of parameters."""
        known: dict[str, Any] = {}
        given = _given(function, call)
        for name, node in given.items():
            try:
                known[name] = self.values.value(node)
            except Unknown:
                continue
        for name in given:
            self.state.names.pop(name, None)
        self.state.names.update(known)


def _given(function: Function, call: ast.Call) -> dict[str, ast.expr]:
    """Parameter → the expression that it is bound to: its default or the call's argument."""
    arguments = function.args
    parameters = [parameter.arg for parameter in (*arguments.posonlyargs, *arguments.args)]
    defaulted = parameters[len(parameters) - len(arguments.defaults) :]
    keywords = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return {
        **dict(zip(defaulted, arguments.defaults, strict=True)),
        **{parameter.arg: default for parameter, default in keywords if default is not None},
        **dict(zip(parameters, call.args, strict=False)),
        **{keyword.arg: keyword.value for keyword in call.keywords if keyword.arg},
    }
