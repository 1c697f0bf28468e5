# Python 3.8 runs this too, and pathlib alone would cost a tenth of its time.
# ruff: noqa: B905, UP035
"""Evaluates expressions and functions: every one becomes a closure of ours, so that no code of the package is ever run by Python itself.

Attributes, calls and subscripts go through the package's guards. Generators and coroutines are not followed: their calls are unknown.

This file runs in the *target's* Python (3.8 and later), standard library only.
"""

from __future__ import annotations

import ast
import operator
from typing import Any, Callable, Iterator, cast

from probes.atlas.scopes import Env, Returned, Thunk
from probes.atlas.values import TAINT, Unknown

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


class Expressions:
    """Makes closures of expressions; those of statements are `Evaluator`'s."""

    def __init__(self, package: Any, module: Any) -> None:
        self.package = package
        self.module = module
        self.waits = False

    def block(self, _body: list[ast.stmt]) -> Thunk:
        """A closure for a list of statements; it returns None, or the signal that ended them."""
        raise NotImplementedError

    def store(self, _target: ast.AST) -> Callable[[Env, Any], None]:
        """A closure that assigns to a target."""
        raise NotImplementedError

    def expression(self, node: ast.AST) -> Thunk:
        """A closure for an expression; what is not supported is unknown."""
        maker = getattr(self, "_e_" + type(node).__name__.lower(), None)
        if maker is None:
            return lambda env: Unknown("expression")
        return cast(Thunk, maker(node))

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
