"""The state of a shell while its text is followed: variables, arrays, exports, folder, functions. Pure bookkeeping."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from probes.launches.arrival import Problem

# Set in every login; an environment that is not known in full says nothing about them.
USUAL = frozenset(
    {"HOME", "PATH", "USER", "LOGNAME", "SHELL", "PWD", "OLDPWD", "HOSTNAME", "LANG", "TERM", "TMPDIR", "UID", "EUID", "PPID", "RANDOM", "SECONDS"}
    | {"LINENO", "IFS", "OPTIND", "BASH", "BASH_VERSION", "BASHPID"}
)


class Item(str):
    """An element of an array, with its text in the source and its place there."""

    raw: str
    source: str

    def __new__(cls, text: str, raw: str = "", source: str = "") -> "Item":
        """A text that remembers where it was written."""
        made = super().__new__(cls, text)
        made.raw, made.source = raw, source
        return made


@dataclass
class Scope:
    """What a shell knows at one point. `shell` is its name (``bash``, ``sh``, ``zsh``…); `file` the script it reads, empty for text given inline.

    `known` is False where the environment that the shell starts with cannot be seen (another host, a container).
    """

    shell: str = "bash"
    variables: dict[str, str] = field(default_factory=dict)
    arrays: dict[str, list[str]] = field(default_factory=dict)
    exported: set[str] = field(default_factory=set)
    inherited: dict[str, str] = field(default_factory=dict)
    changed: dict[str, str] = field(default_factory=dict)
    removed: tuple[str, ...] = ()
    positional: tuple[str, ...] = ()
    zero: str = ""
    cwd: str | None = None
    functions: dict[str, Any] = field(default_factory=dict)
    export_all: bool = False
    file: str = ""
    origin: str = ""
    known: bool = True
    remote: bool = False
    secrets: frozenset[str] = frozenset()
    unknown: set[str] = field(default_factory=set)
    files: Mapping[str, str | None] = field(default_factory=dict)
    written: dict[str, str] = field(default_factory=dict)
    needed: dict[str, None] = field(default_factory=dict)
    optional: set[str] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)

    @property
    def braces(self) -> bool:
        """Whether this shell expands ``{a,b}``."""
        return self.shell in ("bash", "zsh", "ksh")

    @property
    def splits(self) -> bool:
        """Whether this shell splits unquoted variables into words."""
        return self.shell != "zsh"

    def look_up(self, name: str) -> str | None:
        """The value of a variable; None where nobody set it."""
        if name in self.secrets:
            return "$" + name
        if name in self.arrays:
            return self.arrays[name][0] if self.arrays[name] else None
        if name == "PWD" and self.cwd is not None:
            return self.cwd
        return self.variables.get(name)

    def set(self, name: str, value: str, *, export: bool = False) -> None:
        """Assign; the value reaches later programs where the name is exported."""
        self.unknown.discard(name)
        self.arrays.pop(name, None)
        self.variables[name] = value
        if export or self.export_all or name in self.exported:
            self.export(name)

    def export(self, name: str) -> None:
        """Hand the variable on to programs from here on."""
        self.exported.add(name)
        if name in self.variables:
            if self.inherited.get(name) != self.variables[name]:
                self.changed[name] = self.variables[name]
            else:
                self.changed.pop(name, None)
            self.removed = tuple(one for one in self.removed if one != name)

    def forget(self, name: str) -> None:
        """Unset a variable."""
        self.variables.pop(name, None)
        self.arrays.pop(name, None)
        self.changed.pop(name, None)
        if name in self.exported or name in self.inherited:
            self.exported.discard(name)
            if name not in self.removed:
                self.removed += (name,)

    def environment(self) -> dict[str, str]:
        """The environment that a program started here gets."""
        return {name: value for name, value in self.variables.items() if name in self.exported}

    def copy(self) -> "Scope":
        """A subshell: changes do not come back, findings (needs, problems, doubts) do."""
        return Scope(
            **{
                **self.__dict__,
                "variables": dict(self.variables),
                "arrays": {name: list(items) for name, items in self.arrays.items()},
                "exported": set(self.exported),
                "changed": dict(self.changed),
                "functions": dict(self.functions),
                "unknown": set(self.unknown),
            }
        )

    def child(self, shell: str, *, file: str = "", positional: tuple[str, ...] = (), zero: str = "", origin: str = "") -> "Scope":
        """A new shell process started from here: it sees exported variables alone."""
        new = self.copy()
        new.shell, new.file, new.positional, new.zero, new.origin = shell, file, positional, zero, origin
        new.variables = self.environment()
        new.exported = set(new.variables)
        new.arrays, new.functions, new.export_all = {}, {}, False
        return new

    def elsewhere(self, origin: str) -> "Scope":
        """A shell on another host or in a container: nothing of this environment reaches it."""
        return Scope(
            "bash",
            known=False,
            remote=True,
            secrets=self.secrets,
            needed=self.needed,
            optional=self.optional,
            problems=self.problems,
            doubts=self.doubts,
            origin=origin,
        )

    def problem(self, text: str, source: str = "") -> None:
        """Note, once, what keeps the launch from being read whole."""
        problem = Problem(text=text, source=source or self.origin)
        if problem not in self.problems:
            self.problems.append(problem)

    def doubt(self, text: str, source: str = "") -> None:
        """Note something that makes the prediction uncertain."""
        self.problem(text, source)
        self.doubts.append(text)

    def at(self, line: int) -> str:
        """Where a line of the text that is being read stands: ``file:line``, or where text given inline comes from."""
        return f"{self.file}:{line}" if self.file else self.origin

    def path(self, name: str) -> str:
        """A path as it must be asked for: joined with the folder that was changed to."""
        if name.startswith("/") or self.cwd is None:
            return name
        return self.cwd.rstrip("/") + "/" + name.removeprefix("./")

    def absolute(self, name: str) -> str:
        """A path from the root where the current folder is known."""
        path = self.path(name)
        folder = self.variables.get("PWD", "") if not path.startswith("/") and self.cwd is None else ""
        return f"{folder.rstrip('/')}/{path.removeprefix('./')}" if folder else path

    def read(self, name: str, *, program: bool = False) -> str | None:
        """The text of a file, or None; a file that was never asked for becomes one that is needed.

        `program` says that it may well be no script: then nothing is doubted as long as it was not read.
        """
        path = self.path(name)
        if path not in self.files and path not in self.written:
            # The same file, named with and without its folder.
            other = path.removeprefix("./") if path.startswith("./") else "./" + path
            path = other if other in self.files or other in self.written else path
        if path in self.written:
            return self.written[path]
        if self.remote:
            self.doubt(f"{name} lies on another host or in a container and was not read")
            return None
        if path in self.files:
            return self.files[path]
        self.needed[path] = None
        if program:
            self.optional.add(path)
        return None
