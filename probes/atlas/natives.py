# Python 3.8 runs this too, and pathlib alone would cost a tenth of its time.
# ruff: noqa: B010, UP035
"""What interpreted code finds in the place of the standard library: type expressions, dataclasses, and parsers that only record.

This file runs in the *target's* Python (3.8 and later), standard library only.
"""

from __future__ import annotations

import ast
import collections
import contextlib
import copy
import enum
import functools
import itertools
import json
import re
import sys
import textwrap
import types
from typing import Any, Callable, Iterator

from probes.atlas.interpreter import Package
from probes.atlas.recording import ACTIONS, BaseAction, BooleanOptionalAction, Group, Parser, StoreTrueAction, click_option
from probes.atlas.values import ANNOTATED, ANY, CLASSVAR, INITVAR, LITERAL, OPTIONAL, UNION, Form, Marker, Native, Stand, Unknown, constant

MISSING = Marker("MISSING")


class ArgumentTypeError(Exception):
    """Stands for argparse's."""


class ArgumentError(Exception):
    """Stands for argparse's."""


class FieldInfo:
    """A pydantic field: `default` or `default_factory`."""

    def __init__(self, default: Any = MISSING, **kwargs: Any) -> None:
        self.default = default
        self.default_factory = kwargs.get("default_factory")
        self.init = kwargs.get("init", True)
        self.kwargs = kwargs

    def nostart_default(self) -> Any:
        """What the class attribute reads as."""
        return Unknown("default") if self.default is MISSING or self.default is Ellipsis else self.default


class FieldSpec:
    """A dataclass field before its class is made."""

    def __init__(self, **kwargs: Any) -> None:
        self.default = kwargs.get("default", MISSING)
        self.default_factory = kwargs.get("default_factory", MISSING)
        self.init = kwargs.get("init", True)
        self.metadata = kwargs.get("metadata") or {}

    def nostart_default(self) -> Any:
        """What the class attribute reads as; AttributeError where there is no default."""
        if self.default is MISSING:
            raise AttributeError("default")
        return self.default


class Field:
    """A dataclass field as `dataclasses.fields` gives it; its default is what stands in the class, a `FieldInfo` included."""

    nostart_raw = True

    def __init__(self, name: str, kind: Any, spec: FieldSpec) -> None:
        self.name = name
        self.type = kind
        self.default = spec.default
        self.default_factory = spec.default_factory
        self.init = spec.init
        self.metadata = spec.metadata


class TypedDict:
    """Stands for typing's."""

    nostart_typeddict = True


def _is_typeddict(value: Any) -> Any:
    if type(value) is Unknown:
        return False if value.__dict__["external"] else value
    return bool(getattr(value, "nostart_typeddict", False))


class Struct:
    """Stands for msgspec's."""

    nostart_dataclass = True


class BaseModel:
    """Stands for pydantic's."""

    nostart_dataclass = True


def _unresolved(annotation: Any) -> bool:
    """Whether a part of a type expression is not known."""
    return any(map(_unresolved, annotation.args)) if isinstance(annotation, Form) else type(annotation) is Unknown


def get_origin(value: Any) -> Any:
    """As `typing.get_origin`."""
    if isinstance(value, Form):
        return value.origin
    return value if type(value) is Unknown and not value.__dict__["external"] else None


def get_args(value: Any) -> Any:
    """As `typing.get_args`."""
    if isinstance(value, Form):
        return Unknown("literal") if value.vague else value.args
    return value if type(value) is Unknown else ()


def _cached(function: Any = None, **_kwargs: Any) -> Any:
    if isinstance(function, types.FunctionType):
        return functools.lru_cache(maxsize=None)(function) and _memo(function)
    return Native(_memo)


def _memo(function: Any) -> Any:
    known: dict[Any, Any] = {}

    def call(*args: Any, **kwargs: Any) -> Any:
        key = (tuple(id(a) for a in args), tuple(sorted((k, id(v)) for k, v in kwargs.items())))
        if key not in known:
            known[key] = (function(*args, **kwargs), args, kwargs)
        return known[key][0]

    return call


def _copied(value: Any, *_rest: Any) -> Any:
    """A deep copy of plain containers; everything else is shared."""
    if type(value) is dict:
        return {key: _copied(item) for key, item in value.items()}
    if type(value) is list:
        return [_copied(item) for item in value]
    return value


def stands(package: Callable[[], Package], argv: list[str]) -> dict[str, Any]:
    """The stand-ins by module name; `argv` is what the program thinks it was called with."""

    def dataclass(kind: Any = None, *_args: Any, **kwargs: Any) -> Any:
        if isinstance(kind, type):
            setattr(kind, "nostart_dataclass", True)
            setattr(kind, "nostart_extra", kwargs.get("config"))
            return kind
        return Native(lambda actual: dataclass(actual, **kwargs))

    def pydantic_dataclass(kind: Any = None, *_args: Any, **kwargs: Any) -> Any:
        return dataclass(kind, **{"config": {}, **kwargs})

    def is_dataclass(value: Any) -> Any:
        kind = value if isinstance(value, type) else type(value)
        return any("nostart_dataclass" in base.__dict__ and base not in (Struct, BaseModel) for base in kind.__mro__)

    known: dict[type, tuple[Field, ...]] = {}

    def fields(value: Any) -> Any:
        kind = value if isinstance(value, type) else type(value)
        if kind in known:
            return known[kind]
        made: list[Field] = []
        for name, thunk, given in package().fields(kind):
            annotation = evaluated(thunk, kind)
            plain = annotation.origin if isinstance(annotation, Form) else annotation
            if plain in (CLASSVAR, INITVAR):
                continue
            spec = given if isinstance(given, FieldSpec) else FieldSpec(default=MISSING if given is kind else given)
            made.append(Field(name, annotation, spec))
        if not any(_unresolved(field.type) for field in made):  # while modules import each other in a circle, some types are not known yet
            known[kind] = tuple(made)
        return tuple(made)

    def evaluated(thunk: Callable[[], Any], kind: type) -> Any:
        try:
            value = thunk()
        except (TypeError, NameError, AttributeError, KeyError):
            return Unknown("annotation")
        if isinstance(value, str):
            module = package().module(kind.__module__)
            return Unknown("annotation") if module is None else forward(value, module)
        return value

    def forward(text: str, module: Any) -> Any:
        space = "_nostart_forward"
        package().execute(space + " = " + text, module)
        return module.ns.pop(space, Unknown("annotation"))

    def type_hints(value: Any, **_kwargs: Any) -> Any:
        return {field.name: field.type for field in fields(value)} if isinstance(value, type) else Unknown("hints")

    def record(name: str, declared: Any, *, namespace: Any = None, bases: Any = (), module: Any = None, **_kwargs: Any) -> Any:
        space = {key: value for key, value in (namespace if isinstance(namespace, dict) else {}).items() if not key.startswith("__")}
        space["__module__"], space["__fields__"] = package().name, []
        for item in declared:
            key, kind, *default = item if isinstance(item, tuple) else (item, ANY)
            space["__fields__"].append((key, constant(kind)))
            if default:
                space[key] = default[0]
        return type(name, tuple(base for base in bases or () if isinstance(base, type)) or (Struct,), space)

    def adapter(kind: Any = None, *_a: Any, **_k: Any) -> Stand:
        return Stand("TypeAdapter", nostart_kind=kind)

    typing = Stand(
        "typing", Any=ANY, Union=UNION, Literal=LITERAL, Annotated=ANNOTATED, Optional=OPTIONAL, ClassVar=CLASSVAR,
        List=Marker("List", list), Dict=Marker("Dict", dict),
        Tuple=Marker("Tuple", tuple), Set=Marker("Set", set), FrozenSet=Marker("FrozenSet", frozenset), Type=Marker("Type", type),
        TYPE_CHECKING=False, get_args=Native(get_args), get_origin=Native(get_origin),
        cast=Native(lambda _kind, value: value), get_type_hints=Native(type_hints), Final=Marker("Final"), Callable=Marker("Callable"),
        Sequence=Marker("Sequence"), Mapping=Marker("Mapping"), Iterable=Marker("Iterable"), overload=Native(lambda f: f),
        NamedTuple=Unknown("NamedTuple"), TypedDict=TypedDict,
        is_typeddict=Native(_is_typeddict), DefaultDict=collections.defaultdict,
    )  # fmt: skip
    click_types = {name: Marker(name) for name in ("INT", "STRING", "FLOAT", "BOOL", "UUID")}
    click = Stand(
        "click", option=Native(click_option), Choice=Native(lambda values, **_k: ("choice", tuple(values))),
        IntRange=Native(lambda *_a, **_k: ("integer range",)), FloatRange=Native(lambda *_a, **_k: ("float range",)),
        Path=Native(lambda *_a, **_k: ("path",)), File=Native(lambda *_a, **_k: ("filename",)), UNPROCESSED=Marker("UNPROCESSED"),
        argument=Native(lambda *names, **kw: click_option(*names, **{**kw, "nostart_argument": True})),
        **click_types,
    )  # fmt: skip
    structs = Stand("msgspec.structs", fields=Native(fields))
    msgspec = Stand(
        "msgspec", Struct=Struct, NODEFAULT=MISSING, field=Native(lambda **kw: FieldSpec(**kw)), structs=structs, defstruct=Native(record),
    )  # fmt: skip
    path = Stand("os.path")
    pydantic = Stand(
        "pydantic", Field=Native(FieldInfo), BaseModel=BaseModel, ConfigDict=Native(lambda **kw: dict(kw)), TypeAdapter=Native(adapter),
        SkipValidation=ANNOTATED, ValidationError=ValueError, PrivateAttr=Native(FieldInfo),
    )  # fmt: skip
    regex = Stand(
        "re", **{name: getattr(re, name) for name in ("compile", "match", "fullmatch", "search", "sub", "split", "findall", "escape", "Pattern")}
    )
    parse = Stand(
        "argparse", ArgumentParser=Parser, _ArgumentGroup=Group, Action=BaseAction, BooleanOptionalAction=BooleanOptionalAction,
        ArgumentTypeError=ArgumentTypeError, ArgumentError=ArgumentError, SUPPRESS="==SUPPRESS==", REMAINDER="...",
        Namespace=Marker("Namespace"), _StoreAction=BaseAction, _AppendAction=BaseAction, _SubParsersAction=Marker("_SubParsersAction"),
        _StoreTrueAction=StoreTrueAction, _StoreFalseAction=ACTIONS["store_false"], _StoreConstAction=ACTIONS["store_const"],
        _HelpAction=ACTIONS["help"], FileType=Native(lambda *_a, **_k: Marker("FileType")),
    )  # fmt: skip
    return {
        "typing": typing,
        "typing_extensions": typing,
        "collections.abc": Stand(
            "collections.abc", **{n: Marker(n) for n in ("Callable", "Sequence", "Mapping", "Iterable", "Iterator", "Set", "Generator")}
        ),
        "collections": Stand("collections", defaultdict=collections.defaultdict, OrderedDict=dict, Counter=collections.Counter),
        "types": Stand("types", UnionType=UNION, NoneType=type(None), MappingProxyType=Native(lambda value: value)),
        "argparse": parse,
        "json": Stand("json", loads=JSON_LOADS, dumps=Native(json.dumps), JSONDecodeError=ValueError),
        "re": regex,
        "regex": regex,
        "os": Stand("os", environ={}, getenv=Native(lambda _name, default=None: default), path=path, name="posix"),
        "sys": Stand("sys", argv=argv, version_info=sys.version_info, modules={}, platform=sys.platform, maxsize=sys.maxsize),
        "copy": Stand("copy", deepcopy=Native(_copied), copy=Native(copy.copy)),
        "functools": Stand(
            "functools", lru_cache=Native(_cached), cache=Native(_memo), partial=functools.partial, wraps=Native(lambda _f: lambda g: g)
        ),
        "itertools": Stand("itertools", **{name: getattr(itertools, name) for name in ("chain", "product", "permutations", "combinations")}),
        "contextlib": Stand("contextlib", contextmanager=Native(contextlib.contextmanager)),
        "enum": Stand(
            "enum",
            Enum=enum.Enum,
            IntEnum=enum.IntEnum,
            EnumMeta=enum.EnumMeta,
            auto=enum.auto,
            Flag=enum.Flag,
            IntFlag=enum.IntFlag,
            **({"StrEnum": enum.StrEnum} if hasattr(enum, "StrEnum") else {}),
        ),
        "dataclasses": Stand(
            "dataclasses",
            dataclass=Native(dataclass),
            field=Native(lambda **kw: FieldSpec(**kw)),
            fields=Native(fields),
            is_dataclass=Native(is_dataclass),
            MISSING=MISSING,
            InitVar=INITVAR,
            Field=Field,
            KW_ONLY=Marker("KW_ONLY"),
        ),
        "pydantic": pydantic,
        "pydantic.fields": Stand("pydantic.fields", FieldInfo=FieldInfo, Field=Native(FieldInfo)),
        "pydantic.dataclasses": Stand("pydantic.dataclasses", dataclass=Native(pydantic_dataclass)),
        "click": click,
        "msgspec": msgspec,
        "msgspec.structs": structs,
        "inspect": Stand(
            "inspect", isclass=Native(lambda value: isinstance(value, type)), cleandoc=Native(lambda text: textwrap.dedent(str(text)).strip())
        ),
        "textwrap": Stand("textwrap", dedent=textwrap.dedent),
        "ssl": Stand("ssl", CERT_NONE=0, CERT_OPTIONAL=1, CERT_REQUIRED=2),
    }


def _json_loads(text: str, **_kwargs: Any) -> Any:
    return json.loads(text)


JSON_LOADS = Native(_json_loads)


def _names_used(node: Any) -> set[str]:
    """The names that a function's code takes from around it; kept on the node."""
    found: set[str] | None = node.__dict__.get("nostart_used")
    if found is None:
        found = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)} - {argument.arg for argument in node.args.args}
        node.nostart_used = found
    return found


def converters(value: Any, seen: tuple[int, ...] = ()) -> Iterator[Any]:
    """Every callable or class that a converter is made of: itself, and what its closure, defaults and partial arguments hold."""
    if id(value) in seen or value is None:
        return
    yield value
    inside: list[Any] = []
    if isinstance(value, functools.partial):
        inside = [value.func, *value.args]
    if isinstance(value, types.FunctionType) and "nostart_node" in value.__dict__:
        node = value.__dict__["nostart_node"]
        inside.extend(value.__dict__["nostart_given"].values())
        used = _names_used(node)
        scope = value.__dict__["nostart_scope"]
        while scope is not None and "__name__" not in scope.vars:  # up to the module's own names
            inside.extend(item for name, item in scope.vars.items() if name in used)
            scope = scope.parent
    for item in inside:
        if isinstance(item, (types.FunctionType, type, Native, functools.partial, Marker)):
            yield from converters(item, (*seen, id(value)))


def uses(value: Any, name: str, deep: int = 3) -> bool:
    """Whether the code of a converter names the function `name`: itself, or in the functions of its module that it calls."""
    if not isinstance(value, types.FunctionType) or "nostart_node" not in value.__dict__:
        return False
    used = _names_used(value.__dict__["nostart_node"])
    scope = value.__dict__["nostart_scope"]
    while scope is not None and scope.parent is not None:
        scope = scope.parent
    around = scope.vars if scope is not None else {}
    return name in used or (deep > 0 and any(uses(around.get(other), name, deep - 1) for other in used))
