# Python 3.8 runs this too, and pathlib alone would cost a tenth of its time.
# ruff: noqa: UP035
"""What evaluation passes around: scopes, and the signals that end a block of statements.

This file runs in the *target's* Python (3.8 and later), standard library only.
"""

from __future__ import annotations

from typing import Any, Callable

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
