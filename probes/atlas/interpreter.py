"""Runs the parts of a package that build its parser, from source, without importing anything of it.

A module is cut into its top-level statements by indentation; only those whose names are asked for are parsed (`ast`), rewritten so that
every attribute, call, subscript and import goes through a guard, and executed with a small set of stand-ins (`probes.atlas.natives`) in the
place of the standard library. Nothing outside the package's own source is reachable, and no guard reads or writes anything but that source. What
cannot be known without running the real thing is an `Unknown`, which spreads; what depends on it is reported as uncertain.

This file runs in the *target's* Python (3.8 and later), standard library only.
"""

from __future__ import annotations

import ast
import builtins
import os
import re
import types
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

    def __exit__(self, *_args: Any) -> bool:
        return False

    def __str__(self) -> str:
        return TAINT

    __repr__ = __str__

    def __format__(self, _spec: str) -> str:
        return TAINT


class Never(Exception):
    """Stands in an ``except`` clause for an exception class that is not known: nothing raises it."""


class Finished(Exception):
    """Raised by a recording parser when the program would start to parse: everything has been declared."""


class Form:
    """A type expression: ``Literal["a"]``, ``X | None``, ``list[int]``; `origin` as `typing.get_origin` gives it."""

    __module__ = "typing"

    def __init__(self, origin: Any, args: tuple[Any, ...], module: str = "typing") -> None:
        self.__module__ = module
        self.origin = origin
        self.args = tuple(tuple(arg) if isinstance(arg, list) else arg for arg in args)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Form) and self.origin is other.origin and self.args == other.args

    def __hash__(self) -> int:
        return hash((id(self.origin), self.args))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.origin(*args, **kwargs) if isinstance(self.origin, type) else Unknown("form")


class Marker:
    """A name of `typing` (or the like) that is only compared and subscripted: ``Literal``, ``Union``, ``Annotated``."""

    def __init__(self, name: str, origin: type | None = None) -> None:
        self.name = name
        self.origin = origin

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return Unknown(self.name) if self.origin is None else self.origin(*args, **kwargs)


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
        members = part.args if isinstance(part, Form) and part.origin is UNION else (type(None) if part is None else part,)
        for member in members:
            if not any(member is seen or (isinstance(member, Form) and member == seen) for seen in flat):
                flat.append(member)
    return flat[0] if len(flat) == 1 else Form(UNION, tuple(flat))


_START = re.compile(r"^[^\s#)\]}]", re.M)
_DEFINES = re.compile(r"(?:@|(?:async[ \t]+)?def[ \t]+(\w+)|class[ \t]+(\w+)|(\w+)[ \t]*(?:=[^=]|:[^=]|[-+|]=)|(from|import)\b|(\w+)[.\[])")
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
        self.ns: dict[str, Any] = {"__builtins__": Names(self), "__name__": name, "__doc__": "", **package.guards}
        self.defined: dict[str, list[str]] = {}
        self.imported: dict[str, tuple[str, str]] = {}
        self.compound: list[str] = []
        self.calls: list[str] = []
        self.star: list[str] = []
        self.busy: set[str] = set()
        self._index(package.text(path))

    def _index(self, text: str) -> None:
        imports: list[str] = []
        for piece in pieces(text):
            match = _DEFINES.match(piece)
            word = re.match(r"\w*", piece)
            if word is not None and word.group() in _COMPOUND and not piece.startswith("async def"):
                self.compound.append(piece)
            elif match is None:
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
            return self.package.guards["_call"](self.get("__getattr__"), name)
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
            compound, self.compound = self.compound, []
            for piece in compound:
                self.package.execute(piece, self)
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
        definitions = self.defined[name]
        plain = [piece for piece in definitions if not piece.startswith(("@", "def ", "class ", "async "))]
        for piece in plain or definitions[-1:]:
            self.package.execute(piece, self)
        if plain and len(plain) != len(definitions) and definitions[-1] not in plain:
            self.package.execute(definitions[-1], self)

    def run_calls(self) -> None:
        """Execute the calls at the module's top level (registrations)."""
        calls, self.calls = self.calls, []
        for piece in calls:
            self.package.execute(piece, self)


class Names(dict):  # type: ignore[type-arg]
    """The builtins of a module: its own names, evaluated on demand, then the safe builtins."""

    def __init__(self, module: Module) -> None:
        super().__init__()
        self.module = module

    def __missing__(self, name: str) -> Any:
        module = self.module
        try:
            return module.resolve(name)
        except KeyError:
            found = module.package.safe.get(name, module)
            self[name] = Unknown(name) if found is module else found
            return self[name]


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


class AtAssign(ast.Assign):
    """A made node: its place is of no interest, and having it on the class spares a pass over the tree."""

    lineno = end_lineno = 1
    col_offset = end_col_offset = 0


class AtCall(ast.Call):
    """A made node: its place is of no interest, and having it on the class spares a pass over the tree."""

    lineno = end_lineno = 1
    col_offset = end_col_offset = 0


class AtConstant(ast.Constant):
    """A made node: its place is of no interest, and having it on the class spares a pass over the tree."""

    lineno = end_lineno = 1
    col_offset = end_col_offset = 0


class AtExpr(ast.Expr):
    """A made node: its place is of no interest, and having it on the class spares a pass over the tree."""

    lineno = end_lineno = 1
    col_offset = end_col_offset = 0


class AtIf(ast.If):
    """A made node: its place is of no interest, and having it on the class spares a pass over the tree."""

    lineno = end_lineno = 1
    col_offset = end_col_offset = 0


class AtLambda(ast.Lambda):
    """A made node: its place is of no interest, and having it on the class spares a pass over the tree."""

    lineno = end_lineno = 1
    col_offset = end_col_offset = 0


class AtList(ast.List):
    """A made node: its place is of no interest, and having it on the class spares a pass over the tree."""

    lineno = end_lineno = 1
    col_offset = end_col_offset = 0


class AtName(ast.Name):
    """A made node: its place is of no interest, and having it on the class spares a pass over the tree."""

    lineno = end_lineno = 1
    col_offset = end_col_offset = 0


class AtPass(ast.Pass):
    """A made node: its place is of no interest, and having it on the class spares a pass over the tree."""

    lineno = end_lineno = 1
    col_offset = end_col_offset = 0


class AtReturn(ast.Return):
    """A made node: its place is of no interest, and having it on the class spares a pass over the tree."""

    lineno = end_lineno = 1
    col_offset = end_col_offset = 0


class AtStarred(ast.Starred):
    """A made node: its place is of no interest, and having it on the class spares a pass over the tree."""

    lineno = end_lineno = 1
    col_offset = end_col_offset = 0


class AtSubscript(ast.Subscript):
    """A made node: its place is of no interest, and having it on the class spares a pass over the tree."""

    lineno = end_lineno = 1
    col_offset = end_col_offset = 0


class Atarg(ast.arg):
    """A made node: its place is of no interest, and having it on the class spares a pass over the tree."""

    lineno = end_lineno = 1
    col_offset = end_col_offset = 0


class Rewriter:
    """Puts the guards in place."""

    table: dict[type, Callable[[Any, Any], Any]]

    def __init__(self, module: Module) -> None:
        self.module = module
        self.functions: list[str] = []
        self.in_class = False
        self.branches = 0

    def visit(self, node: Any) -> Any:
        """Dispatch by class; leaves are returned at once."""
        kind = node.__class__
        if kind is ast.Name or kind is ast.Constant:
            return node
        method = self.table.get(kind)
        return self.generic_visit(node) if method is None else method(self, node)

    def generic_visit(self, node: Any) -> Any:
        """Rewrite what is below `node`, in place."""
        for name in node._fields:
            old = getattr(node, name, None)
            if old.__class__ is list:
                if old:
                    new: list[Any] = []
                    for item in old:
                        made = self.visit(item) if isinstance(item, ast.AST) else item
                        if made.__class__ is list:
                            new.extend(made)
                        else:
                            new.append(made)
                    old[:] = new
            elif isinstance(old, ast.AST) and not isinstance(old, ast.expr_context):
                setattr(node, name, self.visit(old))
        return node

    def _guard(self, name: str, *args: ast.expr) -> ast.Call:
        return AtCall(func=AtName(id=name, ctx=ast.Load()), args=list(args), keywords=[])

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:  # noqa: N802
        self.generic_visit(node)
        return self._guard("_attr", node.value, AtConstant(value=node.attr)) if isinstance(node.ctx, ast.Load) else node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:  # noqa: N802
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load) or isinstance(node.slice, ast.Slice):
            return node
        index = node.slice
        inner = getattr(index, "value", index) if type(index).__name__ == "Index" else index
        if any(isinstance(e, ast.Slice) or type(index).__name__ == "ExtSlice" for e in getattr(inner, "elts", [])):
            return node
        return self._guard("_sub", node.value, inner)

    def visit_Call(self, node: ast.Call) -> ast.expr:  # noqa: N802
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
            first = self.functions[-1] if self.functions else "self"
            return self._guard("_super", AtName(id="__class__", ctx=ast.Load()), AtName(id=first, ctx=ast.Load()))
        self.generic_visit(node)
        for keyword in node.keywords:
            if keyword.arg is None:
                keyword.value = self._guard("_mapping", keyword.value)
        return AtCall(func=AtName(id="_call", ctx=ast.Load()), args=[node.func, *node.args], keywords=node.keywords)

    def visit_Dict(self, node: ast.Dict) -> ast.Dict:  # noqa: N802
        self.generic_visit(node)
        node.values = [self._guard("_mapping", value) if key is None else value for key, value in zip(node.keys, node.values)]
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:  # noqa: N802
        self.generic_visit(node)
        if isinstance(node.op, ast.BitOr):
            return self._guard("_union", node.left, node.right)
        return self._guard("_power", node.left, node.right) if isinstance(node.op, ast.Pow) else node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:  # noqa: N802
        self.generic_visit(node)
        return self._guard("_not", node.operand) if isinstance(node.op, ast.Not) else node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:  # noqa: N802
        self.generic_visit(node)
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.In, ast.NotIn, ast.Is, ast.IsNot)):
            return self._guard("_compare", AtConstant(value=type(node.ops[0]).__name__), node.left, node.comparators[0])
        return node

    def _thunk(self, body: ast.expr) -> ast.Lambda:
        empty = ast.arguments(posonlyargs=[], args=[], vararg=None, kwonlyargs=[], kw_defaults=[], kwarg=None, defaults=[])
        return AtLambda(args=empty, body=body)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:  # noqa: N802
        self.generic_visit(node)
        if any(isinstance(inner, (ast.NamedExpr, ast.Await, ast.Yield)) for inner in ast.walk(node)):
            return node
        return self._guard("_either", node.test, self._thunk(node.body), self._thunk(node.orelse))

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:  # noqa: N802
        self.generic_visit(node)
        if self.branches:
            node.value = self._guard("_given", node.value)
        return node

    def visit_If(self, node: ast.If) -> list[ast.stmt]:  # noqa: N802
        self.branches += 1
        self.generic_visit(node)
        self.branches -= 1
        name = "_c%d_%d" % (node.lineno, node.col_offset)
        flag = AtName(id=name, ctx=ast.Load())
        statements: list[ast.stmt] = [AtAssign(targets=[AtName(id=name, ctx=ast.Store())], value=self._guard("_test", node.test))]
        statements.append(AtIf(test=self._guard("_then", flag), body=node.body, orelse=[]))
        if node.orelse:
            statements.append(AtIf(test=self._guard("_else", flag), body=node.orelse, orelse=[]))
        statements.append(AtExpr(value=self._guard("_done", flag)))
        return statements

    def visit_For(self, node: ast.For) -> ast.For:  # noqa: N802
        self.branches += 1
        self.generic_visit(node)
        self.branches -= 1
        node.iter = self._guard("_iter", node.iter)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        self.generic_visit(node)
        node.iter = self._guard("_iter", node.iter)
        return node

    def visit_While(self, node: ast.While) -> ast.While:  # noqa: N802
        self.generic_visit(node)
        node.test = self._guard("_tick", node.test)
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.Pass:  # noqa: N802
        return AtPass()

    def visit_Return(self, node: ast.Return) -> ast.Return:  # noqa: N802
        self.generic_visit(node)
        if self.branches and node.value is not None:
            node.value = self._guard("_given", node.value)
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.stmt:  # noqa: N802
        self.generic_visit(node)
        if node.exc is not None:
            node.exc = self._guard("_raisable", node.exc)
        node.cause = None
        return AtIf(test=self._guard("_certain"), body=[node], orelse=[]) if self.branches else node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:  # noqa: N802
        self.generic_visit(node)
        if node.type is not None:
            node.type = self._guard("_catchable", node.type)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:  # noqa: N802
        if isinstance(node.value, ast.Constant):
            return AtPass()
        self.generic_visit(node)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:  # noqa: N802
        in_class = self.in_class and isinstance(node.target, ast.Name)
        annotation = self.visit(node.annotation) if in_class else None
        target = self.visit(node.target)
        value = self.visit(node.value) if node.value is not None else None
        statements: list[ast.stmt] = [AtAssign(targets=[target], value=value)] if value is not None else []
        if in_class:
            statements.append(
                AtExpr(value=self._guard("_field", AtName(id="__fields__", ctx=ast.Load()), AtConstant(value=target.id), self._thunk(annotation)))
            )
        return statements or AtPass()

    def visit_Import(self, node: ast.Import) -> list[ast.stmt]:  # noqa: N802
        made: list[ast.stmt] = []
        for alias in node.names:
            name, whole = (alias.asname, alias.name) if alias.asname else (alias.name.partition(".")[0], alias.name.partition(".")[0])
            made.append(
                AtAssign(targets=[AtName(id=name, ctx=ast.Store())], value=self._guard("_import", AtConstant(value=whole), AtConstant(value="")))
            )
        return made

    def visit_ImportFrom(self, node: ast.ImportFrom) -> Any:  # noqa: N802
        source = self.module.absolute(node.module or "", node.level)
        made: list[ast.stmt] = []
        for alias in node.names:
            if alias.name != "*":
                value = self._guard("_import", AtConstant(value=source), AtConstant(value=alias.name))
                made.append(AtAssign(targets=[AtName(id=alias.asname or alias.name, ctx=ast.Store())], value=value))
        return made or AtPass()

    def _bare(self, arguments: ast.arguments) -> None:
        for argument in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]:
            if argument is not None:
                argument.annotation = None

    def _function(self, node: Any) -> Any:
        node.returns = None
        self._bare(node.args)
        arguments = [*node.args.posonlyargs, *node.args.args]
        node.args.defaults = [self.visit(d) for d in node.args.defaults]
        node.args.kw_defaults = [None if d is None else self.visit(d) for d in node.args.kw_defaults]
        # An unknown decorator most often wraps: what it decorates stands for the result.
        node.decorator_list = [self._guard("_decorator", self.visit(d)) for d in node.decorator_list]
        self.functions.append(arguments[0].arg if arguments else "self")
        in_class, self.in_class = self.in_class, False
        branches, self.branches = self.branches, 0
        body: list[ast.stmt] = []
        for statement in node.body:
            made = self.visit(statement)
            body.extend(made if isinstance(made, list) else [made])
        node.body = body or [AtPass()]
        self.in_class = in_class
        self.branches = branches
        self.functions.pop()
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = _function  # noqa: N815

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:  # noqa: N802
        self.generic_visit(node)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:  # noqa: N802
        bases = [self.visit(base) for base in node.bases]
        node.bases = [AtStarred(value=self._guard("_bases", *bases), ctx=ast.Load())]
        keywords = [k for k in node.keywords if k.arg == "metaclass"]
        for keyword in keywords:
            keyword.value = self._guard("_metaclass", self.visit(keyword.value), *bases)
        node.keywords = keywords
        node.decorator_list = [self._guard("_decorator", self.visit(d)) for d in node.decorator_list]
        in_class, self.in_class = self.in_class, True
        body: list[ast.stmt] = [AtAssign(targets=[AtName(id="__fields__", ctx=ast.Store())], value=AtList(elts=[], ctx=ast.Load()))]
        for statement in node.body:
            made = self.visit(statement)
            body.extend(made if isinstance(made, list) else [made])
        node.body = body
        self.in_class = in_class
        return node


Rewriter.table = {getattr(ast, name[6:]): method for name, method in vars(Rewriter).items() if name.startswith("visit_")}

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
        self.opaque = tuple(name + "." + part for part in OPAQUE)
        self.doubt = 0
        self.outer = 0
        self.steps = 0
        self.guards = self._guards()
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
            self.notes.append("does not parse: %s: %s" % (error.msg, text.strip().partition("\n")[0][:80]))
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
            return found
        stand = self.stands.get(name)
        if stand is None:
            return Unknown(name + "." + member if member else name, external=True)
        return stand if not member else self._attr(stand, member)

    def execute(self, piece: str, module: Module) -> None:
        """Execute one top-level piece of a module in its namespace."""
        text = piece
        body = re.search(r"^class\s+(\w+)", piece, re.M) if piece.startswith(("class ", "@")) else None
        if body is not None:
            return self._class(piece, body.start(), body.group(1), module)
        tree = Rewriter(module).visit(self.parse(text))
        return self._exec(tree, module.ns, module)

    def _exec(self, tree: ast.AST, namespace: dict[str, Any], module: Module) -> None:
        try:
            exec(compile(tree, module.path, "exec"), namespace)  # noqa: S102
        except (Finished, RecursionError):
            raise
        except Exception as error:  # noqa: BLE001
            self.notes.append("%s: %s: %s" % (module.name, type(error).__name__, str(error)[:120]))

    def _class(self, piece: str, at: int, name: str, module: Module) -> None:
        head_end = self._head_end(piece, at)
        indent = re.compile(r"[ \t]*\S").match(piece, head_end)
        first = re.search(r"^([ \t]+)\S", piece[head_end:], re.M)
        if first is None or indent is None:
            return self._exec(Rewriter(module).visit(self.parse(piece)), module.ns, module)
        members = pieces(piece[head_end:], re.compile("^" + first.group(1) + r"(?=[^\s#)\]}])\S", re.M))
        kept: list[str] = []
        lazy: dict[str, str] = {}
        for member in members:
            bare = member.lstrip()
            if bare.startswith(("def ", "async def ", "@")):
                method = re.search(r"^[ \t]+(?:async[ \t]+)?(def|class)[ \t]+(\w+)", member, re.M)
                if method is None or method.group(1) == "class":
                    kept.append(member)
                elif method.group(2) in _DYNAMIC:
                    kept.append(first.group(1) + "nostart_dynamic = True\n")
                elif ".setter" not in bare.partition("\n")[0]:
                    lazy[method.group(2)] = member
            elif not bare.startswith(('"""', "'''", 'r"""', '"')):
                kept.append(member)
        source = piece[:head_end] + "".join(kept) + first.group(1) + "pass\n"
        tree = Rewriter(module).visit(self.parse(source))
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                for key in lazy:
                    call = AtSubscript(value=AtName(id="_lazy_" + name, ctx=ast.Load()), slice=_index(AtConstant(value=key)), ctx=ast.Load())
                    node.body.append(AtAssign(targets=[AtName(id=key, ctx=ast.Store())], value=call))
        module.ns["_lazy_" + name] = {key: Lazy(module, text, key) for key, text in lazy.items()}
        return self._exec(tree, module.ns, module)

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
        tree = self.parse("if 1:\n" + lazy.text)
        if not tree.body:
            return Unknown(lazy.name)
        rewriter = Rewriter(lazy.module)
        body = [rewriter.visit(node) for node in tree.body[0].body]  # type: ignore[attr-defined]
        arguments = ast.arguments(
            posonlyargs=[], args=[Atarg(arg="__class__", annotation=None)], vararg=None, kwonlyargs=[], kw_defaults=[], kwarg=None, defaults=[]
        )
        outer = ast.parse("def _outer(): pass").body[0]
        outer.args = arguments  # type: ignore[attr-defined]
        outer.body = [*body, AtReturn(value=AtName(id=body[0].name, ctx=ast.Load()))]  # type: ignore[attr-defined]
        space: dict[str, Any] = {}
        module = ast.Module(body=[outer], type_ignores=[])
        exec(compile(module, lazy.module.path, "exec"), lazy.module.ns, space)  # noqa: S102
        return space["_outer"](lazy.owner)

    # -- guards ---------------------------------------------------------------------------------------------------------

    def _guards(self) -> dict[str, Any]:
        names = "attr sub call mapping union not compare either test then else done iter tick raisable catchable import super bases metaclass decorator field power given certain"
        return {"_" + name: getattr(self, "_" + name) for name in names.split()}

    def _attr(self, value: Any, name: str) -> Any:
        kind = type(value)
        if kind is Unknown:
            if name == "__module__" and value.__dict__["external"]:
                return value.__dict__["name"].partition(".")[0]
            return Unknown(value.__dict__["name"] + "." + name, external=True) if value.__dict__["external"] else value
        if name.startswith("__") and name.endswith("__") and name not in _VISIBLE:
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
        if default is not None and isinstance(value, type):
            return default(found)
        return found

    def _sub(self, value: Any, index: Any) -> Any:
        kind = type(value)
        if kind in (dict, list, tuple, str):
            return Unknown("index") if type(index) is Unknown else value[index]
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

    def _call(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        self.steps += 1
        if self.steps > STEPS:
            raise Finished("too long")
        if type(function) is Unknown:
            return function
        if self.doubt + self.outer > DEPTH:
            return Unknown("call")
        doubtful = Unknown in map(type, args)
        if (doubtful or self.doubt) and isinstance(getattr(function, "__self__", None), dict) and getattr(function, "__name__", "") == "update":
            function.__self__["nostart_unknown"] = Unknown("update")
            return None
        if doubtful:
            bound = getattr(function, "__self__", None)
            if isinstance(bound, str) or (isinstance(function, type) and function in _READS) or function in self._reads:
                return Unknown("call")
        if not self._allowed(function) or (function is type and (doubtful or len(args) != 1)):
            return Unknown("call")
        doubt, outer = self.doubt, self.outer
        self.doubt, self.outer = 0, doubt + outer
        try:
            if isinstance(function, type) and function.__dict__.get("nostart_dataclass"):
                return self._instance(function, args, kwargs)
            return function(*args, **kwargs)
        except Finished:
            raise
        except Exception as error:
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
        return hasattr(kind, "__call__")

    def _instance(self, kind: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        made = object.__new__(kind)
        names = [name for name, _, _ in self.fields(kind)]
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

    def _mapping(self, value: Any) -> Any:
        return {"nostart_unknown": value} if type(value) is Unknown else value

    def _union(self, left: Any, right: Any) -> Any:
        if isinstance(left, (dict, set, int)) and not isinstance(left, type) and left is not None:
            return left | right
        return union((left, right))

    def _power(self, left: Any, right: Any) -> Any:
        return left**right if isinstance(right, int) and abs(right) < 200 else Unknown("power")

    def _not(self, value: Any) -> Any:
        return value if type(value) is Unknown else not value

    def _compare(self, kind: str, left: Any, right: Any) -> Any:
        if kind == "Is":
            return (
                Unknown("is")
                if (type(left) is Unknown or type(right) is Unknown) and left is not right and self._vague(left, right)
                else left is right
            )
        if kind == "IsNot":
            return (
                Unknown("is")
                if (type(left) is Unknown or type(right) is Unknown) and left is not right and self._vague(left, right)
                else left is not right
            )
        if type(right) is Unknown or type(left) is Unknown:
            return Unknown("in")
        return (left in right) if kind == "In" else (left not in right)

    def _vague(self, left: Any, right: Any) -> bool:
        """Whether an unknown might be that very object: one that is named outside the package is no builtin type and no marker of ours."""
        known = [value for value in (left, right) if type(value) is not Unknown]
        if any(type(value) is Unknown and not value.__dict__["external"] for value in (left, right)):
            return True
        other = known[0] if known else left
        return not isinstance(other, (type, Marker, Form))

    def _either(self, test: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
        if type(test) is not Unknown:
            return then() if test else otherwise()
        left, right = then(), otherwise()
        return left if type(left) is type(right) and left == right else test

    def _test(self, value: Any) -> Any:
        if type(value) is Unknown:
            self.doubt += 1
            return None
        return bool(value)

    def _given(self, value: Any) -> Any:
        """What is assigned in a branch that may not be taken is not known afterwards."""
        return Unknown("branch") if self.doubt else value

    def _certain(self) -> bool:
        """Whether this branch is surely taken."""
        return not self.doubt

    def _then(self, flag: Any) -> bool:
        return flag is not False

    def _else(self, flag: Any) -> bool:
        return flag is not True

    def _done(self, flag: Any) -> None:
        if flag is None and self.doubt:
            self.doubt -= 1

    def _iter(self, value: Any) -> Any:
        return self._doubtful(value) if type(value) is Unknown else value

    def _doubtful(self, value: Unknown) -> Iterator[Unknown]:
        self.doubt += 1
        yield value
        self.doubt = max(self.doubt - 1, 0)

    def _tick(self, value: Any) -> Any:
        self.steps += 1
        if self.steps > STEPS:
            raise Finished("too long")
        return value

    def _raisable(self, value: Any) -> Any:
        if isinstance(value, BaseException) or (isinstance(value, type) and issubclass(value, BaseException)):
            return value
        return RuntimeError("unknown")

    def _catchable(self, value: Any) -> Any:
        kinds = value if isinstance(value, tuple) else (value,)
        return tuple(k for k in kinds if isinstance(k, type) and issubclass(k, BaseException)) or Never

    def _import(self, name: str, member: str) -> Any:
        return self.load(name, member)

    def _super(self, kind: Any, first: Any) -> Any:
        return super(kind, first)

    def _bases(self, *bases: Any) -> tuple[type, ...]:
        kept: list[type] = []
        for base in bases:
            plain = base.origin if isinstance(base, Form) else base
            if isinstance(plain, type) and plain is not object and plain not in kept:
                kept.append(plain)
        return tuple(kept)

    def _metaclass(self, value: Any, *bases: Any) -> Any:
        kept = self._bases(*bases)
        natural = type(kept[0]) if kept else type
        return value if isinstance(value, type) and issubclass(value, natural) and issubclass(value, type) else natural

    def _decorator(self, decorator: Any) -> Callable[[Any], Any]:
        def decorate(thing: Any) -> Any:
            if decorator in (staticmethod, classmethod, property):
                return decorator(thing)
            made = self._call(decorator, thing)
            return thing if type(made) is Unknown else made

        return decorate

    def _field(self, fields: list[Any], name: str, annotation: Callable[[], Any]) -> None:
        fields.append((name, annotation))

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
        found["vars"] = found["dir"] = found["open"] = found["eval"] = found["exec"] = found["__import__"] = found["globals"] = Unknown("builtin")
        return found

    def _getattr(self, value: Any, name: Any, *default: Any) -> Any:
        if type(name) is Unknown:
            return name
        try:
            return self._attr(value, name)
        except AttributeError:
            if default:
                return default[0]
            raise

    def _hasattr(self, value: Any, name: Any) -> Any:
        if type(value) is Unknown or type(name) is Unknown:
            return Unknown("hasattr")
        try:
            self._attr(value, name)
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
        for value in self._iter(values):
            if type(value) is Unknown:
                doubt = True
            elif value:
                return True
        return Unknown("any") if doubt else False

    def _all(self, values: Any) -> Any:
        doubt = False
        for value in self._iter(values):
            if type(value) is Unknown:
                doubt = True
            elif not value:
                return False
        return Unknown("all") if doubt else True


def _index(value: ast.expr) -> Any:
    """A subscript's index in the form that this Python's `ast` wants (before 3.9 it is wrapped)."""
    wrapper = getattr(ast, "Index", None)
    return value if wrapper is None or issubclass(wrapper, ast.AST) is False or not _OLD else wrapper(value=value)


_OLD = not hasattr(ast, "unparse")
