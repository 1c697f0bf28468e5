# Python 3.8 runs this too, and pathlib alone would cost a tenth of its time.
# ruff: noqa: PTH113, PTH118
"""Reads the parts of a package that build its parser, from source, without importing or running anything of it.

A module is cut into its top-level statements by indentation; only those whose names are asked for are parsed (`ast`) and evaluated
(`probes.atlas.evaluator`) behind guards, with a small set of stand-ins (`probes.atlas.natives`) in the place of the standard library. Nothing outside
the package's own source is reachable, and nothing is written. What cannot be known without running the real thing is an `Unknown`, which spreads;
what depends on it is reported as uncertain.

This file runs in the *target's* Python (3.8 and later), standard library only.
"""

from __future__ import annotations

import ast
import os
import re
from typing import Any

from probes.atlas.guards import Guards
from probes.atlas.modules import Lazy, Module, entries, pieces
from probes.atlas.scopes import Env
from probes.atlas.values import ERRORS, OPAQUE, Finished, Unknown

_DYNAMIC = {"__getattr__", "__getattribute__", "__setattr__", "__delattr__", "__del__"}


class Package(Guards):
    """A package's source tree: its modules, the guards, and how sure one may be at the moment (`doubt`).

    `root` is the folder that holds the package folder; `read` lists the files used, for a cache.
    """

    def __init__(self, root: str, name: str, stands: dict[str, Any], safe: dict[str, Any]) -> None:
        self.root = root
        super().__init__(name, safe)
        self.stands = stands
        self.modules: dict[str, Module | None] = {}
        self.read: list[str] = []
        self.notes: list[str] = []
        self.failed: list[str] = []
        self.docs: dict[str, set[str]] = {}
        self.registries: set[tuple[str, str]] = set()
        self.opaque = tuple(name + "." + part for part in OPAQUE)

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
        table = entries(piece, module)
        if table is not None:
            module.ns[table[0]] = table[1]
            return
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


class _Methods(ast.stmt):
    """A statement of ours at the end of a class: its methods, not parsed yet."""

    _fields = ()

    def __init__(self, methods: dict[str, Lazy]) -> None:
        super().__init__()
        self.methods = methods
