# Python 3.8 runs this too, and pathlib alone would cost a tenth of its time.
# ruff: noqa: B010, UP035
"""What interpreted code finds in the place of the standard library: type expressions, dataclasses, and parsers that only record.

This file runs in the *target's* Python (3.8 and later), standard library only.
"""

from __future__ import annotations

import argparse
import ast
import collections
import contextlib
import copy
import enum
import functools
import inspect
import itertools
import json
import re
import sys
import textwrap
import types
from typing import Any, Callable, Iterator, cast

from probes.atlas.interpreter import Package
from probes.atlas.values import ANNOTATED, ANY, CLASSVAR, INITVAR, LITERAL, OPTIONAL, UNION, Finished, Form, Marker, Native, Stand, Unknown

MISSING = Marker("MISSING")


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
    """A dataclass field as `dataclasses.fields` gives it."""

    def __init__(self, name: str, kind: Any, spec: FieldSpec) -> None:
        self.name = name
        self.type = kind
        self.default = spec.default
        self.default_factory = spec.default_factory
        self.init = spec.init
        self.metadata = spec.metadata


class Action:
    """One recorded option or positional."""

    def __init__(self, names: tuple[Any, ...], kwargs: dict[str, Any], group: str, doubt: bool) -> None:
        self.kwargs = kwargs
        self.group = group
        self.doubt = doubt
        self.option_strings = [name for name in names if str(name).startswith("-")]
        self.deprecated = kwargs.get("deprecated", False)
        self.choices = kwargs.get("choices")
        self.default = kwargs.get("default")
        self.type = kwargs.get("type")
        self.nargs = kwargs.get("nargs")
        self.help = kwargs.get("help")
        self.required = kwargs.get("required", not self.option_strings)
        self.dest = kwargs.get("dest") or self._dest(names)

    def _dest(self, names: tuple[Any, ...]) -> str:
        longs = [n for n in self.option_strings if n.startswith("--")]
        first: str = (longs or self.option_strings or [str(n) for n in names] or [""])[0]
        return first.lstrip("-").replace("-", "_")


class Container:
    """What options are added to."""

    nostart_package: Package | None = None
    nostart_settable = True

    def _home(self) -> Container:
        return cast(Container, self.__dict__.setdefault("nostart_home", self))

    def add_argument(self, *names: Any, **kwargs: Any) -> Action:
        """Record an option."""
        if len(names) == 1 and isinstance(names[0], Action):
            action = names[0]
        else:
            vague = Container.nostart_package is not None and Container.nostart_package.doubt + Container.nostart_package.outer > 0
            title = self.__dict__.get("title")
            action = Action(names, kwargs, title if isinstance(title, str) else "", vague)
        home = self._home()
        home.__dict__.setdefault("nostart_actions", []).append(action)
        for name in action.option_strings:
            home.__dict__.setdefault("_option_string_actions", {})[name] = action
        self.__dict__.setdefault("_group_actions", []).append(action)
        return action

    def add_argument_group(self, *args: Any, **kwargs: Any) -> Container:
        """A group whose options are those of its parser."""
        return Group(self, *args, **kwargs)

    def add_mutually_exclusive_group(self, **_kwargs: Any) -> Container:
        """The same for alternatives."""
        return Group(self, self.__dict__.get("title"))

    def set_defaults(self, **_kwargs: Any) -> None:
        """Defaults are not needed."""

    def register(self, *_args: Any) -> None:
        """Nor are registrations."""

    def _add_action(self, action: Any) -> Any:
        return self.add_argument(action) if isinstance(action, Action) else action


class Group(Container):
    """A group of options."""

    def __init__(self, container: Any, *args: Any, **kwargs: Any) -> None:
        self.nostart_home = container._home() if isinstance(container, Container) else self
        self.title = args[0] if args else kwargs.get("title")
        self.description = kwargs.get("description")


class Parser(Container):
    """Stands for `argparse.ArgumentParser`."""

    def __init__(self, *_args: Any, **kwargs: Any) -> None:
        self.prog = kwargs.get("prog") or "prog"
        self.title = "options"
        self.kwargs = kwargs
        self.description = kwargs.get("description")
        self.epilog = kwargs.get("epilog")
        self._action_groups: list[Any] = []
        self._option_string_actions: dict[str, Any] = {}
        self.nostart_actions: list[Action] = []
        self.nostart_commands: dict[str, Any] = {}
        self._subparsers = None

    @property
    def _actions(self) -> list[Action]:
        return self.nostart_actions

    def add_subparsers(self, **kwargs: Any) -> Subparsers:
        """The holder of subcommands."""
        return Subparsers(self, **kwargs)

    def parse_args(self, *_args: Any, **_kwargs: Any) -> Any:
        """All has been declared."""
        raise Finished("parse_args")

    parse_known_args = parse_args

    def get_default(self, dest: str) -> Any:
        """The default of a destination."""
        return next((a.default for a in self.nostart_actions if a.dest == dest), None)

    def format_help(self) -> str:
        """No help is needed."""
        return ""


class Subparsers:
    """The holder of subcommands: each gets a parser of the same class."""

    def __init__(self, parser: Any, **kwargs: Any) -> None:
        self.parser = parser
        self.maker = kwargs.get("parser_class") or type(parser)

    def add_parser(self, name: str, **kwargs: Any) -> Any:
        """A parser for a subcommand."""
        kwargs.pop("help", None)
        kwargs.pop("aliases", None)
        made = self.maker(**kwargs)
        self.parser.nostart_commands[name] = made
        return made


class BaseAction:
    """Stands for `argparse.Action`, for classes derived from it."""


class BooleanOptionalAction(BaseAction):
    """Stands for the action of that name."""


class TypedDict:
    """Stands for typing's."""

    nostart_typeddict = True


def _is_typeddict(value: Any) -> Any:
    if type(value) is Unknown:
        return False if value.__dict__["external"] else value
    return bool(getattr(value, "nostart_typeddict", False))


class BaseModel:
    """Stands for pydantic's."""

    nostart_dataclass = True


def click_option(*names: str, **kwargs: Any) -> Callable[[Any], Any]:
    """Stands for `click.option`: the decorated function carries its options."""

    def decorate(function: Any) -> Any:
        if isinstance(function, types.FunctionType):
            function.__dict__.setdefault("nostart_options", []).append((names, kwargs))
        return function

    return decorate


def get_origin(value: Any) -> Any:
    """As `typing.get_origin`."""
    if isinstance(value, Form):
        return value.origin
    return value if type(value) is Unknown and not value.__dict__["external"] else None


def get_args(value: Any) -> Any:
    """As `typing.get_args`."""
    if isinstance(value, Form):
        return value.args
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

    def dataclass(kind: Any = None, *_args: Any, **_kwargs: Any) -> Any:
        if isinstance(kind, type):
            setattr(kind, "nostart_dataclass", True)
            return kind
        return Native(lambda actual: dataclass(actual))

    def is_dataclass(value: Any) -> Any:
        kind = value if isinstance(value, type) else type(value)
        return bool(getattr(kind, "nostart_dataclass", False)) and kind is not Unknown

    def fields(value: Any) -> Any:
        kind = value if isinstance(value, type) else type(value)
        made: list[Field] = []
        for name, thunk, given in package().fields(kind):
            annotation = evaluated(thunk, kind)
            plain = annotation.origin if isinstance(annotation, Form) else annotation
            if plain in (CLASSVAR, INITVAR):
                continue
            spec = given if isinstance(given, FieldSpec) else FieldSpec(default=MISSING if given is kind else given)
            made.append(Field(name, annotation, spec))
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
        ArgumentTypeError=argparse.ArgumentTypeError, ArgumentError=argparse.ArgumentError, SUPPRESS=argparse.SUPPRESS, REMAINDER=argparse.REMAINDER,
        Namespace=Marker("Namespace"), _StoreAction=BaseAction, _AppendAction=BaseAction, _SubParsersAction=Marker("_SubParsersAction"),
        _StoreTrueAction=BaseAction, FileType=Native(lambda *_a, **_k: Marker("FileType")),
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
        "pydantic.dataclasses": Stand("pydantic.dataclasses", dataclass=Native(dataclass)),
        "click": click,
        "inspect": Stand("inspect", isclass=Native(lambda value: isinstance(value, type)), cleandoc=inspect.cleandoc),
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
