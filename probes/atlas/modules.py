# Python 3.8 runs this too, and pathlib alone would cost a tenth of its time.
# ruff: noqa: B905, UP035
"""A module of the package under the reader: cut into its top-level statements by indentation, evaluated name by name as names are asked for.

This file runs in the *target's* Python (3.8 and later), standard library only.
"""

from __future__ import annotations

import ast
import re
from typing import Any, Iterator

from probes.atlas.evaluator import Evaluator
from probes.atlas.values import Unknown

_START = re.compile(r"^[^\s#)\]}]", re.M)
_DEFINES = re.compile(r"(?:@|(?:async[ \t]+)?def[ \t]+(\w+)|class[ \t]+(\w+)|(\w+)[ \t]*(?:=[^=]|:[^=]|[-+|]=)|(from|import)\b|(\w+)[.\[])")
_TARGETS = re.compile(r"\(?[ \t]*(\w+(?:[ \t]*,[ \t]*\w+)+)[ \t]*,?[ \t]*\)?[ \t]*=[^=]")
_MAIN = re.compile(r"if[ \t]+__name__[ \t]*==")
_INNER = re.compile(r"^(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)", re.M)
_JOINS = re.compile(r"(?:else|elif|except|finally)\b")
_COMPOUND = ("if", "try", "for", "with", "while", "match", "async", "else", "elif", "except", "finally")
_BLOCKS = ("@", "def ", "class ", "async ")
_TYPES_ONLY = re.compile(r"if[ \t]+(?:typing\.)?TYPE_CHECKING[ \t]*:")
_TABLE = re.compile(r"(\w+)[^\n=]*= \{\n")
_ENTRY = re.compile(r'^    "(\w+)": ', re.M)
_NO_ENTRY = re.compile(r'^    [^"#\s)\]}]', re.M)
_LONG = 10_000


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

    def __init__(self, package: Any, name: str, path: str, is_package: bool) -> None:
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
                if _TYPES_ONLY.match(piece) and "\nel" not in piece:
                    continue  # names for a type checker, which are unknown either way
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


class Entries:
    """A long table at a module's top level, of words to what stands behind them: a value is evaluated when it is asked for."""

    def __init__(self, module: Module, texts: dict[str, str]) -> None:
        self.module = module
        self.texts = texts
        self.made: dict[str, Any] = {}

    def __contains__(self, key: object) -> bool:
        return key in self.texts

    def __iter__(self) -> Iterator[str]:
        return iter(self.texts)

    def __getitem__(self, key: str) -> Any:
        if key not in self.made:
            space = "_nostart_entry"
            self.module.package.execute(space + " = {" + self.texts[key] + "}", self.module)
            self.made[key] = self.module.ns.pop(space, {}).get(key, Unknown(key))
        return self.made[key]

    def keys(self) -> Any:
        """As of a dictionary."""
        return self.texts.keys()

    def get(self, key: Any, default: Any = None) -> Any:
        """As of a dictionary."""
        return self[key] if key in self.texts else default

    def items(self) -> Any:
        """As of a dictionary."""
        return [(key, self[key]) for key in self.texts]

    def values(self) -> Any:
        """As of a dictionary."""
        return [self[key] for key in self.texts]


def entries(piece: str, module: Module) -> tuple[str, Entries] | None:
    """The name and the table of a statement that assigns a long one with words for keys; None for any other statement."""
    head = _TABLE.match(piece) if len(piece) > _LONG else None
    end = piece.rfind("\n}")
    if head is None or end < 0 or _NO_ENTRY.search(piece, head.end(), end):
        return None
    found = list(_ENTRY.finditer(piece, head.end(), end))
    ends = [match.start() for match in found[1:]] + [end]
    return head.group(1), Entries(module, {match.group(1): piece[match.start() : stop] + "\n" for match, stop in zip(found, ends)})


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
