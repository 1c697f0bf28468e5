# Python 3.8 runs this too, and pathlib alone would cost a tenth of its time.
# ruff: noqa: B905, UP035
"""Evaluates statements: every one becomes a closure of ours, so that no code of the package is ever run by Python itself.

Imports go through the package's guards (`probes.atlas.interpreter.Package`). What is assigned, returned or raised in a branch whose condition is
not known is not known either.

This file runs in the *target's* Python (3.8 and later), standard library only.
"""

from __future__ import annotations

import ast
import types
from typing import Any, Callable, cast

from probes.atlas.expressions import Expressions
from probes.atlas.scopes import BREAK, CONTINUE, Env, Returned, Thunk
from probes.atlas.values import ERRORS, Finished, Never, Unknown


class Evaluator(Expressions):
    """Makes closures of the syntax trees of one module."""

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
