"""Peeling the layers of a command, outermost first, until the program that no layer hides."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from probes.launches.layers.elsewhere import peel_container, peel_pod, peel_ssh
from probes.launches.layers.environment import peel_env, peel_wrapper
from probes.launches.layers.found import MOST_RUNS, Found, best
from probes.launches.layers.programs import SHELLS, base_name, is_python, is_script
from probes.launches.layers.python import peel_python, under_module
from probes.launches.layers.shells import peel_script, peel_shell
from probes.launches.layers.wrappers import split_wrapper
from probes.launches.shell.follow import Follower
from probes.launches.shell.records import Ran, Token
from probes.launches.shell.scope import Scope
from transcripts.records import Layer

_DEPTH = 14
_MOST_TRAILING = 50


class Peeler:
    """Peels launches; `find_entry` recognises a serving command."""

    def __init__(self, find_entry: Callable[[tuple[str, ...]], tuple[int, int] | None] | None) -> None:
        self.find_entry = find_entry
        self.depth = 0

    def typed(self, line: str, scope: Scope) -> Found | None:
        """A line as a person typed it."""
        return self.text(line, scope, Layer(kind="typed", text=line, shell=scope.shell), [])

    def command(self, tokens: list[Token], scope: Scope) -> Found | None:
        """A command given as words."""
        return self.peel(Found(list(tokens), scope), None)

    def is_entry(self, argv: tuple[str, ...]) -> bool:
        """Whether a command is a serving one, from its first word on."""
        entry = self.find_entry(argv) if self.find_entry is not None else None
        return entry is not None and entry[0] == 0

    def peel(self, found: Found, stdin: str | None) -> Found | None:
        """The program that no layer hides; None where there is none."""
        if not found.tokens:
            return None
        if self.depth > _DEPTH:
            found.scope.doubt("nested too deeply to follow")
            return found
        self.depth += 1
        try:
            return self._outermost(found, stdin)
        finally:
            self.depth -= 1

    def _outermost(self, found: Found, stdin: str | None) -> Found | None:
        argv = found.argv
        found.entry = self.is_entry(argv)
        name = base_name(argv[0])
        match name:
            case "env":
                return peel_env(self, found, stdin)
            case "eval" if len(argv) > 1:
                text = " ".join(argv[1:])
                return self.text(text, found.scope, Layer(kind="shell", words=("eval",), text=text, shell=found.scope.shell), found.layers)
            case "ssh":
                return peel_ssh(self, found, stdin)
            case "docker" | "podman" | "nerdctl":
                return peel_container(self, found)
            case "kubectl" | "oc" | "k3s":
                return peel_pod(self, found, stdin)
            case _ if name in SHELLS:
                return peel_shell(self, found, name, stdin)
        if found.entry:
            return under_module(found)
        inner = split_wrapper(name, argv)
        if inner is not None:
            return peel_wrapper(self, found, inner, stdin)
        if is_python(name):
            return peel_python(self, found, stdin)
        return peel_script(self, found, 0) if "/" in argv[0] or is_script(argv[0]) else found

    def text(self, text: str, scope: Scope, layer: Layer, layers: Sequence[Layer]) -> Found | None:
        """Follow the shell text of `layer` and choose the program in it that is the launch."""
        return self.chosen(Follower(scope).follow(text), [*layers, layer])

    def chosen(self, runs: list[Ran], layers: list[Layer]) -> Found | None:
        """The one of several programs that is the launch."""
        return best(self._candidates(runs, layers))

    def _candidates(self, runs: list[Ran], layers: list[Layer]) -> Iterator[Found | None]:
        """What each program comes to, up to the first that is sure to serve."""
        for number, ran in enumerate(runs[:MOST_RUNS]):
            found = self._below(ran, layers, runs[number + 1 :])
            yield found
            if found is not None and found.entry and not found.conditional:
                return

    def _below(self, ran: Ran, layers: list[Layer], after: list[Ran]) -> Found | None:
        layers, source = list(layers), ran.tokens[0].source
        if ran.evaluated:
            layers.append(Layer(kind="shell", words=("eval",), text=ran.evaluated, shell=ran.scope.shell, source=source))
        text = len(layers) - 1
        if ran.assignments:
            layers.append(Layer(kind="env", words=ran.assignments, source=source))
        tokens = [replace(token, layer=text) for token in ran.tokens]
        made = self.peel(Found(tokens, ran.scope, layers, list(ran.gone), executed=ran.executed, conditional=ran.conditional), ran.stdin)
        if made is None:
            return None
        if not ran.executed:
            made.trailing = [
                *made.trailing,
                *[[replace(token, layer=len(layers) - 1) for token in later.tokens] for later in after[:_MOST_TRAILING]],
            ]
        made.executed = made.executed or ran.executed
        made.conditional = made.conditional or ran.conditional
        return made
