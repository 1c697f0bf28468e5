# Python 3.8 runs this too.
# ruff: noqa: UP035
"""Parsers that only record: what interpreted code gets in the place of `argparse`'s and click's.

Options are made as `argparse` makes them: an action class is looked up in the parser's registry and called, so that an action of the release's own
decides the names, arity and default of its options. A parser ends the program when it would start to parse (`Finished`).

This file runs in the *target's* Python (3.8 and later), standard library only.
"""

from __future__ import annotations

import types
from typing import Any, Callable, Iterable, cast

from probes.atlas.interpreter import Package
from probes.atlas.values import ERRORS, TAINT, Finished, Unknown


class BaseAction:
    """Stands for `argparse.Action`: one option or positional, with its attributes."""

    nostart_settable = True
    nostart_nargs: Any = None

    def __init__(self, option_strings: Any = (), dest: Any = "", nargs: Any = None, **kwargs: Any) -> None:
        self.option_strings = list(option_strings) if isinstance(option_strings, (list, tuple)) else []
        self.dest = dest
        self.nargs = self.nostart_nargs if nargs is None else nargs
        self.const = kwargs.get("const")
        self.default = kwargs.get("default")
        self.type = kwargs.get("type")
        self.choices = kwargs.get("choices")
        self.required = kwargs.get("required", False)
        self.help = kwargs.get("help")
        self.metavar = kwargs.get("metavar")
        self.deprecated = kwargs.get("deprecated", False)
        self.container: Any = None

    def format_usage(self) -> str:
        """Usage is not needed."""
        return ""


class Switch(BaseAction):
    """Stands for the actions that take no value."""

    nostart_nargs = 0


class StoreTrueAction(Switch):
    """Stands for the action of ``store_true``."""

    def __init__(self, option_strings: Any = (), dest: Any = "", **kwargs: Any) -> None:
        super().__init__(option_strings, dest, **{"default": False, **kwargs})


class StoreFalseAction(Switch):
    """Stands for the action of ``store_false``."""

    def __init__(self, option_strings: Any = (), dest: Any = "", **kwargs: Any) -> None:
        super().__init__(option_strings, dest, **{"default": True, **kwargs})


class HelpAction(Switch):
    """Stands for the actions of ``help`` and ``version``."""

    def __init__(self, option_strings: Any = (), dest: Any = "", **kwargs: Any) -> None:
        super().__init__(option_strings, dest, **{"default": "==SUPPRESS==", **kwargs})


class BooleanOptionalAction(Switch):
    """Stands for the action of that name: every ``--x`` has its ``--no-x``."""

    def __init__(self, option_strings: Any = (), dest: Any = "", *_args: Any, **kwargs: Any) -> None:
        names: list[str] = []
        for name in option_strings:
            names += [name, "--no-" + name[2:]] if name.startswith("--") else [name]
        super().__init__(names, dest, **kwargs)


ACTIONS: dict[Any, type] = {
    None: BaseAction,
    "store": BaseAction,
    "append": BaseAction,
    "extend": BaseAction,
    "store_true": StoreTrueAction,
    "store_false": StoreFalseAction,
    "store_const": Switch,
    "append_const": Switch,
    "count": Switch,
    "help": HelpAction,
    "version": HelpAction,
}
_OPTIONAL = ("?", "*", "...", "==SUPPRESS==")


class Recorded:
    """An option as it was declared: the `action`, the `names` that the parser takes for it, its `group`, and whether all that is in `doubt`."""

    def __init__(self, action: Any, names: list[Any], group: str, doubt: bool) -> None:
        self.action = action
        self.names = names
        self.group = group
        self.doubt = doubt


class Container:
    """What options are added to."""

    nostart_package: Package | None = None
    nostart_settable = True

    def _home(self) -> Any:
        return self.__dict__.setdefault("nostart_home", self)

    def add_argument(self, *names: Any, **kwargs: Any) -> Any:
        """Make an option's action, and record it."""
        package = cast(Package, Container.nostart_package)
        home = self._home()
        doubt = package.doubt + package.outer > 0 or kwargs.pop("nostart_unknown", None) is not None or any(TAINT in str(name) for name in names)
        how = kwargs.pop("action", None)
        doubt = doubt or type(how) is Unknown
        kind = home.nostart_registry.get(how) if type(how) in (str, type(None), type) or isinstance(how, type) else None
        kind = kind or (how if isinstance(how, type) and issubclass(how, BaseAction) else BaseAction)
        options = [name for name in names if str(name).startswith("-")]
        dest = kwargs.pop("dest", None) or destination(names)
        if not options and "required" not in kwargs:
            kwargs["required"] = kwargs.get("nargs") not in _OPTIONAL
        try:
            action = package.call(kind, option_strings=options, dest=dest, **kwargs)
        except ERRORS:
            action, doubt = Unknown("action"), True
        if not isinstance(action, BaseAction):
            action, doubt = BaseAction(options, dest, **kwargs), True
        return self._record(action, doubt)

    def _record(self, action: Any, doubt: bool) -> Any:
        home = self._home()
        title = self.__dict__.get("title") or ("options" if action.option_strings else "positional arguments")
        names = list(action.option_strings)
        known: dict[str, Recorded] = home.__dict__.setdefault("nostart_names", {})
        recorded = Recorded(action, names, title if isinstance(title, str) else "", doubt)
        for name in names:
            if name in known:  # the parser resolves conflicts for the newer one, or would not start at all
                known[name].names.remove(name)
            known[name] = recorded
        action.container = self
        home.nostart_actions.append(recorded)
        home._option_string_actions.update(dict.fromkeys(names, action))
        self.__dict__.setdefault("_group_actions", []).append(action)
        return action

    def add_argument_group(self, *args: Any, **kwargs: Any) -> Container:
        """A group whose options are those of its parser."""
        return Group(self, *args, **kwargs)

    def add_mutually_exclusive_group(self, **_kwargs: Any) -> Container:
        """The same for alternatives."""
        return Group(self, self.__dict__.get("title"))

    def set_defaults(self, **kwargs: Any) -> None:
        """Change the default of options."""
        for recorded in self._home().nostart_actions:
            if recorded.action.dest in kwargs:
                recorded.action.default = kwargs[recorded.action.dest]

    def register(self, name: str, value: Any, kind: Any) -> None:
        """Another class for an action."""
        if name == "action" and isinstance(kind, type):
            self._home().nostart_registry[value] = kind

    def _add_action(self, action: Any) -> Any:
        return self._record(action, False) if isinstance(action, BaseAction) else action


def destination(names: Iterable[Any]) -> str:
    """The attribute that `argparse` derives from an option's names."""
    listed = [str(name) for name in names]
    options = [name for name in listed if name.startswith("-")]
    if not options:
        return listed[0] if listed else ""
    return next((name for name in options if name.startswith("--")), options[0]).lstrip("-").replace("-", "_")


class Group(Container):
    """A group of options."""

    def __init__(self, container: Any, *args: Any, **kwargs: Any) -> None:
        self.nostart_home = container._home() if isinstance(container, Container) else Parser(add_help=False)
        self.title = args[0] if args else kwargs.get("title")
        self.description = kwargs.get("description")
        self._group_actions: list[Any] = []


class Parser(Container):
    """Stands for `argparse.ArgumentParser`."""

    def __init__(self, *_args: Any, **kwargs: Any) -> None:
        self.prog = kwargs.get("prog") or "prog"
        self.kwargs = kwargs
        self.description = kwargs.get("description")
        self.epilog = kwargs.get("epilog")
        self._action_groups: list[Any] = []
        self._option_string_actions: dict[str, Any] = {}
        self.nostart_actions: list[Recorded] = []
        self.nostart_commands: dict[str, Any] = {}
        self.nostart_registry: dict[Any, type] = dict(ACTIONS)
        self._subparsers = None
        if kwargs.get("add_help", True) is True:
            self.add_argument("-h", "--help", action="help")
        for parent in kwargs.get("parents") or ():
            for recorded in getattr(parent, "nostart_actions", ()):
                self._record(recorded.action, recorded.doubt)

    @property
    def _actions(self) -> list[Any]:
        return [recorded.action for recorded in self.nostart_actions]

    def add_subparsers(self, **kwargs: Any) -> Subparsers:
        """The holder of subcommands."""
        return Subparsers(self, **kwargs)

    def parse_args(self, *_args: Any, **_kwargs: Any) -> Any:
        """All has been declared."""
        raise Finished("parse_args", self)

    parse_known_args = parse_intermixed_args = parse_args

    def get_default(self, dest: str) -> Any:
        """The default of a destination."""
        return next((action.default for action in self._actions if action.dest == dest), None)

    def format_help(self) -> str:
        """No help is needed."""
        return ""

    print_help = format_usage = format_help


class Subparsers:
    """The holder of subcommands: each gets a parser of the same class."""

    def __init__(self, parser: Any, **kwargs: Any) -> None:
        self.parser = parser
        self.maker = kwargs.get("parser_class") or type(parser)

    def add_parser(self, name: str, **kwargs: Any) -> Any:
        """A parser for a subcommand."""
        kwargs.pop("help", None)
        for alias in kwargs.pop("aliases", None) or ():
            self.parser.nostart_commands[alias] = None
        made = self.maker(**kwargs)
        self.parser.nostart_commands[name] = made
        return made


def click_option(*names: str, **kwargs: Any) -> Callable[[Any], Any]:
    """Stands for `click.option`: the decorated function carries its options."""

    def decorate(function: Any) -> Any:
        if isinstance(function, types.FunctionType):
            function.__dict__.setdefault("nostart_options", []).append((names, kwargs))
        return function

    return decorate
