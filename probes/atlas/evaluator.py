# Python 3.8 runs this too, and pathlib alone would cost a tenth of its time.
# ruff: noqa: B905, UP035
"""Evaluates syntax trees: every statement and expression becomes a closure of ours, so that no code of the package is ever run by Python itself.

Attributes, calls, subscripts and imports go through the package's guards (`probes.atlas.interpreter.Package`). What is assigned, returned or
raised in a branch whose condition is not known is not known either. Generators and coroutines are not followed: their calls are unknown.

This file runs in the *target's* Python (3.8 and later), standard library only.
"""

from __future__ import annotations

import ast
import operator
import types
from typing import Any, Callable, Iterator, cast

from probes.atlas.values import ERRORS, TAINT, Finished, Never, Unknown

Thunk = Callable[[Any], Any]


class Env:
    """A scope: its variables, the scope around it, and for functions what ``super()`` needs. A class' scope is passed over by its methods."""

    __slots__ = ("cell", "comprehension", "first", "is_class", "outside", "parent", "qualname", "vars")

    def __init__(self, variables: Any, parent: Env | None, qualname: str = "") -> None:
        self.vars = variables
        self.parent = parent
        self.qualname = qualname
        self.cell: list[Any] | None = parent.cell if parent is not None else None
        self.first: Any = parent.first if parent is not None else None
        self.outside: dict[str, Any] = {}
        self.is_class = False
        self.comprehension = False


class Returned:
    """The signal of a ``return``."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


BREAK = object()
CONTINUE = object()

_BINARY = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitXor: operator.xor,
}
_COMPARE = {ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge}
_UNARY = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert}
_IDENTITY = ("Is", "IsNot", "In", "NotIn")


class Evaluator:
    """Makes closures of the syntax trees of one module."""

    def __init__(self, package: Any, module: Any) -> None:
        self.package = package
        self.module = module
        self.waits = False

    def run(self, body: list[ast.stmt], env: Env) -> Any:
        """Execute statements in a scope."""
        return self.block(body)(env)

    def block(self, body: list[ast.stmt]) -> Thunk:
        """A closure for a list of statements; it returns None, or the signal that ended them."""
        steps = [step for step in map(self.statement, body) if step is not None]

        def execute(env: Env) -> Any:
            for step in steps:
                signal = step(env)
                if signal is not None:
                    return signal
            return None

        return execute

    def statement(self, node: ast.stmt) -> Thunk | None:
        """A closure for a statement; None for one that does nothing."""
        maker = getattr(self, "_s_" + type(node).__name__.lower(), None)
        return None if maker is None else cast(Thunk, maker(node))

    def expression(self, node: ast.AST) -> Thunk:
        """A closure for an expression; what is not supported is unknown."""
        maker = getattr(self, "_e_" + type(node).__name__.lower(), None)
        if maker is None:
            return lambda env: Unknown("expression")
        return cast(Thunk, maker(node))

    # -- statements -----------------------------------------------------------------------------------------------------

    def _s_expr(self, node: ast.Expr) -> Thunk | None:
        if isinstance(node.value, ast.Constant):
            return None
        value = self.expression(node.value)

        def execute(env: Env) -> None:
            value(env)

        return execute

    def _s_assign(self, node: ast.Assign) -> Thunk:
        value = self.expression(node.value)
        stores = [self.store(target) for target in node.targets]

        def execute(env: Env) -> None:
            made = value(env)
            for put in stores:
                put(env, made)

        return execute

    def _s__methods(self, node: Any) -> Thunk:
        def execute(env: Env) -> None:
            for name, method in node.methods.items():
                env.vars[name] = method

        return execute

    def _s_annassign(self, node: ast.AnnAssign) -> Thunk | None:
        value = self.expression(node.value) if node.value is not None else None
        put = self.store(node.target)
        name = node.target.id if isinstance(node.target, ast.Name) else ""
        annotation: list[Thunk] = []

        def execute(env: Env) -> None:
            if value is not None:
                put(env, value(env))
            if env.is_class and name:
                if not annotation:
                    annotation.append(self.expression(node.annotation))
                env.vars["__fields__"].append((name, lambda: annotation[0](env)))

        return execute

    def _s_augassign(self, node: ast.AugAssign) -> Thunk:
        load = self.expression(_loaded(node.target))
        value, put = self.expression(node.value), self.store(node.target)
        apply = self.binary(node.op)

        def execute(env: Env) -> None:
            put(env, apply(load(env), value(env)))

        return execute

    def store(self, target: ast.AST) -> Callable[[Env, Any], None]:
        """A closure that assigns to a target."""
        if isinstance(target, ast.Name):
            return self._store_name(target.id)
        if isinstance(target, ast.Attribute):
            holder, attribute = self.expression(target.value), target.attr
            return lambda env, value: self.package.set_attribute(holder(env), attribute, self._given(value))
        if isinstance(target, ast.Subscript):
            container, index = self.expression(target.value), self._index(target.slice)

            def put(env: Env, value: Any) -> None:
                self.package.set_item(container(env), index(env), self._given(value))

            return put
        if isinstance(target, (ast.Tuple, ast.List)):
            return self._store_sequence(target.elts)
        return lambda env, value: None

    def _store_name(self, name: str) -> Callable[[Env, Any], None]:
        package = self.package

        def put(env: Env, value: Any) -> None:
            if package.doubt:
                value = Unknown("branch")
            if env.outside and name in env.outside:
                env.outside[name][name] = value
            else:
                env.vars[name] = value

        return put

    def _given(self, value: Any) -> Any:
        return Unknown("branch") if self.package.doubt else value

    def _store_sequence(self, targets: list[ast.expr]) -> Callable[[Env, Any], None]:
        puts = [self.store(target.value if isinstance(target, ast.Starred) else target) for target in targets]
        star = next((place for place, target in enumerate(targets) if isinstance(target, ast.Starred)), None)

        def put(env: Env, value: Any) -> None:
            if type(value) is Unknown:
                items: list[Any] = [value] * len(puts)
            else:
                items = list(value)
                if star is not None:
                    after = len(puts) - star - 1
                    items = [*items[:star], items[star : len(items) - after], *items[len(items) - after :]]
                if len(items) != len(puts):
                    raise ValueError("wrong number of values to unpack")
            for one, item in zip(puts, items):
                one(env, item)

        return put

    def _s_if(self, node: ast.If) -> Thunk:
        test, body, orelse = self.expression(node.test), self.block(node.body), self.block(node.orelse)
        package = self.package

        def execute(env: Env) -> Any:
            value = test(env)
            if type(value) is not Unknown:
                return body(env) if value else orelse(env)
            package.doubt += 1
            try:
                first = body(env)
                return first if first is not None else orelse(env)
            finally:
                package.doubt -= 1

        return execute

    def _s_for(self, node: ast.For) -> Thunk:
        values, put = self.expression(node.iter), self.store(node.target)
        body, orelse = self.block(node.body), self.block(node.orelse)
        package = self.package

        def execute(env: Env) -> Any:
            found = values(env)
            if type(found) is Unknown:
                package.doubt += 1
                try:
                    put(env, found)
                    body(env)
                finally:
                    package.doubt -= 1
                return None
            for item in found:
                package.tick()
                put(env, item)
                signal = body(env)
                if signal is BREAK:
                    return None
                if signal is not None and signal is not CONTINUE:
                    return signal
            return orelse(env)

        return execute

    def _s_while(self, node: ast.While) -> Thunk:
        test, body = self.expression(node.test), self.block(node.body)
        package = self.package

        def execute(env: Env) -> Any:
            while test(env):
                package.tick()
                signal = body(env)
                if signal is BREAK:
                    return None
                if signal is not None and signal is not CONTINUE:
                    return signal
            return None

        return execute

    def _s_try(self, node: Any) -> Thunk:
        body, orelse, final = self.block(node.body), self.block(node.orelse), self.block(node.finalbody)
        handlers = [(self.expression(h.type) if h.type is not None else None, h.name, self.block(h.body)) for h in node.handlers]

        def execute(env: Env) -> Any:
            try:
                signal = body(env)
                return signal if signal is not None else orelse(env)
            except Finished:
                raise
            except ERRORS as error:
                for kind, name, handle in handlers:
                    if isinstance(error, Exception if kind is None else _catchable(kind(env))):
                        if name:
                            env.vars[name] = error
                        return handle(env)
                raise
            finally:
                final(env)

        return execute

    _s_trystar = _s_try

    def _s_with(self, node: ast.With) -> Thunk:
        body = self.block(node.body)
        stores = [self.store(item.optional_vars) for item in node.items if item.optional_vars is not None]

        def execute(env: Env) -> Any:
            for put in stores:
                put(env, Unknown("with"))
            return body(env)

        return execute

    def _s_match(self, node: Any) -> Thunk:
        cases = [self.block(case.body) for case in node.cases]
        package = self.package

        def execute(env: Env) -> None:
            package.doubt += 1
            try:
                for case in cases:
                    case(env)
            finally:
                package.doubt -= 1

        return execute

    def _s_return(self, node: ast.Return) -> Thunk:
        value = self.expression(node.value) if node.value is not None else None
        return lambda env: Returned(self._given(value(env) if value is not None else None))

    def _s_raise(self, node: ast.Raise) -> Thunk:
        value = self.expression(node.exc) if node.exc is not None else None
        package = self.package

        def execute(env: Env) -> None:
            if package.doubt:
                return
            error = value(env) if value is not None else None
            if isinstance(error, ERRORS) or (isinstance(error, type) and issubclass(error, ERRORS)):
                raise error
            raise RuntimeError("raised: unknown")

        return execute

    def _s_break(self, _node: ast.Break) -> Thunk:
        return lambda env: None if self.package.doubt else BREAK

    def _s_continue(self, _node: ast.Continue) -> Thunk:
        return lambda env: None if self.package.doubt else CONTINUE

    def _s_delete(self, node: ast.Delete) -> Thunk:
        removals: list[Thunk] = []
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                removals.append(self._removal(target))
            elif isinstance(target, ast.Name):
                removals.append(self._forget(target.id))

        def execute(env: Env) -> None:
            for remove in removals:
                remove(env)

        return execute

    def _forget(self, name: str) -> Thunk:
        return lambda env: env.vars.pop(name, None)

    def _removal(self, target: ast.Subscript) -> Thunk:
        container, index = self.expression(target.value), self._index(target.slice)

        def remove(env: Env) -> None:
            holder = container(env)
            if isinstance(holder, (dict, list)):
                del holder[index(env)]

        return remove

    def _s_global(self, node: ast.Global) -> Thunk:
        return lambda env: env.outside.update(dict.fromkeys(node.names, self.module.ns))

    def _s_nonlocal(self, node: ast.Nonlocal) -> Thunk:
        def execute(env: Env) -> None:
            for name in node.names:
                around = env.parent
                while around is not None and name not in around.vars:
                    around = around.parent
                if around is not None:
                    env.outside[name] = around.vars

        return execute

    def _s_import(self, node: ast.Import) -> Thunk:
        named = [(a.asname, a.name) if a.asname else (a.name.partition(".")[0], a.name.partition(".")[0]) for a in node.names]

        def execute(env: Env) -> None:
            for name, source in named:
                env.vars[name] = self.package.load(source, "")

        return execute

    def _s_importfrom(self, node: ast.ImportFrom) -> Thunk:
        source = self.module.absolute(node.module or "", node.level)
        named = [(alias.asname or alias.name, alias.name) for alias in node.names if alias.name != "*"]

        def execute(env: Env) -> None:
            for name, member in named:
                env.vars[name] = self.package.load(source, member)

        return execute

    def _s_functiondef(self, node: Any) -> Thunk:
        decorators = [self.expression(d) for d in node.decorator_list]
        make = self.function(node, node.name)

        def execute(env: Env) -> None:
            made = make(env)
            for decorator in reversed(decorators):
                made = self.package.decorated(decorator(env), made)
            env.vars[node.name] = made

        return execute

    _s_asyncfunctiondef = _s_functiondef

    def _s_classdef(self, node: ast.ClassDef) -> Thunk:
        bases = [self.expression(base) for base in node.bases]
        metaclass = next((self.expression(k.value) for k in node.keywords if k.arg == "metaclass"), None)
        decorators = [self.expression(d) for d in node.decorator_list]
        body = self.block(node.body)

        def execute(env: Env) -> None:
            given = [base(env) for base in bases]
            made = self.make_class(node.name, given, metaclass(env) if metaclass else None, body, env)
            for decorator in reversed(decorators):
                made = self.package.decorated(decorator(env), made)
            env.vars[node.name] = made

        return execute

    def make_class(self, name: str, given: list[Any], metaclass: Any, body: Thunk, env: Env) -> Any:
        """A real class whose methods are closures of ours."""
        bases = self.package.bases(*given)
        natural = type(bases[0]) if bases else type
        keywords = {"metaclass": metaclass} if isinstance(metaclass, type) and issubclass(metaclass, natural) else {}
        qualname = env.qualname + name
        cell: list[Any] = []

        def fill(space: Any) -> None:
            space["__module__"] = self.module.name
            space["__qualname__"] = qualname
            inner = Env(space, env, qualname + ".")
            inner.is_class, inner.cell = True, cell
            space["__fields__"] = []
            body(inner)

        made = types.new_class(name, bases, keywords, fill)
        cell.append(made)
        return made

    # -- functions ------------------------------------------------------------------------------------------------------

    def function(self, node: Any, name: str) -> Thunk:
        """A closure that makes the function of a definition or a lambda in a scope."""
        arguments = node.args
        positional = [a.arg for a in [*arguments.posonlyargs, *arguments.args]]
        keyword_only = [a.arg for a in arguments.kwonlyargs]
        rest = arguments.vararg.arg if arguments.vararg else ""
        others = arguments.kwarg.arg if arguments.kwarg else ""
        defaults = [self.expression(d) for d in arguments.defaults]
        keyword_defaults = [None if d is None else self.expression(d) for d in arguments.kw_defaults]
        body: list[Thunk] = []
        simple = not (rest or others or keyword_only)

        def compiled() -> Thunk:
            if isinstance(node, ast.Lambda):
                value = self.expression(node.body)
                return lambda env: Returned(value(env))
            self.waits = isinstance(node, ast.AsyncFunctionDef)
            made = self.block(node.body)
            return (lambda env: Returned(Unknown("generator"))) if self.waits else made

        def make(env: Env) -> Any:
            given = {positional[len(positional) - len(defaults) + place]: value(env) for place, value in enumerate(defaults)}
            given.update({key: value(env) for key, value in zip(keyword_only, keyword_defaults) if value is not None})
            around = env.parent if env.is_class else env
            qualname, cell = env.qualname + name, env.cell

            def call(*args: Any, **kwargs: Any) -> Any:
                if not body:
                    body.append(compiled())
                if simple and not kwargs and len(args) == len(positional):
                    variables = dict(zip(positional, args))
                else:
                    variables = dict(given)
                    _bind(variables, qualname, args, kwargs, positional, keyword_only, rest, others)
                inner = Env(variables, around, qualname + ".<locals>.")
                inner.cell = cell
                if args:
                    inner.first = args[0]
                signal = body[0](inner)
                return signal.value if type(signal) is Returned else None

            call.__name__, call.__qualname__, call.__module__ = name, qualname, self.module.name
            call.__dict__.update(nostart_scope=around, nostart_given=given, nostart_node=node)
            return call

        return make

    def _e_lambda(self, node: ast.Lambda) -> Thunk:
        return self.function(node, "<lambda>")

    # -- expressions ----------------------------------------------------------------------------------------------------

    def _e_yield(self, _node: Any) -> Thunk:
        self.waits = True  # the function around it is a generator or a coroutine
        return lambda env: Unknown("yield")

    _e_yieldfrom = _e_await = _e_yield

    def _e_constant(self, node: ast.Constant) -> Thunk:
        value = node.value
        return lambda env: value

    def _e_name(self, node: ast.Name) -> Thunk:
        name, lookup = node.id, self.module.lookup

        def load(env: Env | None) -> Any:
            while env is not None:
                if name in env.vars:
                    return env.vars[name]
                env = env.parent
                while env is not None and env.is_class:
                    env = env.parent
            return lookup(name)

        return load

    def _e_attribute(self, node: ast.Attribute) -> Thunk:
        value, name, attr = self.expression(node.value), node.attr, self.package.attribute
        return lambda env: attr(value(env), name)

    def _index(self, node: Any) -> Thunk:
        if type(node).__name__ == "Index":
            node = node.value
        if isinstance(node, ast.Slice):
            parts = [None if part is None else self.expression(part) for part in (node.lower, node.upper, node.step)]
            return lambda env: slice(*(None if part is None else part(env) for part in parts))
        return self.expression(node)

    def _e_subscript(self, node: ast.Subscript) -> Thunk:
        value, index, item = self.expression(node.value), self._index(node.slice), self.package.item
        return lambda env: item(value(env), index(env))

    def _e_call(self, node: ast.Call) -> Thunk:
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
            return lambda env: super(env.cell[0], env.first) if env.cell else Unknown("super")
        if isinstance(node.func, ast.Name) and node.func.id == "super" and len(node.args) == 2:
            kind, this = self.expression(node.args[0]), self.expression(node.args[1])
            return lambda env: _super(kind(env), this(env))
        function, invoke = self.expression(node.func), self.package.call
        if not node.keywords and not any(isinstance(arg, ast.Starred) for arg in node.args):
            plain = [self.expression(arg) for arg in node.args]
            return lambda env: invoke(function(env), *[arg(env) for arg in plain])
        args = self._sequence(node.args)
        keywords = [(keyword.arg, self.expression(keyword.value)) for keyword in node.keywords]

        def call(env: Env) -> Any:
            target, given = function(env), args(env)
            named: dict[str, Any] = {}
            for name, value in keywords:
                if name is None:
                    named.update(_mapping(value(env)))
                else:
                    named[name] = value(env)
            return invoke(target, *given, **named)

        return call

    def _sequence(self, nodes: list[ast.expr]) -> Thunk:
        parts = [(isinstance(node, ast.Starred), self.expression(node.value if isinstance(node, ast.Starred) else node)) for node in nodes]

        def build(env: Env) -> list[Any]:
            made: list[Any] = []
            for starred, part in parts:
                value = part(env)
                if starred and type(value) is not Unknown:
                    made.extend(value)
                else:
                    made.append(value)
            return made

        return build

    def _e_list(self, node: ast.List) -> Thunk:
        return self._sequence(node.elts)

    def _e_tuple(self, node: ast.Tuple) -> Thunk:
        build = self._sequence(node.elts)
        return lambda env: tuple(build(env))

    def _e_set(self, node: ast.Set) -> Thunk:
        build = self._sequence(node.elts)
        return lambda env: set(build(env))

    def _e_dict(self, node: ast.Dict) -> Thunk:
        pairs = [(None if key is None else self.expression(key), self.expression(value)) for key, value in zip(node.keys, node.values)]

        def build(env: Env) -> dict[Any, Any]:
            made: dict[Any, Any] = {}
            for key, value in pairs:
                if key is None:
                    made.update(_mapping(value(env)))
                else:
                    made[key(env)] = value(env)
            return made

        return build

    def binary(self, op: ast.operator) -> Callable[[Any, Any], Any]:
        """The function of a binary operator."""
        if isinstance(op, ast.BitOr):
            union: Callable[[Any, Any], Any] = self.package.either_of
            return union
        if isinstance(op, ast.Pow):
            return lambda left, right: left**right if isinstance(right, int) and abs(right) < 200 else Unknown("power")
        return _BINARY.get(type(op), lambda left, right: Unknown("operator"))

    def _e_binop(self, node: ast.BinOp) -> Thunk:
        left, right, apply = self.expression(node.left), self.expression(node.right), self.binary(node.op)
        return lambda env: apply(left(env), right(env))

    def _e_unaryop(self, node: ast.UnaryOp) -> Thunk:
        value = self.expression(node.operand)
        if isinstance(node.op, ast.Not):

            def negate(env: Env) -> Any:
                found = value(env)
                return found if type(found) is Unknown else not found

            return negate
        apply: Any = _UNARY[type(node.op)]
        return lambda env: apply(value(env))

    def _e_boolop(self, node: ast.BoolOp) -> Thunk:
        parts, stop = [self.expression(value) for value in node.values], isinstance(node.op, ast.Or)

        def decide(env: Env) -> Any:
            value: Any = None
            for part in parts:
                value = part(env)
                if type(value) is Unknown or bool(value) is stop:
                    return value
            return value

        return decide

    def _e_compare(self, node: ast.Compare) -> Thunk:
        first = self.expression(node.left)
        rest = [(type(op), self.expression(right)) for op, right in zip(node.ops, node.comparators)]
        compare = self.package.compare

        def decide(env: Env) -> Any:
            left, value = first(env), True
            for kind, part in rest:
                right = part(env)
                value = compare(kind.__name__, left, right) if kind.__name__ in _IDENTITY else _COMPARE[kind](left, right)
                if type(value) is Unknown or not value:
                    return value
                left = right
            return value

        return decide

    def _e_ifexp(self, node: ast.IfExp) -> Thunk:
        test, body, orelse = self.expression(node.test), self.expression(node.body), self.expression(node.orelse)

        def decide(env: Env) -> Any:
            value = test(env)
            if type(value) is not Unknown:
                return body(env) if value else orelse(env)
            left, right = body(env), orelse(env)
            return left if type(left) is type(right) and left == right else Unknown("condition")

        return decide

    def _e_joinedstr(self, node: ast.JoinedStr) -> Thunk:
        parts = [self.expression(value) for value in node.values]
        return lambda env: "".join(map(str, [part(env) for part in parts]))

    def _e_formattedvalue(self, node: ast.FormattedValue) -> Thunk:
        value, spec = self.expression(node.value), None if node.format_spec is None else self.expression(node.format_spec)
        represent = node.conversion == 114

        def show(env: Env) -> str:
            found = value(env)
            if not isinstance(found, (str, int, float, type(None), list, dict, tuple, set)):
                return TAINT if type(found) is Unknown else getattr(found, "__name__", "") or "object"
            return format(repr(found) if represent else found, spec(env) if spec is not None else "")

        return show

    def _e_namedexpr(self, node: ast.NamedExpr) -> Thunk:
        value, put = self.expression(node.value), self.store(node.target)

        def execute(env: Env) -> Any:
            made = value(env)
            holder = env
            while holder.comprehension and holder.parent is not None:
                holder = holder.parent
            put(holder, made)
            return made

        return execute

    # -- comprehensions -------------------------------------------------------------------------------------------------

    def _walk(self, generators: list[ast.comprehension], value: Thunk) -> Callable[[Env], Iterator[Any]]:
        levels = [(self.expression(g.iter), self.store(g.target), [self.expression(test) for test in g.ifs]) for g in generators]

        package = self.package

        def produce(env: Env, level: int) -> Iterator[Any]:
            values, put, tests = levels[level]
            last = level + 1 == len(levels)
            found = values(env)
            for item in (found,) if type(found) is Unknown else found:
                package.tick()
                put(env, item)
                kept = [test(env) for test in tests]
                if kept and any(type(one) is Unknown for one in kept):
                    yield Unknown("filter")
                elif all(kept):
                    if last:
                        yield value(env)
                    else:
                        yield from produce(env, level + 1)

        def start(env: Env) -> Iterator[Any]:
            inner = Env({}, env, env.qualname)
            inner.comprehension = True
            return produce(inner, 0)

        return start

    def _e_listcomp(self, node: ast.ListComp) -> Thunk:
        walk = self._walk(node.generators, self.expression(node.elt))
        return lambda env: list(walk(env))

    def _e_setcomp(self, node: ast.SetComp) -> Thunk:
        walk = self._walk(node.generators, self.expression(node.elt))
        return lambda env: set(walk(env))

    def _e_generatorexp(self, node: ast.GeneratorExp) -> Thunk:
        return self._walk(node.generators, self.expression(node.elt))

    def _e_dictcomp(self, node: ast.DictComp) -> Thunk:
        key, value = self.expression(node.key), self.expression(node.value)
        walk = self._walk(node.generators, lambda env: (key(env), value(env)))

        def build(env: Env) -> Any:
            pairs = list(walk(env))
            return Unknown("comprehension") if any(type(pair) is Unknown for pair in pairs) else dict(pairs)

        return build


def _super(kind: Any, this: Any) -> Any:
    if not isinstance(kind, type) or type(this) is Unknown:
        return Unknown("super")
    return super(kind, this)


def _mapping(value: Any) -> Any:
    """What ``**value`` gives; the unknown leaves a mark."""
    return {"nostart_unknown": value} if type(value) is Unknown else value


def _catchable(value: Any) -> tuple[type, ...]:
    kinds = value if isinstance(value, tuple) else (value,)
    return tuple(kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseException)) or (Never,)


def _loaded(target: Any) -> Any:
    """The expression that reads an assignment's target."""
    if isinstance(target, ast.Name):
        return ast.Name(id=target.id, ctx=ast.Load())
    if isinstance(target, ast.Attribute):
        return ast.Attribute(value=target.value, attr=target.attr, ctx=ast.Load())
    return ast.Subscript(value=target.value, slice=target.slice, ctx=ast.Load())


def _bind(
    variables: dict[str, Any],
    name: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    positional: list[str],
    keyword_only: list[str],
    rest: str,
    others: str,
) -> None:
    """Put the arguments of a call into the function's variables; TypeError where they do not fit."""
    variables.update(zip(positional, args))
    if rest:
        variables[rest] = args[len(positional) :]
    elif len(args) > len(positional):
        raise TypeError(name + "() takes fewer positional arguments")
    left: dict[str, Any] = {}
    taken = set(positional[: len(args)])
    for key, value in kwargs.items():
        if (key in positional and key not in taken) or key in keyword_only:
            variables[key] = value
        elif others:
            left[key] = value
        else:
            raise TypeError(name + "() got an unexpected keyword argument " + repr(key))
    if others:
        variables[others] = left
    for key in [*positional, *keyword_only]:
        if key not in variables:
            raise TypeError(name + "() missing an argument: " + repr(key))
