# Python 3.8 runs this too, and pathlib alone would cost a tenth of its time.
# ruff: noqa: UP035
"""The values that interpreted code works with beside plain data: the unknown, type expressions, and stand-ins for what lies outside the package.

This file runs in the *target's* Python (3.8 and later), standard library only.
"""

from __future__ import annotations

from typing import Any, Callable, Iterator

STEPS = 2_000_000
DEPTH = 6
TAINT = "\ufffd"
OPAQUE = ("platforms", "plugins", "logger", "_C", "triton_utils", "usage")
"""Modules of the package that answer for the machine, not for the parser: everything in them is unknown."""


class Unknown:
    """A value that the source alone does not tell; `name` says where it came from. Whatever is made of it is unknown too.

    An `external` one is a name imported from outside the package: unknown, but certainly no builtin type and no form of `typing`.
    """

    def __init__(self, name: str, external: bool = False) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "external", external)

    def _same(self, *_args: Any, **_kwargs: Any) -> Any:
        return self

    __call__ = __getitem__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __mod__ = __rmod__ = _same
    __or__ = __ror__ = __and__ = __rand__ = __lt__ = __le__ = __gt__ = __ge__ = __neg__ = __enter__ = _same

    def __eq__(self, _other: object) -> Any:
        return self

    def __ne__(self, _other: object) -> Any:
        return self

    def __hash__(self) -> int:
        return id(self)

    def __getattr__(self, _name: str) -> Any:
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        """Nothing sticks to the unknown."""

    def __setitem__(self, key: Any, value: Any) -> None:
        """Nothing sticks to the unknown."""

    def __delitem__(self, key: Any) -> None:
        """Nothing can be taken from the unknown."""

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def keys(self) -> tuple[str, ...]:
        """As a mapping it is empty."""
        return ()

    def __contains__(self, _item: object) -> bool:
        return False

    def __bool__(self) -> bool:
        return False

    def __len__(self) -> int:
        return 0

    def __str__(self) -> str:
        return TAINT

    __repr__ = __str__

    def __format__(self, _spec: str) -> str:
        return TAINT


class Never(Exception):
    """Stands in an ``except`` clause for an exception class that is not known: nothing raises it."""


class Finished(Exception):
    """Raised by a recording `parser` when the program would start to parse: everything has been declared."""

    def __init__(self, why: str, parser: Any = None) -> None:
        super().__init__(why)
        self.parser = parser


ERRORS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    ImportError,
    LookupError,
    NameError,
    OSError,
    RuntimeError,
    StopIteration,
    TypeError,
    ValueError,
)
"""What interpreted code can raise, and what goes wrong in it; any other exception is a fault of ours."""


class Form:
    """A type expression: ``Literal["a"]``, ``X | None``, ``list[int]``; `origin` as `typing.get_origin` gives it.

    A `vague` one stands beside others of its kind in a union: which of them a search finds depends on the order of a set.
    """

    __module__ = "typing"

    def __init__(self, origin: Any, args: tuple[Any, ...], module: str = "typing", vague: bool = False) -> None:
        self.vague = vague
        self.__module__ = module
        self.origin = origin
        self.args = tuple(tuple(arg) if isinstance(arg, list) else arg for arg in args)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Form) and self.origin is other.origin and self.args == other.args

    def __hash__(self) -> int:
        return hash((id(self.origin), self.args))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What calling it gives."""
        return self.origin(*args, **kwargs) if isinstance(self.origin, type) else Unknown("form")


class Marker:
    """A name of `typing` (or the like) that is only compared and subscripted: ``Literal``, ``Union``, ``Annotated``."""

    def __init__(self, name: str, origin: type | None = None) -> None:
        self.name = name
        self.origin = origin

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What calling it gives."""
        return Unknown(self.name) if self.origin is None else self.origin(*args, **kwargs)


class Forward:
    """A type that stands as a string inside a type expression, as `typing.ForwardRef`: no type, and of `typing`'s own module."""

    __module__ = "typing"

    def __init__(self, text: str) -> None:
        self.text = text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Forward) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


class Stand:
    """A stand-in for a module or namespace outside the package: its known names as attributes, all others unknown."""

    def __init__(self, name: str, /, **names: Any) -> None:
        self.stand_name = name
        self.names = names


class Native:
    """A function of ours that interpreted code may call."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What calling it gives."""
        return self.function(*args, **kwargs)


UNION = Marker("Union")
LITERAL = Marker("Literal")
ANNOTATED = Marker("Annotated")
OPTIONAL = Marker("Optional")
CLASSVAR = Marker("ClassVar")
INITVAR = Marker("InitVar")
ANY = Marker("Any")


def union(parts: Any) -> Any:
    """A union of type expressions: flattened, without repetition, ``None`` as its type."""
    flat: list[Any] = []
    for part in parts:
        plain = type(None) if part is None else Forward(part) if isinstance(part, str) else part
        members = part.args if isinstance(part, Form) and part.origin is UNION else (plain,)
        for member in members:
            if not any(member is seen or (isinstance(member, (Form, Forward)) and member == seen) for seen in flat):
                flat.append(member)
    literals = [member for member in flat if isinstance(member, Form) and member.origin is LITERAL]
    if len(literals) > 1:  # code that looks for *the* literal type in a set of these finds any of them
        flat = [Form(LITERAL, member.args, vague=True) if member in literals else member for member in flat]
    return flat[0] if len(flat) == 1 else Form(UNION, tuple(flat))


def constant(value: Any) -> Callable[[], Any]:
    """A function that gives `value`."""
    return lambda: value


def any_of(values: Any) -> Any:
    """As `any`; unknown where that hangs on the unknown."""
    doubt = False
    for value in (values,) if type(values) is Unknown else values:
        if type(value) is Unknown:
            doubt = True
        elif value:
            return True
    return Unknown("any") if doubt else False


def all_of(values: Any) -> Any:
    """As `all`; unknown where that hangs on the unknown."""
    doubt = False
    for value in (values,) if type(values) is Unknown else values:
        if type(value) is Unknown:
            doubt = True
        elif not value:
            return False
    return Unknown("all") if doubt else True
