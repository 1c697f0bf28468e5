# Python 3.8 runs this too, and pathlib alone would cost a tenth of its time.
# ruff: noqa: B905
"""The guards: all that interpreted code may see, call, compare and change, and the builtins it finds.

This file runs in the *target's* Python (3.8 and later), standard library only.
"""

from __future__ import annotations

import builtins
import re
import types
from typing import Any

from probes.atlas.inside import Builtins
from probes.atlas.modules import Module
from probes.atlas.values import (
    DEPTH,
    ERRORS,
    LITERAL,
    OPTIONAL,
    STEPS,
    UNION,
    Finished,
    Form,
    Marker,
    Native,
    Stand,
    Unknown,
    constant,
    union,
)

_DATA = (str, int, float, bool, list, dict, tuple, set, frozenset, bytes, complex)
_VISIBLE = {"__name__", "__doc__", "__module__", "__members__", "__version__", "__init__", "__class__", "__qualname__", "__file__", "__new__"}
_READS = {sorted, list, tuple, set, frozenset, dict, sum, max, min, enumerate, zip, map, filter, int, float, reversed, range, bool, len}


class Guards(Builtins):
    """What stands between interpreted code and everything else; `doubt` says how sure one may be at the moment."""

    def __init__(self, name: str, safe: dict[str, Any]) -> None:
        self.name = name
        self.doubt = 0
        self.outer = 0
        self.steps = 0
        self.safe = safe
        safe.update(self.builtins())

    def attribute(self, value: Any, name: str) -> Any:
        """``value.name``, for what interpreted code may see of it."""
        kind = type(value)
        if kind is Unknown:
            if name == "__module__" and value.__dict__["external"]:
                return value.__dict__["name"].partition(".")[0]
            return Unknown(value.__dict__["name"] + "." + name, external=True) if value.__dict__["external"] else value
        if name.startswith("__") and name.endswith("__") and name not in _VISIBLE:
            if name == "__annotations__" and self.own(value):
                return {key: thunk() for key, thunk in value.__dict__.get("__fields__", ())}
            return Unknown(name)
        if kind is Module:
            return value.get(name)
        if kind is Stand:
            found = value.names.get(name, value)
            return Unknown(value.stand_name + "." + name) if found is value else found
        if kind in (Marker, Native, types.FunctionType, types.BuiltinFunctionType, types.GeneratorType) and name not in _VISIBLE:
            return getattr(value, name) if kind is types.FunctionType and name in value.__dict__ else Unknown(name)
        if getattr(kind, "nostart_dynamic", False) and not hasattr(value, name):
            return Unknown(name)
        found = getattr(value, name)
        default = getattr(type(found), "nostart_default", None)
        if default is not None and not getattr(kind, "nostart_raw", False):
            return default(found)
        return found

    def item(self, value: Any, index: Any) -> Any:
        """``value[index]``: of containers, and of type expressions."""
        kind = type(value)
        if kind in (dict, list, tuple, str):
            if type(index) is Unknown or (kind is dict and "nostart_unknown" in value and index not in value):
                return Unknown("index")
            return value[index]
        if kind is Unknown:
            return value
        if value is UNION:
            return union(index if isinstance(index, tuple) else (index,))
        if value is OPTIONAL:
            return union((index, None))
        arguments = index if isinstance(index, tuple) else (index,)
        if value is LITERAL:
            flat: list[Any] = []
            for argument in arguments:
                flat.extend(argument.args if isinstance(argument, Form) and argument.origin is LITERAL else (argument,))
            return Form(LITERAL, _distinct(flat))
        if kind is Marker:
            return Form(value.origin or value, arguments)
        if isinstance(value, type) and (value.__module__ in ("builtins", "collections") or not hasattr(type(value), "__getitem__")):
            return Form(value, arguments, value.__module__) if value.__module__ in ("builtins", "collections") else value
        return value[index]

    def call(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        """Call what interpreted code may call; unknown where it may not, or where an unknown argument decides."""
        self.steps += 1
        if self.steps > STEPS:
            raise Finished("too long")
        kind = type(function)
        if kind is Unknown:
            return function
        if (kind is types.FunctionType or kind is Native) and not self.doubt and not self.outer:
            # The common case, where nothing is in doubt: nothing has to be guarded or put back.
            try:
                return function(*args, **kwargs) if kind is types.FunctionType else function.function(*args, **kwargs)
            except TypeError:
                if Unknown in map(type, args) or Unknown in map(type, kwargs.values()):
                    return Unknown("call")
                raise
        if self.doubt + self.outer > DEPTH:
            return Unknown("call")
        doubtful = Unknown in map(type, args)
        if doubtful or self.doubt:
            bound = getattr(function, "__self__", None)
            if isinstance(bound, dict) and getattr(function, "__name__", "") == "update":
                bound["nostart_unknown"] = Unknown("update")
                return None
            reads = isinstance(bound, str) or (isinstance(function, type) and function in _READS) or function in self._reads
            if doubtful and reads:
                return Unknown("call")
        if type(function) is not types.FunctionType and (not self._allowed(function) or (function is type and (doubtful or len(args) != 1))):
            return Unknown("call")
        doubt, outer = self.doubt, self.outer
        self.doubt, self.outer = 0, doubt + outer
        try:
            if isinstance(function, type) and _makes_fields(function):
                return self._instance(function, args, kwargs)
            return function(*args, **kwargs)
        except Finished:
            raise
        except ERRORS as error:
            # In a branch that may not be taken nothing is an error; nor is what an unknown argument leads to.
            if self.outer or (isinstance(error, TypeError) and (doubtful or Unknown in map(type, kwargs.values()))):
                return Unknown("call")
            raise
        finally:
            self.doubt, self.outer = doubt, outer

    _reads = (sorted, sum, max, min, len)

    def _allowed(self, function: Any) -> bool:
        kind = type(function)
        if kind is types.FunctionType or kind in (Native, Form, Marker, types.FunctionType, types.MethodType, Unknown):
            return True
        if isinstance(function, type):
            return True
        if kind is types.BuiltinMethodType or kind.__name__ in ("method-wrapper", "method_descriptor", "builtin_function_or_method"):
            bound = getattr(function, "__self__", None)
            return isinstance(bound, (*_DATA, type)) or bound is builtins or type(bound).__module__ in ("re", "collections") or bound is re
        return callable(function)

    def _instance(self, kind: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        made: Any = object.__new__(kind)
        declared = self.fields(kind)
        names = [name for name, _, _ in declared]
        for name, _, value in declared:
            factory = getattr(value, "default_factory", None)
            if isinstance(factory, (type, types.FunctionType, Native)) and name not in kwargs:
                object.__setattr__(made, name, self.call(factory))
        for name, value in [*zip(names, args), *kwargs.items()]:
            object.__setattr__(made, name, value)
        return made

    def fields(self, kind: type) -> list[tuple[str, Any, Any]]:
        """The dataclass fields of an interpreted class: name, annotation thunk, value (the class itself where there is none), bases first."""
        found: dict[str, tuple[str, Any, Any]] = {}
        for base in reversed(kind.__mro__):
            for name, annotation in base.__dict__.get("__fields__", ()):
                found[name] = (name, annotation, base.__dict__.get(name, kind))
        return list(found.values())

    def either_of(self, left: Any, right: Any) -> Any:
        """``left | right``: a union of types, or of sets, dictionaries or bits."""
        if isinstance(left, (dict, set, int)) and not isinstance(left, type) and left is not None:
            return left | right
        return union((left, right))

    def compare(self, kind: str, left: Any, right: Any) -> Any:
        """``is``, ``is not``, ``in`` and ``not in``, by the name of the syntax node."""
        if kind in ("Is", "IsNot"):
            if (type(left) is Unknown or type(right) is Unknown) and left is not right and self._vague(left, right):
                return Unknown("is")
            return (left is right) is (kind == "Is")
        if type(right) is Unknown or type(left) is Unknown or (type(right) is dict and "nostart_unknown" in right and left not in right):
            return Unknown("in")
        return (left in right) if kind == "In" else (left not in right)

    def _vague(self, left: Any, right: Any) -> bool:
        """Whether an unknown might be that very object: one that is named outside the package is no builtin type and no marker of ours."""
        known = [value for value in (left, right) if type(value) is not Unknown]
        if any(type(value) is Unknown and not value.__dict__["external"] for value in (left, right)):
            return True
        other = known[0] if known else left
        return not isinstance(other, (type, Marker, Form))

    def tick(self) -> None:
        """Count a step; code that takes too many is given up."""
        self.steps += 1
        if self.steps > STEPS:
            raise Finished("too long")

    def bases(self, *bases: Any) -> tuple[type, ...]:
        """The base classes that are known."""
        kept: list[type] = []
        for base in bases:
            plain = base.origin if isinstance(base, Form) else base
            if isinstance(plain, type) and plain is not object and plain not in kept:
                kept.append(plain)
        return tuple(kept)

    def decorated(self, decorator: Any, thing: Any) -> Any:
        """What a decorator makes of a definition; where that is unknown, the definition itself (most decorators wrap)."""
        if decorator in (staticmethod, classmethod, property):
            return decorator(thing)
        made = self.call(decorator, thing)
        return thing if type(made) is Unknown else made

    def set_attribute(self, holder: Any, name: str, value: Any) -> None:
        """Set an attribute of an object that interpreted code made; of nothing else."""
        if name == "__annotations__" and self.own(holder) and isinstance(value, dict):
            holder.__fields__ = [(key, constant(annotation)) for key, annotation in value.items()]
            return
        kind = holder if isinstance(holder, type) else type(holder)
        if kind.__module__.partition(".")[0] == self.name and not name.startswith("__"):
            setattr(holder, name, value)
        elif isinstance(holder, types.FunctionType) and "nostart_node" in holder.__dict__ and not name.startswith("__"):
            holder.__dict__[name] = value
        elif hasattr(holder, "nostart_settable") and not isinstance(holder, type) and not name.startswith(("__", "nostart_")):
            setattr(holder, name, value)

    def set_item(self, holder: Any, key: Any, value: Any) -> None:
        """Set an item of a container."""
        if isinstance(holder, dict) and type(key) is Unknown:
            holder["nostart_unknown"] = key
        elif isinstance(holder, (dict, list)):
            holder[key] = value


def _distinct(values: list[Any]) -> tuple[Any, ...]:
    """Without repetition, as `typing.Literal` does it; an unknown is equal to nothing."""
    kept: list[Any] = []
    for value in values:
        if type(value) is Unknown or not any(type(other) is type(value) and other == value for other in kept):
            kept.append(value)
    return tuple(kept)


def _makes_fields(kind: type) -> bool:
    """Whether calling `kind` sets its fields: a dataclass or record comes before any ``__init__`` in its ancestry."""
    for base in kind.__mro__[:-1]:
        if "nostart_dataclass" in base.__dict__:
            return True
        if "__init__" in base.__dict__:
            return False
    return False
