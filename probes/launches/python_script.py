"""What a Python script starts: its ``os.exec…`` and ``subprocess`` calls, read with `ast` and folded as far as constants reach."""

import ast
import json
import posixpath
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from probes.launches.words import words

_EXEC = {"execv": 1, "execve": 1, "execvp": 1, "execvpe": 1, "spawnv": 2, "spawnvp": 2, "spawnve": 2, "posix_spawn": 1, "posix_spawnp": 1}
_EXEC_LIST = {"execl": 1, "execlp": 1}
_RUN = frozenset({"run", "call", "check_call", "check_output", "Popen", "create_subprocess_exec", "getoutput"})
_SHELL = frozenset({"system", "popen", "create_subprocess_shell", "getoutput", "getstatusoutput"})
_ROUNDS = 40_000


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
    emptied: bool = False


class PythonText:
    """Follows one script, statement by statement; `read` gives the text of a file, `argv` are the script's own arguments."""

    def __init__(self, text: str, argv: tuple[str, ...], environment: Mapping[str, str], read: Callable[[str], str | None], file: str) -> None:
        self.text, self.read, self.file, self.argv = text, read, file, argv
        self.lines = text.splitlines()
        self.names: dict[str, Any] = {"__name__": "__main__", "__file__": file}
        self.words: dict[int, PyWord] = {}
        self.environment = dict(environment)
        self.changed: dict[str, str] = {}
        self.removed: tuple[str, ...] = ()
        self.aliases: dict[str, str] = {}
        self.functions: dict[str, ast.FunctionDef | ast.AsyncFunctionDef] = {}
        self.runs: list[PyRun] = []
        self.conditional = 0
        self.rounds = 0
        self.depth = 0
        self.cwd: str | None = None

    def follow(self) -> list[PyRun]:
        """The programs that the script starts, in order; raises `SyntaxError` where it does not parse."""
        self._block(ast.parse(self.text).body)
        return self.runs

    # statements

    def _block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            self.rounds += 1
            if self.rounds > _ROUNDS or self.depth > 30:
                return
            self.depth += 1
            self._statement(statement)
            self.depth -= 1

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Import():
                for name in statement.names:
                    self.aliases[name.asname or name.name.partition(".")[0]] = name.name if name.asname else name.name.partition(".")[0]
            case ast.ImportFrom():
                for name in statement.names:
                    self.aliases[name.asname or name.name] = f"{statement.module}.{name.name}"
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.functions[statement.name] = statement
            case ast.Assign():
                self._calls(statement.value)
                for target in statement.targets:
                    self._bind(target, statement.value)
            case ast.AnnAssign() if statement.value is not None:
                self._calls(statement.value)
                self._bind(statement.target, statement.value)
            case ast.AugAssign():
                self._augment(statement)
            case ast.Expr() | ast.Return() if statement.value is not None:
                self._calls(statement.value)
                self._method(statement.value)
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
                for target in statement.targets:
                    if isinstance(target, ast.Subscript) and self._dotted(target.value) == "os.environ":
                        self._forget(target.slice)

    def _if(self, statement: ast.If) -> None:
        try:
            decided = bool(self.value(statement.test))
        except Unknown:
            self.conditional += 1
            self._block(statement.body)
            self._block(statement.orelse)
            self.conditional -= 1
            return
        self._block(statement.body if decided else statement.orelse)

    def _for(self, statement: ast.For) -> None:
        try:
            values = list(self.value(statement.iter))[:200]
        except (Unknown, TypeError):
            self.conditional += 1
            self._block(statement.body)
            self.conditional -= 1
            return
        for value in values:
            self._store(statement.target, value)
            self._block(statement.body)

    def _bind(self, target: ast.expr, node: ast.expr) -> None:
        try:
            value = self.value(node)
        except Unknown:
            if isinstance(target, ast.Name):
                self.names.pop(target.id, None)
            return
        self._store(target, value)

    def _store(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self.names[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List) and isinstance(value, list | tuple):
            for one, item in zip(target.elts, value, strict=False):
                self._store(one, item)
        elif isinstance(target, ast.Subscript):
            if self._dotted(target.value) == "os.environ":
                self._export(target.slice, value)
                return
            try:
                self.value(target.value)[self.value(target.slice)] = value
            except (Unknown, TypeError, KeyError, IndexError):
                return

    def _augment(self, statement: ast.AugAssign) -> None:
        if not isinstance(statement.target, ast.Name):
            return
        try:
            old, new = self.names[statement.target.id], self.value(statement.value)
            self.names[statement.target.id] = [*old, *new] if isinstance(old, list) else old + new
        except (Unknown, KeyError, TypeError):
            self.names.pop(statement.target.id, None)

    def _export(self, name: ast.expr, value: Any) -> None:
        try:
            key = self.value(name)
        except Unknown:
            return
        if isinstance(key, str) and isinstance(value, str):
            self.changed[key] = self.environment[key] = value

    def _forget(self, name: ast.expr) -> None:
        try:
            key = str(self.value(name))
        except Unknown:
            return
        self.environment.pop(key, None)
        self.changed.pop(key, None)
        self.removed += (key,)

    def _method(self, node: ast.expr) -> None:
        """Carry out the methods that change a value: ``list.append``, ``.extend``, ``os.environ.update``, ``os.putenv``, ``os.chdir``."""
        node = node.value if isinstance(node, ast.Await) else node
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return
        name = self._dotted(node.func)
        try:
            if name == "os.chdir":
                self.cwd = str(self.value(node.args[0]))
            elif name in ("os.putenv", "os.environ.setdefault", "os.environ.__setitem__"):
                if name != "os.environ.setdefault" or self.value(node.args[0]) not in self.environment:
                    self._export(node.args[0], self.value(node.args[1]))
            elif name == "os.environ.update":
                for key, value in self._mapping(node).items():
                    self._export(ast.Constant(key), value)
            elif name in ("os.environ.pop", "os.unsetenv"):
                self._forget(node.args[0])
            elif node.func.attr in ("append", "extend", "insert", "update", "remove"):
                target = self.value(node.func.value)
                if isinstance(target, list | dict):
                    getattr(target, node.func.attr)(*[self.value(argument) for argument in node.args])
        except (Unknown, TypeError, ValueError, IndexError, AttributeError):
            return

    def _mapping(self, node: ast.Call) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for argument in node.args:
            made.update(self.value(argument))
        for keyword in node.keywords:
            if keyword.arg:
                made[keyword.arg] = self.value(keyword.value)
        return made

    # calls that start programs

    def _calls(self, node: ast.expr) -> None:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Call):
                self._call(inner)

    def _call(self, node: ast.Call) -> None:
        name = self._dotted(node.func)
        module, _, function = name.rpartition(".")
        if not module and function in self.functions:
            self._enter(self.functions[function], node)
        elif name == "asyncio.run" and node.args and isinstance(node.args[0], ast.Call):
            return
        elif module == "os" and function in _EXEC and len(node.args) > _EXEC[function]:
            self._executed(node, node.args[_EXEC[function]], function)
        elif module == "os" and function in _EXEC_LIST and len(node.args) > 1:
            self._executed(node, ast.List(elts=node.args[1:], ctx=ast.Load()), function)
        elif (module in ("os", "asyncio", "subprocess") and function in _SHELL) and node.args:
            self._shell(node)
        elif function in _RUN and module in ("subprocess", "asyncio", "sp") and (node.args or node.keywords):
            self._ran(node, function)

    def _enter(self, function: ast.FunctionDef | ast.AsyncFunctionDef, node: ast.Call) -> None:
        """Follow a function of the script, its parameters bound to what the call gives."""
        if self.depth > 20:
            return
        saved = dict(self.names)
        parameters = [*function.args.posonlyargs, *function.args.args]
        defaults = function.args.defaults
        pairs: list[tuple[str, ast.expr]] = [
            (parameter.arg, default) for parameter, default in zip(parameters[len(parameters) - len(defaults) :], defaults, strict=False)
        ]
        pairs += [
            (one.arg, default) for one, default in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=False) if default is not None
        ]
        pairs += [(parameter.arg, argument) for parameter, argument in zip(parameters, node.args, strict=False)]
        pairs += [(keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg]
        for name, value in pairs:
            self._bind(ast.Name(id=name, ctx=ast.Store()), value)
        self._block(function.body)
        self.names = saved

    def _executed(self, node: ast.Call, argv: ast.expr, function: str) -> None:
        run = self._made(argv, node)
        run.executed = True
        program = node.args[0] if not function.startswith("spawn") else node.args[1]
        try:
            # The kernel runs the path, whatever the first word of the argv says.
            path = str(self.value(program))
        except Unknown:
            path = ""
        if run.words and path:
            run.words[0] = PyWord(path, self._segment(program), program.lineno)
        if function.endswith("e") and len(node.args) > _EXEC.get(function, 9) + 1:
            self._environ(run, node.args[_EXEC[function] + 1])
        self.runs.append(run)

    def _ran(self, node: ast.Call, function: str) -> None:
        keywords = {keyword.arg: keyword.value for keyword in node.keywords}
        first = node.args[0] if node.args else keywords.get("args")
        if first is None:
            return
        if self._truth(keywords.get("shell")):
            self._shell(node, first)
            run = self.runs[-1]
        elif function == "create_subprocess_exec":
            run = self._made(ast.List(elts=list(node.args), ctx=ast.Load()), node)
            self.runs.append(run)
        else:
            run = self._made(first, node)
            self.runs.append(run)
        if "env" in keywords:
            self._environ(run, keywords["env"])
        if "cwd" in keywords:
            try:
                run.cwd = str(self.value(keywords["cwd"]))
            except Unknown:
                run.whole = False

    def _truth(self, node: ast.expr | None) -> bool:
        try:
            return node is not None and bool(self.value(node))
        except Unknown:
            return False

    def _environ(self, run: PyRun, node: ast.expr) -> None:
        try:
            env = self.value(node)
        except Unknown:
            run.whole = False
            return
        if not isinstance(env, dict):
            return
        base = {name: value for name, value in self.environment.items() if name not in self.changed}
        run.env = {str(name): str(value) for name, value in env.items() if base.get(name) != value}
        run.unset = tuple(name for name in base if name not in env)
        run.emptied = True

    def _shell(self, node: ast.Call, argument: ast.expr | None = None) -> None:
        run = PyRun(line=node.lineno, env=dict(self.changed), unset=self.removed, cwd=self.cwd, conditional=self.conditional > 0)
        try:
            value = self.value(argument or node.args[0])
            run.shell = value if isinstance(value, str) else str(value[0])
        except (Unknown, IndexError, TypeError):
            run.shell, run.whole = "", False
        self.runs.append(run)

    def _made(self, argv: ast.expr, node: ast.Call) -> PyRun:
        run = PyRun(line=node.lineno, env=dict(self.changed), unset=self.removed, cwd=self.cwd, conditional=self.conditional > 0)
        try:
            value = self.value(argv)
        except Unknown:
            value = self._partly(argv, run)
        if isinstance(value, str):
            value = [value]
        for item in value if isinstance(value, list | tuple) else []:
            known = self.words.get(id(item))
            run.words.append(known if known and known.text == item else PyWord(str(item), repr(item), node.lineno))
        return run

    def _partly(self, argv: ast.expr, run: PyRun) -> list[Any]:
        """The words of a list that could not be folded whole: an unknown one becomes its source text."""
        run.whole = False
        if isinstance(argv, ast.BinOp):
            return [*self._partly(argv.left, run), *self._partly(argv.right, run)]
        made: list[Any] = []
        for node in argv.elts if isinstance(argv, ast.List | ast.Tuple) else [argv]:
            try:
                value = self.value(node.value if isinstance(node, ast.Starred) else node)
                made += list(value) if isinstance(node, ast.Starred) or (isinstance(value, list) and node is argv) else [value]
            except Unknown:
                made.append("{" + self._segment(node) + "}")
        return made

    # values

    def value(self, node: ast.expr) -> Any:
        """The value of an expression; raises `Unknown`."""
        self.rounds += 1
        if self.rounds > _ROUNDS:
            raise Unknown
        try:
            made = self._value(node)
        except (TypeError, ValueError, KeyError, IndexError, AttributeError, RecursionError, ArithmeticError) as error:
            raise Unknown from error
        if isinstance(made, str):
            if len(made) > 2_000_000:
                raise Unknown
            if hasattr(node, "lineno") and id(made) not in self.words:
                # A copy of its own, so that equal words at two places keep two lines.
                made = "".join([made[:1], made[1:]]) if len(made) > 1 else made
                self.words[id(made)] = PyWord(made, self._segment(node), node.lineno)
        return made

    def _value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant():
                return node.value
            case ast.Name():
                if node.id not in self.names:
                    raise Unknown
                return self.names[node.id]
            case ast.JoinedStr():
                return "".join(str(self.value(part)) for part in node.values)
            case ast.FormattedValue():
                return format(str(self.value(node.value)) if node.conversion == 115 else self.value(node.value), self._form(node))
            case ast.List() | ast.Tuple() | ast.Set():
                return self._items(node.elts)
            case ast.Dict():
                return self._dict(node)
            case ast.BinOp():
                return self._binary(node)
            case ast.IfExp():
                return self.value(node.body if self.value(node.test) else node.orelse)
            case ast.BoolOp():
                return self._boolean(node)
            case ast.UnaryOp():
                operand = self.value(node.operand)
                return (not operand) if isinstance(node.op, ast.Not) else -operand
            case ast.Compare() if len(node.ops) == 1:
                return self._compare(node)
            case ast.Subscript():
                return self._subscript(node)
            case ast.Attribute():
                return self._attribute(node)
            case ast.Call():
                return self._called(node)
            case ast.ListComp() | ast.GeneratorExp() if len(node.generators) == 1:
                return self._comprehension(node)
        raise Unknown

    def _form(self, node: ast.FormattedValue) -> str:
        return str(self.value(node.format_spec)) if node.format_spec is not None else ""

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

    def _binary(self, node: ast.BinOp) -> Any:
        left, right = self.value(node.left), self.value(node.right)
        match node.op:
            case ast.Add():
                return [*left, *right] if isinstance(left, list) else left + right
            case ast.Mod():
                return left % (tuple(right) if isinstance(right, list) else right)
            case ast.Mult() if isinstance(right, int) and right < 1000:
                return left * right
            case ast.Sub():
                return left - right
            case ast.Div():
                return posixpath.join(left, right) if isinstance(left, str) else left / right
            case ast.BitOr():
                return left | right
        raise Unknown

    def _boolean(self, node: ast.BoolOp) -> Any:
        value: Any = None
        for operand in node.values:
            value = self.value(operand)
            if bool(value) is isinstance(node.op, ast.Or):
                return value
        return value

    def _compare(self, node: ast.Compare) -> bool:
        left, right = self.value(node.left), self.value(node.comparators[0])
        match node.ops[0]:
            case ast.Eq() | ast.Is():
                return bool(left == right)
            case ast.NotEq() | ast.IsNot():
                return bool(left != right)
            case ast.In():
                return left in right
            case ast.NotIn():
                return left not in right
            case ast.Gt():
                return bool(left > right)
            case ast.Lt():
                return bool(left < right)
        raise Unknown

    def _subscript(self, node: ast.Subscript) -> Any:
        name = self._dotted(node.value)
        if name == "os.environ":
            return self._environment(str(self.value(node.slice)))
        target = [self.file, *self.argv] if name == "sys.argv" else self.value(node.value)
        if isinstance(node.slice, ast.Slice):
            bounds = (node.slice.lower, node.slice.upper, node.slice.step)
            return target[slice(*[None if bound is None else self.value(bound) for bound in bounds])]
        return target[self.value(node.slice)]

    def _environment(self, name: str, default: Any = None) -> Any:
        if name in self.environment:
            return self.environment[name]
        if default is None:
            raise Unknown
        return default

    def _attribute(self, node: ast.Attribute) -> Any:
        name = self._dotted(node)
        if name == "os.environ":
            return dict(self.environment)
        if name == "sys.argv":
            return [self.file, *self.argv]
        if name == "sys.executable":
            return "python"
        if node.attr == "parent":
            return posixpath.dirname(self.value(node.value)) or "."
        raise Unknown

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp) -> list[Any]:
        generator = node.generators[0]
        made: list[Any] = []
        for item in list(self.value(generator.iter))[:1000]:
            self._store(generator.target, item)
            if all(self.value(test) for test in generator.ifs):
                element = self.value(node.elt)
                made.append(element)
        return made

    def _called(self, node: ast.Call) -> Any:
        name = self._dotted(node.func)
        if name in _FUNCTIONS:
            return _FUNCTIONS[name](*[self.value(argument) for argument in node.args])
        if name == "json.dumps":
            options = {keyword.arg: self.value(keyword.value) for keyword in node.keywords if keyword.arg}
            return json.dumps(self.value(node.args[0]), **{key: value for key, value in options.items() if key in _DUMPS})
        if name in ("os.environ.get", "os.getenv"):
            default = self.value(node.args[1]) if len(node.args) > 1 else None
            key = self.value(node.args[0])
            return self.environment.get(key, default)
        if name in ("os.environ.copy", "os.environ.items"):
            return dict(self.environment) if name.endswith("copy") else list(self.environment.items())
        if name == "dict":
            return self._mapping(node)
        if name == "os.path.join":
            return posixpath.join(*[str(self.value(argument)) for argument in node.args])
        if name in ("Path", "pathlib.Path"):
            return posixpath.join(*[str(self.value(argument)) for argument in node.args])
        if isinstance(node.func, ast.Name) and node.func.id in self.functions:
            return self._returned(self.functions[node.func.id], node)
        if isinstance(node.func, ast.Attribute):
            return self._text_method(node, node.func)
        raise Unknown

    def _text_method(self, node: ast.Call, function: ast.Attribute) -> Any:
        if function.attr == "read_text" or (function.attr == "read" and isinstance(function.value, ast.Call)):
            inner = function.value
            path = self.value(inner.args[0] if isinstance(inner, ast.Call) and function.attr == "read" else inner)
            text = self.read(str(path))
            if text is None:
                raise Unknown
            return text
        target = self.value(function.value)
        arguments = [self.value(argument) for argument in node.args]
        if function.attr in ("resolve", "absolute", "expanduser") and isinstance(target, str):
            return target
        if isinstance(target, str) and function.attr in _TEXT_METHODS:
            keywords = {keyword.arg: self.value(keyword.value) for keyword in node.keywords if keyword.arg}
            return getattr(target, function.attr)(*arguments, **keywords)
        if isinstance(target, dict) and function.attr in ("get", "items", "keys", "values", "copy"):
            found = getattr(target, function.attr)(*arguments)
            return found if function.attr in ("get", "copy") else list(found)
        if isinstance(target, list) and function.attr == "copy":
            return list(target)
        raise Unknown

    def _returned(self, function: ast.FunctionDef | ast.AsyncFunctionDef, node: ast.Call) -> Any:
        """What a function of the script returns, where its last statement is a ``return``."""
        last = function.body[-1]
        if self.depth > 15 or not isinstance(last, ast.Return) or last.value is None:
            raise Unknown
        saved, runs = dict(self.names), len(self.runs)
        self.depth += 1
        parameters = function.args.args
        for parameter, default in zip(reversed(parameters), reversed(function.args.defaults), strict=False):
            self._bind(ast.Name(id=parameter.arg, ctx=ast.Store()), default)
        for parameter, argument in zip(parameters, node.args, strict=False):
            self._bind(ast.Name(id=parameter.arg, ctx=ast.Store()), argument)
        for keyword in node.keywords:
            if keyword.arg:
                self._bind(ast.Name(id=keyword.arg, ctx=ast.Store()), keyword.value)
        try:
            self._block(function.body[:-1])
            return self.value(last.value)
        finally:
            self.names, self.depth = saved, self.depth - 1
            del self.runs[runs:]

    def _dotted(self, node: ast.expr) -> str:
        """``os.environ.get`` for an attribute chain, imports resolved; empty for anything else."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        return ".".join([self.aliases.get(node.id, node.id), *reversed(parts)])

    def _segment(self, node: ast.expr) -> str:
        if not hasattr(node, "lineno") or node.end_lineno is None:
            return ""
        if node.lineno != node.end_lineno or node.lineno > len(self.lines):
            return ast.get_source_segment(self.text, node) or ""
        line = self.lines[node.lineno - 1].encode()
        return line[node.col_offset : node.end_col_offset].decode("utf-8", "replace")


_DUMPS = frozenset({"indent", "separators", "ensure_ascii", "sort_keys"})
_TEXT_METHODS = words("format join strip lstrip rstrip replace split splitlines lower upper removeprefix removesuffix title startswith endswith")
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "str": str,
    "int": int,
    "float": float,
    "bool": bool,
    "list": list,
    "tuple": list,
    "len": len,
    "repr": repr,
    "sorted": sorted,
    "shlex.split": shlex.split,
    "shlex.quote": shlex.quote,
    "shlex.join": shlex.join,
    "json.loads": json.loads,
    "os.path.dirname": posixpath.dirname,
    "os.path.basename": posixpath.basename,
    "os.path.abspath": str,
    "os.path.realpath": str,
    "os.path.expanduser": str,
    "os.fspath": str,
}
