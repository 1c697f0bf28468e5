"""Peeling the layers of a command, outermost first, until the program that no layer hides."""

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from probes.launches import wrappers
from probes.launches.python.records import PyRun
from probes.launches.python.script import Script
from probes.launches.shell.follow import Follower
from probes.launches.shell.records import Ran, Token
from probes.launches.shell.scope import Scope
from probes.launches.words import words
from transcripts.records import Layer, LayerKind

_DEPTH = 14
_MOST_RUNS = 400
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*$")
_SCRIPT = re.compile(r"\.(?:sh|bash|zsh|ksh|command|py)$")
_PYTHON_VALUED = frozenset({"-W", "-X", "--check-hash-based-pycs"})
# Never the launch itself, whatever comes after them.
_ASIDE = words(
    "echo printf cat tee sleep mkdir rm cp mv ln ls touch chmod chown grep sed awk curl wget tail head kill pkill killall pip pip3 apt "
    "apt-get date nvidia-smi free df ps test [ [[ which type git id whoami hostname nproc lsof ss netstat find sort uniq wc seq tr cut "
    "xargs ray export return break continue logger notify-send fuser jq dirname basename realpath readlink pwd true false wait hf "
    "huggingface-cli module conda mamba deactivate"
)


@dataclass
class Found:
    """A program reached through layers: its words, the state it starts in, what runs after it. `entry`: it is a serving command.

    `outer` are variables that nobody sets in the text of a layer further out: (layer, the variable's surroundings, names).
    """

    tokens: list[Token]
    scope: Scope
    layers: list[Layer] = field(default_factory=list)
    gone: list[tuple[int, str, tuple[str, ...]]] = field(default_factory=list)
    trailing: list[list[Token]] = field(default_factory=list)
    outer: list[tuple[int, str, tuple[str, ...]]] = field(default_factory=list)
    entry: bool = False
    executed: bool = False
    conditional: bool = False
    certain: bool = True

    @property
    def argv(self) -> tuple[str, ...]:
        """Its words."""
        return tuple(token.text for token in self.tokens)


class Peeler:
    """Peels launches; `find_entry` recognises a serving command."""

    def __init__(self, find_entry: Callable[[tuple[str, ...]], tuple[int, int] | None] | None) -> None:
        self.find_entry = find_entry
        self.depth = 0

    def typed(self, line: str, scope: Scope) -> Found | None:
        """A line as a person typed it."""
        return self._text(line, scope, Layer(kind="typed", text=line, shell=scope.shell), [])

    def command(self, tokens: list[Token], scope: Scope) -> Found | None:
        """A command given as words."""
        return self._peel(Found(list(tokens), scope), None)

    # one command

    def _peel(self, found: Found, stdin: str | None) -> Found | None:
        if not found.tokens:
            return None
        if self.depth > _DEPTH:
            found.scope.doubt("nested too deeply to follow")
            return found
        self.depth += 1
        try:
            return self._inner(found, stdin)
        finally:
            self.depth -= 1

    def _inner(self, found: Found, stdin: str | None) -> Found | None:
        argv = found.argv
        found.entry = self._is_entry(argv)
        name = argv[0].rpartition("/")[2]
        if name == "env":
            return self._env(found, stdin)
        if name in wrappers.SHELLS:
            return self._shell(found, name, stdin)
        if name == "eval" and len(argv) > 1:
            text = " ".join(argv[1:])
            return self._text(text, found.scope, Layer(kind="shell", words=("eval",), text=text, shell=found.scope.shell), found.layers)
        if name == "ssh":
            return self._ssh(found, stdin)
        if name in ("docker", "podman", "nerdctl"):
            return self._container(found)
        if name in ("kubectl", "oc", "k3s"):
            return self._pod(found, stdin)
        if found.entry:
            return self._module(found)
        inner = wrappers.split_wrapper(name, argv)
        if inner is not None:
            return self._wrapped(found, inner, stdin)
        if _PYTHON.match(name):
            return self._python(found, stdin)
        if "/" in argv[0] or _SCRIPT.search(argv[0]):
            return self._file(found, argv[0], argv[1:], found.tokens[:1])
        return found

    def _is_entry(self, argv: tuple[str, ...]) -> bool:
        if self.find_entry is None:
            return False
        entry = self.find_entry(argv)
        return entry is not None and entry[0] == 0

    def _under(self, found: Found, layer: Layer, inner: int, **changed: object) -> Found:
        gone = [(index - inner, raw, names) for index, raw, names in found.gone if index >= inner]
        made = replace(found, tokens=found.tokens[inner:], layers=[*found.layers, layer], gone=gone)
        for key, value in changed.items():
            setattr(made, key, value)
        return made

    def _wrapped(self, found: Found, inner: int, stdin: str | None) -> Found | None:
        words = found.argv[:inner]
        scope = found.scope.copy()
        for word in words:
            name, equals, value = word.partition("=")
            if equals and name.isidentifier() and words[0].rpartition("/")[2] in ("sudo", "doas"):
                scope.set(name, value, export=True)
        for option in ("--cwd", "--directory", "-D", "--chdir"):
            if option in words[:-1] and words[0].rpartition("/")[2] in ("conda", "uv", "sudo"):
                scope.cwd = scope.path(words[words.index(option) + 1])
        return self._peel(self._under(found, Layer(kind="wrapper", words=words, source=found.tokens[0].source), inner, scope=scope), stdin)

    def _env(self, found: Found, stdin: str | None) -> Found | None:
        argv, at, scope = found.argv, 1, found.scope.copy()
        while at < len(argv):
            word = argv[at]
            if word in ("-i", "-", "--ignore-environment"):
                for name in list(scope.environment()):
                    scope.forget(name)
                scope.known = True
            elif word in ("-u", "--unset", "-C", "--chdir") and at + 1 < len(argv):
                at += 1
                if word in ("-u", "--unset"):
                    scope.forget(argv[at])
                else:
                    scope.cwd = scope.path(argv[at])
            elif word.startswith("--unset=") or (word.startswith("-u") and len(word) > 2):
                scope.forget(word.removeprefix("--unset=").removeprefix("-u"))
            elif word in ("-S", "--split-string") and at + 1 < len(argv):
                return self._env_string(found, at, scope, stdin)
            elif "=" in word and not word.startswith("-"):
                name, _, value = word.partition("=")
                scope.set(name, value, export=True)
            elif not word.startswith("-"):
                break
            at += 1
        if at >= len(argv):
            return found
        return self._peel(self._under(found, Layer(kind="env", words=argv[:at], source=found.tokens[0].source), at, scope=scope), stdin)

    def _env_string(self, found: Found, at: int, scope: Scope, stdin: str | None) -> Found | None:
        try:
            words = shlex.split(found.argv[at + 1])
        except ValueError:
            return found
        tokens = [found.tokens[0], *[Token(word, word, found.tokens[at].source, word, -1) for word in words], *found.tokens[at + 2 :]]
        return self._env(replace(found, tokens=tokens, scope=scope), stdin)

    # shells

    def _shell(self, found: Found, name: str, stdin: str | None) -> Found | None:
        argv, at = found.argv, 1
        if name == "busybox" and len(argv) > 1:
            name, at = argv[1], 2
        text_at = None
        while at < len(argv) and argv[at][:1] in ("-", "+") and len(argv[at]) > 1 and text_at is None:
            if argv[at] == "--":
                at += 1
                break
            if not argv[at].startswith("--") and argv[at][0] == "-" and "c" in argv[at]:
                text_at = -1
            valued = argv[at] in ("--rcfile", "--init-file") or (
                not argv[at].startswith("--") and argv[at].endswith(("o", "O")) and "c" not in argv[at]
            )
            at += 2 if valued else 1
        if text_at is not None:
            while at < len(argv) and argv[at].startswith("-") and len(argv[at]) > 1:
                at += 1
            return self._shell_text(found, name, at)
        if "-s" in argv[1:at] or at >= len(argv) or argv[at] == "-":
            if stdin is None:
                return found
            scope = found.scope.child(name, positional=argv[at:], origin=found.tokens[0].source)
            return self._text(stdin, scope, Layer(kind="shell", words=argv[:at], text=stdin, shell=name), found.layers)
        return self._file(found, argv[at], argv[at + 1 :], found.tokens[: at + 1], named=name)

    def _shell_text(self, found: Found, name: str, at: int) -> Found | None:
        argv = found.argv
        if at >= len(argv):
            found.scope.problem(f"{' '.join(argv)}: -c is given no command", found.tokens[0].source)
            return found
        token = found.tokens[at]
        scope = found.scope.child(name, positional=argv[at + 2 :], zero=argv[at + 1] if at + 1 < len(argv) else name, origin=token.source)
        layer = Layer(kind="shell", words=argv[:at], text=argv[at], shell=name, source=token.source)
        made = self._text(argv[at], scope, layer, found.layers)
        _carry(found.tokens[at : at + 1], made)
        ignored = argv[at + 1 :]
        if made is not None and ignored and not re.search(r"\$[\d@*{]", argv[at]):
            found.scope.problem(f"{name} -c takes one word as its command: {shlex.join(ignored)[:200]} is not part of it", token.source)
        return made

    def _text(self, text: str, scope: Scope, layer: Layer, layers: Sequence[Layer]) -> Found | None:
        """Follow shell text and choose the program in it that is the launch."""
        runs = Follower(scope).follow(text)
        return self._chosen(runs, [*layers, layer])

    def _chosen(self, runs: list[Ran], layers: list[Layer]) -> Found | None:
        best: Found | None = None
        best_rank: tuple[int, ...] = ()
        for number, ran in enumerate(runs[:_MOST_RUNS]):
            found = self._from(ran, layers, runs[number + 1 :])
            if found is None:
                continue
            rank = self._rank(found, number)
            if best is None or rank > best_rank:
                best, best_rank = found, rank
            if found.entry and not found.conditional:
                break
        return best

    def _rank(self, found: Found, number: int) -> tuple[int, ...]:
        """How likely it is the launch: a serving command first, then what is exec'd, then the last that is no helper."""
        name = found.argv[0].rpartition("/")[2] if found.tokens else ""
        helper = name in _ASIDE or not name or name.startswith(("-", "–", "—"))
        order = -number if found.entry else number
        return (int(found.entry), int(not helper), int(found.executed), int(not found.conditional), order)

    def _from(self, ran: Ran, layers: list[Layer], after: list[Ran]) -> Found | None:
        layers = list(layers)
        if ran.evaluated:
            layers.append(Layer(kind="shell", words=("eval",), text=ran.evaluated, shell=ran.scope.shell, source=ran.tokens[0].source))
        tokens = [replace(token, layer=len(layers) - 1) for token in ran.tokens]
        if ran.assignments:
            layers.append(Layer(kind="env", words=ran.assignments, source=tokens[0].source))
        behind = [[replace(token, layer=len(layers) - 1) for token in later.tokens] for later in after[:50]]
        if ran.executed:
            behind = []
        found = Found(tokens, ran.scope, layers, list(ran.gone), executed=ran.executed, conditional=ran.conditional)
        made = self._peel(found, ran.stdin)
        if made is not None:
            made.trailing = [*made.trailing, *behind]
            made.executed = made.executed or ran.executed
            made.conditional = made.conditional or ran.conditional
        return made

    def _file(self, found: Found, path: str, arguments: tuple[str, ...], words: Sequence[Token], named: str = "") -> Found | None:
        """A script: its shebang (or the shell that was named) decides how it is read; what is no script is the program itself."""
        scope = found.scope
        if scope.remote and not _SCRIPT.search(path) and not named:
            return found
        text = scope.read(path, program=not named and not _SCRIPT.search(path) and "/bin/" in path)
        if text is None or "\0" in text[:4000]:
            if scope.path(path) in scope.files and text is None and (named or _SCRIPT.search(path)):
                scope.doubt(f"{path} could not be read", found.tokens[0].source)
            return found
        first = text.partition("\n")[0] if text.startswith("#!") else ""
        if not named and (_PYTHON.search(first.rstrip("\r").rpartition("/")[2].split(" ")[-1]) or (path.endswith(".py") and not first)):
            return self._python_text(found, text, scope.path(path), arguments, [token.text for token in words])
        interpreter = re.search(r"\b(bash|dash|zsh|ksh|ash|sh)\b", first.rpartition("/")[2]) if first else None
        if not named and first and not interpreter:
            return found
        if not named and not first and not _SCRIPT.search(path):
            return found
        name = named or (interpreter[1] if interpreter else "bash")
        if first.endswith("\r"):
            scope.problem(f"the first line of {path} ends with a carriage return: the interpreter it names does not exist", f"{path}:1")
        child = scope.child(name, file=scope.path(path), positional=arguments, zero=path)
        layer = Layer(kind="script", words=tuple(token.text for token in words), text=text, shell=name, source=scope.path(path))
        return self._text(text, child, layer, found.layers) or found

    # other places

    def _ssh(self, found: Found, stdin: str | None) -> Found | None:
        argv = found.argv
        at = wrappers.split_ssh(argv)
        if at is None or (at >= len(argv) and stdin is None):
            return found
        text = " ".join(argv[at:]) or (stdin or "")
        remote = found.scope.elsewhere(found.tokens[0].source)
        layer = _layer("ssh", argv[:at], text, remote.shell, found.tokens[0].source)
        followed = Follower(remote).follow(text)
        for ran in followed:
            ran.stdin = ran.stdin if ran.stdin is not None or at >= len(argv) else stdin
        made = self._chosen(followed, [*found.layers, layer])
        _carry(found.tokens[at:], made)
        return made or found

    def _container(self, found: Found) -> Found | None:
        argv = found.argv
        container = wrappers.split_container(argv)
        if container is None:
            return found
        scope = found.scope.elsewhere(found.tokens[0].source)
        self._container_environment(container, found.scope, scope)
        scope.cwd = container.workdir
        layer = Layer(kind="container", words=argv[: container.inner], source=found.tokens[0].source)
        inner = self._under(found, layer, container.inner, scope=scope)
        image = found.tokens[container.inner - 1]
        if container.verb == "exec":
            return self._peel(inner, None) or found
        if container.entrypoint:
            source = image.source
            inner.tokens = [Token(container.entrypoint, container.entrypoint, source, container.entrypoint, -1, layer=image.layer), *inner.tokens]
            return self._peel(inner, None)
        inner.certain = False
        scope.problem(f"the entrypoint of the image {container.image} is not known: its own words stand before these", image.source)
        if inner.tokens:
            name = inner.argv[0].rpartition("/")[2]
            own = self._is_entry(inner.argv) or name in wrappers.SHELLS or name in wrappers.WRAPPERS or name == "env" or _PYTHON.match(name)
            if own:
                made = self._peel(inner, None)
                if made is not None:
                    made.certain = False
                return made
        # The image's name stands for the program that its entrypoint starts.
        inner.tokens = [image, *inner.tokens]
        inner.gone = [(index + 1, raw, names) for index, raw, names in inner.gone]
        inner.entry = self._is_entry(inner.argv)
        return inner

    @staticmethod
    def _container_environment(container: wrappers.Container, outer: Scope, scope: Scope) -> None:
        for path in container.env_files:
            for name, value in env_file(outer.read(path) or "").items():
                scope.set(name, value, export=True)
        for assignment in container.env:
            name, equals, value = assignment.partition("=")
            given = value if equals else outer.variables.get(name)
            if given is not None:
                scope.set(name, given, export=True)

    def _pod(self, found: Found, stdin: str | None) -> Found | None:
        at = wrappers.split_pod(found.argv)
        if at is None:
            return found
        layer = Layer(kind="container", words=found.argv[:at], source=found.tokens[0].source)
        return self._peel(self._under(found, layer, at, scope=found.scope.elsewhere(found.tokens[0].source)), stdin)

    # Python

    def _module(self, found: Found) -> Found:
        argv = found.argv
        if len(argv) > 2 and _PYTHON.match(argv[0].rpartition("/")[2]) and "-m" in argv[1:6]:
            at = argv.index("-m")
            found.layers = [*found.layers, Layer(kind="module", words=argv[: at + 2], source=found.tokens[0].source)]
        return found

    def _python(self, found: Found, stdin: str | None) -> Found | None:
        argv, at = found.argv, 1
        while at < len(argv) and argv[at].startswith("-") and argv[at] not in ("-m", "-c", "-"):
            at += 2 if argv[at] in _PYTHON_VALUED else 1
        if at >= len(argv) or argv[at] == "-":
            return self._python_text(found, stdin, "<stdin>", argv[at + 1 :], argv[:at]) if stdin else found
        if argv[at] == "-m":
            return self._module(found)
        if argv[at] == "-c":
            text = argv[at + 1] if at + 1 < len(argv) else ""
            return self._python_text(found, text, "<string>", argv[at + 2 :], argv[: at + 1])
        path, scope = argv[at], found.scope
        text_read = scope.read(path)
        if text_read is None:
            if scope.path(path) in scope.files:
                scope.doubt(f"{path} could not be read", found.tokens[0].source)
            return found
        return self._python_text(found, text_read, scope.path(path), argv[at + 1 :], argv[: at + 1])

    def _python_text(self, found: Found, text: str, file: str, arguments: tuple[str, ...], words: Sequence[str]) -> Found | None:
        scope = found.scope
        if "exec" not in text and "subprocess" not in text and "system" not in text and "spawn" not in text:
            return found
        script = Script(text, arguments, scope.environment(), scope.read, file)
        try:
            runs = script.follow()
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            line, column = (error.lineno or 0, error.offset or 0) if isinstance(error, SyntaxError) else (0, 0)
            scope.doubt(f"{file} does not parse as Python: line {line}, column {column}", f"{file}:{line}")
            return found
        layer = Layer(kind="python", words=tuple(words), text=text, source=file)
        best: Found | None = None
        best_rank: tuple[int, ...] = ()
        for number, run in enumerate(runs[:_MOST_RUNS]):
            made = self._python_run(found, run, layer, file)
            if made is None:
                continue
            made.executed, made.conditional = made.executed or run.executed, made.conditional or run.conditional
            if not run.whole:
                made.certain = False
                scope.problem(f"a part of the command is computed while {file} runs", f"{file}:{run.line}")
            rank = self._rank(made, number)
            if best is None or rank > best_rank:
                best, best_rank = made, rank
        return best or found

    def _python_run(self, found: Found, run: PyRun, layer: Layer, file: str) -> Found | None:
        scope = found.scope.copy()
        scope.arrays, scope.functions = {}, {}
        for name in run.unset:
            scope.forget(name)
        for name, value in run.env.items():
            scope.set(name, value, export=True)
        if run.cwd:
            scope.cwd = scope.path(run.cwd)
        source = f"{file}:{run.line}"
        if run.shell is not None:
            child = scope.child("sh", origin=source)
            shell_layer = _layer("shell", ("sh", "-c"), run.shell, child.shell, source)
            return self._text(run.shell, child, shell_layer, [*found.layers, layer])
        tokens = [Token(word.text, word.raw, f"{file}:{word.line or run.line}", word.text, -1, layer=-1) for word in run.words]
        tokens = [replace(token, layer=len(found.layers)) for token in tokens]
        return self._peel(Found(tokens, scope, [*found.layers, layer]), None)


def _carry(tokens: Sequence[Token], made: Found | None) -> None:
    """Remember which variables of an outer shell's word expanded to nothing before an inner one read it."""
    if made is not None:
        made.outer += [(token.layer, token.raw, token.vanished) for token in tokens if token.vanished]


def _layer(kind: LayerKind, words: tuple[str, ...], text: str, language: str, source: str) -> Layer:
    """A layer that evaluates text in the shell `language`."""
    return Layer(kind=kind, words=words, text=text, shell=language, source=source)


def env_file(text: str) -> dict[str, str]:
    """The variables of a ``docker --env-file``: everything behind the ``=`` is the value, quotes included."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        name, equals, value = line.strip("\r").lstrip().partition("=")
        if equals and name and not name.startswith("#"):
            found[name] = value
    return found
