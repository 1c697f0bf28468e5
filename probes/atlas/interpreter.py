# Python 3.8 runs this too, and pathlib alone would cost a tenth of its time.
# ruff: noqa: B905, PTH113, PTH118
"""Reads the parts of a package that build its parser, from source, without importing or running anything of it.

A module is cut into its top-level statements by indentation; only those whose names are asked for are parsed (`ast`) and evaluated
(`probes.atlas.evaluator`) behind guards, with a small set of stand-ins (`probes.atlas.natives`) in the place of the standard library. Nothing outside
the package's own source is reachable, and nothing is written. What cannot be known without running the real thing is an `Unknown`, which spreads;
what depends on it is reported as uncertain.

This file runs in the *target's* Python (3.8 and later), standard library only.
"""

from __future__ import annotations

import ast
import builtins
import os
import re
import types
from typing import Any

from probes.atlas.evaluator import Env, Evaluator
from probes.atlas.values import (
    DEPTH,
    ERRORS,
    LITERAL,
    OPAQUE,
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

_START = re.compile(r"^[^\s#)\]}]", re.M)
_DEFINES = re.compile(r"(?:@|(?:async[ \t]+)?def[ \t]+(\w+)|class[ \t]+(\w+)|(\w+)[ \t]*(?:=[^=]|:[^=]|[-+|]=)|(from|import)\b|(\w+)[.\[])")
_TARGETS = re.compile(r"\(?[ \t]*(\w+(?:[ \t]*,[ \t]*\w+)+)[ \t]*,?[ \t]*\)?[ \t]*=[^=]")
_MAIN = re.compile(r"if[ \t]+__name__[ \t]*==")
_INNER = re.compile(r"^(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)", re.M)
_JOINS = re.compile(r"(?:else|elif|except|finally)\b")
_COMPOUND = ("if", "try", "for", "with", "while", "match", "async", "else", "elif", "except", "finally")


def pieces(text: str, start: re.Pattern[str] = _START) -> list[str]:
    """`text` cut where a statement begins at the indentation that `start` looks for; decorators stay with what they decorate."""
    cuts: list[int] = []
    open_quotes = False
    last = 0
    decorated = False
    for match in start.finditer(text):
        at = match.end() - 1
        between = text[last:at]
        if (between.count('"""') + between.count("'''")) % 2:
            open_quotes = not open_quotes
        last = at
        if open_quotes or _JOINS.match(text, at):
            continue
        if decorated:
            decorated = text[at] == "@"
            continue
        cuts.append(match.start())
        decorated = text[at] == "@"
    return [text[a:b] for a, b in zip(cuts, [*cuts[1:], len(text)])]


class Module:
    """One module of the package, evaluated name by name as names are asked for."""

    def __init__(self, package: Package, name: str, path: str, is_package: bool) -> None:
        self.package = package
        self.name = name
        self.path = path
        self.is_package = is_package
        self.ns: dict[str, Any] = {"__name__": name, "__doc__": ""}
        self.evaluator = Evaluator(package, self)
        self.defined: dict[str, list[str]] = {}
        self.imported: dict[str, tuple[str, str]] = {}
        self.compound: list[str] = []
        self.main: list[str] = []
        self.done: set[int] = set()
        self.calls: list[str] = []
        self.star: list[str] = []
        self.busy: set[str] = set()
        self.absent: dict[str, Any] = {}
        self._index(package.text(path))

    def _index(self, text: str) -> None:
        imports: list[str] = []
        for piece in pieces(text):
            match = _DEFINES.match(piece)
            word = re.match(r"\w*", piece)
            if word is not None and word.group() in _COMPOUND and not piece.startswith("async def"):
                (self.main if _MAIN.match(piece) else self.compound).append(piece)
            elif match is None:
                targets = _TARGETS.match(piece)
                for name in re.findall(r"\w+", targets.group(1)) if targets else ():
                    self.defined.setdefault(name, []).append(piece)
                if re.match(r"[\w]+\(", piece):
                    self.calls.append(piece)
            elif match.group(4):
                imports.append(piece)
            elif match.group(5):
                self.defined.setdefault(match.group(5), []).append(piece)
                if re.match(r"[\w.]+\(", piece):
                    self.calls.append(piece)
            else:
                inner = _INNER.search(piece) if piece[0] == "@" else None
                name = inner.group(1) if inner else match.group(1) or match.group(2) or match.group(3)
                if name:
                    self.defined.setdefault(name, []).append(piece)
        for node in self.package.parse("".join(imports)).body:
            self._note_import(node)

    def _note_import(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                self.imported[alias.asname or alias.name.partition(".")[0]] = (alias.name if alias.asname else alias.name.partition(".")[0], "")
        elif isinstance(node, ast.ImportFrom):
            source = self.absolute(node.module or "", node.level)
            for alias in node.names:
                if alias.name == "*":
                    self.star.append(source)
                else:
                    self.imported[alias.asname or alias.name] = (source, alias.name)

    def absolute(self, name: str, level: int) -> str:
        """The full name of a module imported relatively."""
        if not level:
            return name
        parts = self.name.split(".")
        parts = parts[: len(parts) - level + (1 if self.is_package else 0)]
        return ".".join([*parts, *([name] if name else [])])

    def lookup(self, name: str) -> Any:
        """A global name as the module's code sees it: its own, a builtin, or unknown."""
        if name in self.ns:
            return self.ns[name]
        if name in self.absent:
            return self.absent[name]
        if name in self.package.safe and name not in self.defined and name not in self.imported:
            return self.package.safe[name]  # a builtin; a definition under a condition that hides one is not looked for
        try:
            return self.resolve(name)
        except KeyError:
            self.absent[name] = self.package.safe[name] if name in self.package.safe else Unknown(name)
            return self.absent[name]

    def get(self, name: str) -> Any:
        """A name of the module; AttributeError where the source defines none."""
        if name in self.ns:
            return self.ns[name]
        try:
            return self.resolve(name)
        except KeyError:
            pass
        sub = self.package.module(self.name + "." + name)
        if sub is not None:
            return sub
        if "__getattr__" in self.defined and name != "__getattr__":
            return self.package.call(self.get("__getattr__"), name)
        raise AttributeError(name)

    def resolve(self, name: str) -> Any:
        """Evaluate what defines `name` and return it; KeyError where nothing does."""
        if name in self.busy:
            return Unknown(name)
        package = self.package
        doubt, package.doubt = package.doubt, 0
        self.busy.add(name)
        try:
            if name in self.imported:
                module, member = self.imported[name]
                self.ns[name] = self.package.load(module, member)
                return self.ns[name]
            if name in self.defined:
                self._run(name)
                if name in self.ns:
                    return self.ns[name]
            while self.compound:
                self.package.execute(self.compound.pop(0), self)
            if name in self.ns:
                return self.ns[name]
            for source in self.star:
                module_ = self.package.module(source)
                if module_ is not None and not name.startswith("_"):
                    try:
                        return module_.get(name)
                    except AttributeError:
                        continue
            raise KeyError(name)
        finally:
            package.doubt = doubt
            self.busy.discard(name)

    def _run(self, name: str) -> None:
        """Execute what defines `name`, in order; of definitions that follow each other only the last."""
        definitions = self.defined[name]
        for piece, following in zip(definitions, [*definitions[1:], ""]):
            if not (piece.startswith(_BLOCKS) and following.startswith(_BLOCKS)):
                self.once(piece)

    def registers(self, mark: str) -> bool:
        """Whether a definition here is decorated so."""
        return any(piece.startswith(mark) for pieces_ in self.defined.values() for piece in pieces_)

    def once(self, piece: str) -> None:
        """Execute a piece, if it was not yet."""
        if id(piece) not in self.done:
            self.done.add(id(piece))
            self.package.execute(piece, self)

    def run_calls(self) -> None:
        """Execute the calls at the module's top level (registrations)."""
        calls, self.calls = self.calls, []
        for piece in calls:
            self.once(piece)

    def run_main(self) -> None:
        """Execute what stands under ``if __name__ == "__main__"``: ``python -m MODULE``."""
        self.ns["__name__"] = "__main__"
        for piece in self.main:
            self.package.execute(piece, self)


class Lazy:
    """A method whose source is compiled at its first use."""

    def __init__(self, module: Module, text: str, name: str) -> None:
        self.module = module
        self.text = text
        self.name = name
        self.owner: type | None = None
        self.made: Any = None

    def __set_name__(self, owner: type, name: str) -> None:
        self.owner = owner
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if self.made is None:
            self.made = self.module.package.method(self)
        getter = getattr(type(self.made), "__get__", None)
        return getter(self.made, instance, owner) if getter else self.made


_BLOCKS = ("@", "def ", "class ", "async ")
_DATA = (str, int, float, bool, list, dict, tuple, set, frozenset, bytes, complex)
_VISIBLE = {"__name__", "__doc__", "__module__", "__members__", "__version__", "__init__", "__class__", "__qualname__", "__file__", "__new__"}
_DYNAMIC = {"__getattr__", "__getattribute__", "__setattr__", "__delattr__", "__del__"}
_READS = {sorted, list, tuple, set, frozenset, dict, sum, max, min, enumerate, zip, map, filter, int, float, reversed, range, bool, len}


class Package:
    """A package's source tree: its modules, the guards, and how sure one may be at the moment (`doubt`).

    `root` is the folder that holds the package folder; `read` lists the files used, for a cache.
    """

    def __init__(self, root: str, name: str, stands: dict[str, Any], safe: dict[str, Any]) -> None:
        self.root = root
        self.name = name
        self.stands = stands
        self.modules: dict[str, Module | None] = {}
        self.read: list[str] = []
        self.notes: list[str] = []
        self.failed: list[str] = []
        self.docs: dict[str, set[str]] = {}
        self.registries: set[tuple[str, str]] = set()
        self.opaque = tuple(name + "." + part for part in OPAQUE)
        self.doubt = 0
        self.outer = 0
        self.steps = 0
        self.safe = safe
        safe.update(self._builtins())

    def text(self, path: str) -> str:
        """A source file; noted as read."""
        self.read.append(path)
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def parse(self, text: str) -> ast.Module:
        """The tree of a piece of source; an empty one, noted, where it does not parse."""
        try:
            return ast.parse(text)
        except SyntaxError as error:
            self.notes.append("does not parse: {}: {}".format(error.msg, text.strip().partition("\n")[0][:80]))
            return ast.Module(body=[], type_ignores=[])

    def module(self, name: str) -> Module | None:
        """The module of that full name in the package's source, or None."""
        if name not in self.modules:
            self.modules[name] = None
            if name.startswith(self.opaque):
                return None
            if name == self.name or name.startswith(self.name + "."):
                base = os.path.join(self.root, *name.split("."))
                if os.path.isfile(base + ".py"):
                    self.modules[name] = Module(self, name, base + ".py", False)
                elif os.path.isfile(os.path.join(base, "__init__.py")):
                    self.modules[name] = Module(self, name, os.path.join(base, "__init__.py"), True)
        return self.modules[name]

    def load(self, name: str, member: str) -> Any:
        """What ``from name import member`` gives (``import name`` for no member); ImportError for what the package lacks."""
        if name == self.name or name.startswith(self.name + "."):
            module = self.module(name)
            if name.startswith(self.opaque):
                return Unknown(name + "." + member)
            if module is None:
                raise ImportError(name)
            if not member:
                return module
            try:
                found = module.get(member)
            except AttributeError:
                raise ImportError(name + "." + member) from None
            module.run_calls()
            if module.is_package and isinstance(found, type) and (name, member) not in self.registries:
                self.registries.add((name, member))
                self._registered(module, member)
            return found
        stand = self.stands.get(name)
        if stand is None:
            return Unknown(name + "." + member if member else name, external=True)
        return stand if not member else self.attribute(stand, member)

    def _registered(self, holder: Module, name: str) -> None:
        """Evaluate the classes that register with the class `name` by decorators, in the modules that the package imports beside it."""
        mark = "@" + name + ".register"
        for source in dict.fromkeys(source for source, _ in holder.imported.values()):
            beside = self.module(source) if source.startswith(holder.name + ".") else None
            if beside is None or not beside.registers(mark):
                continue
            for pieces_ in list(beside.defined.values()):
                for piece in pieces_:
                    if piece.startswith(mark):
                        beside.once(piece)

    def execute(self, piece: str, module: Module) -> None:
        """Execute one top-level piece of a module in its namespace."""
        head = re.search(r"^class\s+(\w+)", piece, re.M) if piece.startswith(("class ", "@")) else None
        lazy: dict[str, str] = {}
        if head is not None:
            piece, lazy = self._without_methods(piece, head.start())
        body = self.parse(piece).body
        if lazy:
            for node in body:
                if isinstance(node, ast.ClassDef):
                    node.body.append(_Methods({key: Lazy(module, text, key) for key, text in lazy.items()}))
        try:
            module.evaluator.run(body, Env(module.ns, None))
        except (Finished, RecursionError):
            raise
        except ERRORS as error:
            self.notes.append(f"{module.name}: {type(error).__name__}: {str(error)[:120]}")

    def _without_methods(self, piece: str, at: int) -> tuple[str, dict[str, str]]:
        """A class without its methods and docstrings, and the methods' source by name: most are never needed."""
        head_end = self._head_end(piece, at)
        first = re.search(r"^([ \t]+)\S", piece[head_end:], re.M)
        if first is None:
            return piece, {}
        indent = first.group(1)
        kept: list[str] = []
        lazy: dict[str, str] = {}
        for member in pieces(piece[head_end:], re.compile("^" + indent + r"(?=[^\s#)\]}])\S", re.M)):
            bare = member.lstrip()
            method = (
                re.search(r"^[ \t]+(?:async[ \t]+)?(def|class)[ \t]+(\w+)", member, re.M) if bare.startswith(("def ", "async def ", "@")) else None
            )
            if method is None:
                if not bare.startswith(('"', "'''", 'r"', "@")):
                    kept.append(member)
                elif kept and "deprecat" in member.lower():
                    self._note_docs(kept[-1], bare)
            elif method.group(1) == "class":
                kept.append(member)
            elif method.group(2) in _DYNAMIC:
                kept.append(indent + "nostart_dynamic = True\n")
            elif ".setter" not in bare.partition("\n")[0]:
                lazy[method.group(2)] = member
        return piece[:head_end] + "".join(kept) + indent + "pass\n", lazy

    def _note_docs(self, field: str, text: str) -> None:
        """Keep what a class says of one of its fields."""
        name = field.strip().partition(":")[0]
        if name.isidentifier():
            self.docs.setdefault(name, set()).add(text.strip().strip('"').strip("'"))

    def _head_end(self, piece: str, at: int) -> int:
        """The offset just after the line that ends the class statement's head."""
        depth = 0
        for position in range(at, len(piece)):
            char = piece[position]
            if char in "([{":
                depth += 1
            elif char in ")]}":
                depth -= 1
            elif char == ":" and depth == 0:
                end = piece.find("\n", position)
                return len(piece) if end < 0 else end + 1
        return len(piece)

    def method(self, lazy: Lazy) -> Any:
        """The function (or its decorated form) of a lazily kept method."""
        tree = self.parse("if 1:\n" + lazy.text).body
        body = tree[0].body if tree and isinstance(tree[0], ast.If) else []
        if not body or lazy.owner is None:
            return Unknown(lazy.name)
        env = Env({}, None, lazy.owner.__qualname__ + ".")
        env.is_class, env.cell = True, [lazy.owner]
        doubt, self.doubt = self.doubt, 0
        try:
            lazy.module.evaluator.run(body, env)
        finally:
            self.doubt = doubt
        return env.vars.get(lazy.name, Unknown(lazy.name))

    # -- guards ---------------------------------------------------------------------------------------------------------

    def attribute(self, value: Any, name: str) -> Any:
        """``value.name``, for what interpreted code may see of it."""
        kind = type(value)
        if kind is Unknown:
            if name == "__module__" and value.__dict__["external"]:
                return value.__dict__["name"].partition(".")[0]
            return Unknown(value.__dict__["name"] + "." + name, external=True) if value.__dict__["external"] else value
        if name.startswith("__") and name.endswith("__") and name not in _VISIBLE:
            if name == "__annotations__" and self._own(value):
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
        if default is not None:
            return default(found)
        return found

    def _own(self, value: Any) -> bool:
        """Whether `value` is a class that interpreted code defined."""
        return isinstance(value, type) and value.__module__.partition(".")[0] == self.name

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
            return Form(LITERAL, tuple(flat))
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
        if name == "__annotations__" and self._own(holder) and isinstance(value, dict):
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

    # -- builtins -------------------------------------------------------------------------------------------------------

    def _builtins(self) -> dict[str, Any]:
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
        found["any"] = Native(self._any)
        found["all"] = Native(self._all)
        found["type"] = type
        found["print"] = Native(lambda *_a, **_k: None)
        found["vars"] = Native(self._vars)
        found["dir"] = found["open"] = found["eval"] = found["exec"] = found["__import__"] = found["globals"] = Unknown("builtin")
        return found

    def _vars(self, value: Any) -> Any:
        """A copy of what a class of interpreted code holds; nothing else is told."""
        if not self._own(value):
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

    def _any(self, values: Any) -> Any:
        doubt = False
        for value in (values,) if type(values) is Unknown else values:
            if type(value) is Unknown:
                doubt = True
            elif value:
                return True
        return Unknown("any") if doubt else False

    def _all(self, values: Any) -> Any:
        doubt = False
        for value in (values,) if type(values) is Unknown else values:
            if type(value) is Unknown:
                doubt = True
            elif not value:
                return False
        return Unknown("all") if doubt else True


def _makes_fields(kind: type) -> bool:
    """Whether calling `kind` sets its fields: a dataclass or record comes before any ``__init__`` in its ancestry."""
    for base in kind.__mro__[:-1]:
        if "nostart_dataclass" in base.__dict__:
            return True
        if "__init__" in base.__dict__:
            return False
    return False


class _Methods(ast.stmt):
    """A statement of ours at the end of a class: its methods, not parsed yet."""

    _fields = ()

    def __init__(self, methods: dict[str, Lazy]) -> None:
        super().__init__()
        self.methods = methods
