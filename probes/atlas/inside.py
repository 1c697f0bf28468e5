# Python 3.8 runs this too.
"""The builtins of interpreted code: Python's own where they only compute, and stand-ins that go through the guards where they look into something.

This file runs in the *target's* Python (3.8 and later), standard library only.
"""

from __future__ import annotations

import builtins
from typing import Any

from probes.atlas.values import Form, Native, Unknown, all_of, any_of


class Builtins:
    """The builtins of a package with that `name`."""

    name: str

    def attribute(self, _value: Any, _name: str) -> Any:
        """``value.name``, for what interpreted code may see of it."""
        raise NotImplementedError

    def own(self, value: Any) -> bool:
        """Whether `value` is a class that interpreted code defined."""
        return isinstance(value, type) and value.__module__.partition(".")[0] == self.name

    def builtins(self) -> dict[str, Any]:
        """The builtins that interpreted code finds, by name."""
        plain = (
            "abs bool bytes classmethod complex dict divmod enumerate filter float frozenset hash id int iter len list map max min next object ord"
            " property range repr reversed round set slice sorted staticmethod str sum tuple zip chr callable hex bin format"
        )
        found = {name: getattr(builtins, name) for name in plain.split()}
        found.update({name: value for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, BaseException)})
        found.update({"True": True, "False": False, "None": None, "NotImplemented": NotImplemented, "Ellipsis": Ellipsis})
        found["__build_class__"] = builtins.__build_class__
        found["getattr"] = Native(self._getattr)
        found["hasattr"] = Native(self._hasattr)
        found["setattr"] = Native(lambda *_a: None)
        found["isinstance"] = Native(self._isinstance)
        found["issubclass"] = Native(self._issubclass)
        found["any"] = Native(any_of)
        found["all"] = Native(all_of)
        found["type"] = type
        found["print"] = Native(lambda *_a, **_k: None)
        found["vars"] = Native(self._vars)
        found["dir"] = found["open"] = found["eval"] = found["exec"] = found["__import__"] = found["globals"] = Unknown("builtin")
        return found

    def _vars(self, value: Any) -> Any:
        """A copy of what a class of interpreted code holds; nothing else is told."""
        if not self.own(value):
            return Unknown("vars")
        return {name: held for name, held in value.__dict__.items() if not name.startswith(("__", "nostart_"))}

    def _getattr(self, value: Any, name: Any, *default: Any) -> Any:
        if type(name) is Unknown:
            return name
        try:
            return self.attribute(value, name)
        except AttributeError:
            if default:
                return default[0]
            raise

    def _hasattr(self, value: Any, name: Any) -> Any:
        if type(value) is Unknown or type(name) is Unknown:
            return Unknown("hasattr")
        try:
            self.attribute(value, name)
        except AttributeError:
            return False
        return True

    def _isinstance(self, value: Any, kinds: Any) -> Any:
        listed = kinds if isinstance(kinds, tuple) else kinds.args if isinstance(kinds, Form) else (kinds,)
        real = tuple(k.origin if isinstance(k, Form) else k for k in listed)
        if type(value) is Unknown:
            return True if value.__dict__["external"] and kinds is type else Unknown("isinstance")
        return isinstance(value, tuple(k for k in real if isinstance(k, type)))

    def _issubclass(self, kind: Any, bases: Any) -> Any:
        """A class from outside the package is taken for no subclass of a builtin."""
        if type(kind) is Unknown:
            return False if kind.__dict__["external"] and bases in (dict, list, tuple, set, str, int) else Unknown("issubclass")
        return isinstance(kind, type) and isinstance(bases, (type, tuple)) and issubclass(kind, bases)
