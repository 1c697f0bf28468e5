"""The values of parameters: variables, arrays, positional and special ones, and what is said of those that nobody sets."""

from probes.launches.shell.arithmetic import arithmetic
from probes.launches.shell.fields import Part
from probes.launches.shell.scope import USUAL, Scope


class Parameters:
    """Looks parameters up in a `Scope`; `vanished` collects those that expand to nothing because nobody sets them."""

    def __init__(self, scope: Scope, source: str) -> None:
        self.scope, self.source = scope, source
        self.vanished: list[str] = []

    def part(self, text: str, quoted: bool) -> list[Part]:
        """The stretch that an expansion to `text` makes."""
        return [Part(text, quoted=quoted, splits=not quoted and self.scope.splits)]

    def items(self, items: list[str], quoted: bool, *, star: bool) -> list[Part]:
        """The stretch that all elements of an array (or ``$@``) make."""
        if quoted and star:
            return [Part(" ".join(items), quoted=True)]
        if quoted:
            return [Part("", quoted=True, items=items, kept=" ".join(items))]
        return self.part(" ".join(items), quoted=False)

    def expanded(self, name: str, quoted: bool) -> list[Part]:
        """``$name``."""
        if name in "@*":
            return self.items(list(self.scope.positional), quoted, star=name == "*")
        return self.part(self.value(name), quoted)

    def value(self, name: str) -> str:
        """The value of a parameter, with a note where it is not known or nobody sets it."""
        value = self.maybe(name)
        if value is not None:
            return value
        if name in USUAL:
            self.scope.doubt(f"${name} is not known here", self.source)
            return "$" + name
        if name in self.scope.unknown:
            self.scope.doubt(f"${name} is set by a command whose output is not known before it runs", self.source)
            return "$" + name
        if not name.isdigit() and name not in "!?$-":
            self._vanish(name, f"${name}")
            if not self.scope.known:
                self.scope.doubts.append(name)
        return ""

    def maybe(self, name: str) -> str | None:
        """The value of a parameter, or None where it is not set."""
        if name.isdigit():
            return self._positional(int(name))
        if name == "#":
            return str(len(self.scope.positional))
        if name in "?!$-":
            return "0" if name == "?" else None
        if name == "BASH_SOURCE":
            return self.scope.file or None
        return self.scope.look_up(name)

    def _positional(self, number: int) -> str | None:
        if number == 0:
            return self.scope.zero or self.scope.file or self.scope.shell
        return self.scope.positional[number - 1] if number <= len(self.scope.positional) else None

    def array(self, name: str) -> list[str]:
        """The elements of an array, or of ``$@``; a plain variable is an array of one."""
        if name in "@*":
            return list(self.scope.positional)
        if name in self.scope.arrays:
            return self.scope.arrays[name]
        value = self.maybe(name)
        if value is None and name in self.scope.unknown:
            self.scope.doubt(f"the array {name} is not known before it runs", self.source)
        elif value is None:
            self._vanish(name, f"the array {name}")
        return [] if value is None else [value]

    def element(self, name: str, index: str) -> str | None:
        """One element of an array, or None."""
        if name == "BASH_SOURCE":
            return self.scope.file or None
        items, number = self.scope.arrays.get(name), arithmetic(index)
        if items is None or number is None:
            return self.maybe(name) if number == 0 else None
        return items[number] if -len(items) <= number < len(items) else None

    def _vanish(self, name: str, what: str) -> None:
        self.vanished.append(name)
        self.scope.problem(f"nobody sets {what}: it expands to nothing", self.source)
