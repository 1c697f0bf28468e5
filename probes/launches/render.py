"""A launch written anew with another argv, through the same layers where they can be written, and the lines of scripts to change."""

import difflib
import re
import shlex
from collections.abc import Mapping

from msgspec import Struct, field

from probes.launches.arrival import Arrival, Word
from probes.launches.quoting import quote_for, quoted, shell_line
from probes.launches.shell import grammar
from probes.launches.understand import understand
from transcripts.records import Launch, Layer, Record

# Words of a shell, not programs: they cannot be executed behind an env or from an argv.
_BUILTINS = frozenset({"exec", "command", "builtin", "time", "eval"})
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=")


class Rendered(Record, frozen=True, kw_only=True):
    """`launch` is executable; `argv` the server's own argv in it; `shell` one line to paste; `edits` which lines of scripts to change."""

    launch: Launch
    argv: tuple[str, ...]
    shell: str
    edits: tuple[str, ...] = ()


class _Pending(Struct, kw_only=True):
    """Changes of environment and folder that the words do not carry yet."""

    env: dict[str, str] = field(default_factory=dict)
    unset: tuple[str, ...] = ()
    cwd: str | None = None

    def take(self) -> "_Pending":
        taken = _Pending(env=dict(self.env), unset=self.unset, cwd=self.cwd)
        self.env, self.unset, self.cwd = {}, (), None
        return taken


def render(launch: Launch, arrival: Arrival, argv: tuple[str, ...], env: Mapping[str, str], unset: tuple[str, ...]) -> Rendered:
    """`argv` (aligned with `Arrival.argv`) delivered through the layers of `launch`; `env` and `unset` are further changes of its environment."""
    writer = _Writer(launch, arrival, argv, env, unset)
    words = writer.wrapped()
    if not _delivers(launch, words, argv):
        words = writer.direct()
    made = _launch(launch, words, writer.pending)
    line = shell_line(words, env=made.env, unset=made.unset, cwd=made.cwd, secrets=launch.secrets)
    line = quoted((*launch.through, line)) if launch.through else line
    return Rendered(launch=made, argv=argv, shell=line, edits=_edits(arrival, argv, writer.inside, launch.secrets))


def _launch(launch: Launch, words: tuple[str, ...], pending: _Pending) -> Launch:
    env = {name: value for name, value in {**launch.env, **pending.env}.items() if name not in pending.unset}
    away = tuple(dict.fromkeys(name for name in (*launch.unset, *pending.unset) if name not in env))
    return Launch(
        argv=words, env=env, unset=away, cwd=pending.cwd or launch.cwd, target=launch.target, secrets=launch.secrets, through=launch.through
    )


def _delivers(launch: Launch, words: tuple[str, ...], argv: tuple[str, ...]) -> bool:
    """Whether `words`, pasted as a line, arrive as exactly `argv`."""
    line = Launch(argv=(), shell=quoted(words, launch.secrets), secrets=launch.secrets)
    home = {"HOME": "/"}
    return understand(line, files={}, environment=home).argv == argv


class _Writer:
    """Wraps the innermost argv in its layers, innermost first."""

    def __init__(self, launch: Launch, arrival: Arrival, argv: tuple[str, ...], env: Mapping[str, str], unset: tuple[str, ...]) -> None:
        self.launch, self.arrival, self.argv = launch, arrival, argv
        self.changes, self.away = dict(env), unset
        self.pending = _Pending(env=dict(env), unset=unset)
        self.inside: tuple[str, ...] = ()
        self.boundary = False

    def wrapped(self) -> tuple[str, ...]:
        """The words through every layer that can be written."""
        words = self.argv
        for layer in reversed(self.arrival.layers):
            match layer.kind:
                case "shell" | "ssh":
                    words = self._shell(layer, words)
                case "env":
                    words = self._env(layer, words)
                case "wrapper":
                    words = words if layer.words[0].rpartition("/")[2] in _BUILTINS else (*layer.words, *words)
                case "container":
                    words = self._container(layer, words)
                case "script" | "python":
                    self.inside = self.inside or words
                    words = self._collapsed(words)
                case "typed" if not _sole(layer.text):
                    words = self._collapsed(words)
        return words

    def direct(self) -> tuple[str, ...]:
        """The argv without any layer, its environment and folder set by the launch itself."""
        self.boundary = False
        return self._collapsed(self.argv)

    def _collapsed(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """Leave a layer out: what it set is carried by the launch."""
        if self.boundary:
            return words
        env = {name: value for name, value in self.arrival.env.items() if self.launch.env.get(name) != value}
        self.pending.env = {name: value for name, value in {**env, **self.changes}.items() if name not in self.away}
        self.pending.unset = tuple(dict.fromkeys(name for name in (*self.arrival.unset, *self.away) if name not in self.pending.env))
        self.pending.cwd = self.arrival.cwd
        return self.argv

    def _shell(self, layer: Layer, words: tuple[str, ...]) -> tuple[str, ...]:
        if layer.words[:1] == ("eval",):
            return words
        if not _sole(layer.text):
            words = self._collapsed(words)
            if layer.kind == "shell":
                return words
        if layer.kind == "shell":
            return (*layer.words, quoted(words, self.launch.secrets))
        there = self.pending.take()
        self.boundary = True
        return (*layer.words, shell_line(words, env=there.env, unset=there.unset, cwd=there.cwd, secrets=self.launch.secrets))

    def _env(self, layer: Layer, words: tuple[str, ...]) -> tuple[str, ...]:
        own = layer.words if layer.words[0].rpartition("/")[2] == "env" else ("env", *layer.words)
        kept = []
        for word in own:
            match = _ASSIGNMENT.match(word)
            if not match or (match[1] not in self.changes and match[1] not in self.away):
                kept.append(word)
        return words if kept == ["env"] else (*kept, *words)

    def _container(self, layer: Layer, words: tuple[str, ...]) -> tuple[str, ...]:
        own, image = list(layer.words), layer.words[-1]
        entrypoint = next((own[index + 1] for index, word in enumerate(own[:-1]) if word == "--entrypoint"), None)
        entrypoint = next((word.partition("=")[2] for word in own if word.startswith("--entrypoint=")), entrypoint)
        if words and words[0] in (image, entrypoint):
            words = words[1:]
        there = self.pending.take()
        self.boundary = True
        if own[0].rpartition("/")[2] in ("kubectl", "oc", "k3s"):
            assigned = [f"{name}={value}" for name, value in there.env.items()]
            away = [word for name in there.unset for word in ("-u", name)]
            return (*own, *(["env", *away, *assigned] if assigned or away else []), *words)
        own = _without_environment(own, {*there.env, *there.unset, *self.changes, *self.away})
        # A variable that is taken away cannot be unset from outside the image; leaving out what the command itself sets is all there is.
        given = [word for name, value in there.env.items() if f"{name}={value}" not in own for word in ("-e", f"{name}={value}")]
        return (*own[:-1], *given, own[-1], *words)


def _without_environment(own: list[str], names: set[str]) -> list[str]:
    """A container's words without the ``-e NAME…`` of these names."""
    kept: list[str] = []
    at = 0
    while at < len(own):
        if own[at] in ("-e", "--env") and at + 1 < len(own) and own[at + 1].partition("=")[0] in names:
            at += 2
        elif own[at].startswith("--env=") and own[at].split("=")[1] in names:
            at += 1
        else:
            kept.append(own[at])
            at += 1
    return kept


def _sole(text: str) -> bool:
    """Whether a shell text is one command and nothing else, so that another command can take its place."""
    parsed = grammar.parse(text)
    statements = [node for node in parsed.root.named_children if node.type != "comment"]
    return len(statements) == 1 and statements[0].type in ("command", "redirected_statement") and not parsed.errors


def _edits(arrival: Arrival, argv: tuple[str, ...], inside: tuple[str, ...], secrets: tuple[str, ...]) -> tuple[str, ...]:
    """Which lines of scripts to change, in words."""
    scripts = [index for index, layer in enumerate(arrival.layers) if layer.kind in ("script", "python")]
    if not scripts or arrival.argv == argv == arrival.meant:
        return ()
    layer = arrival.layers[scripts[-1]]
    language = "python" if layer.kind == "python" else "shell"
    nested = any(one.kind in ("shell", "ssh") for one in arrival.layers[scripts[-1] + 1 :])
    if nested and arrival.argv != argv:
        where = next((word.source for word in arrival.words if word.source), layer.source)
        if all(one.kind not in ("ssh", "container") for one in arrival.layers[scripts[-1] + 1 :]):
            said = f"[{quote_for(language, argv)}], without shell=True" if language == "python" else quoted(argv, secrets)
            return (f"{_place(where)}: run it without the extra shell: `{said}`",)
        return (f"{_place(where)}: the command becomes `{quote_for(language, inside, secrets)}`",)
    return tuple(_changed(arrival, argv, language, secrets))


def _changed(arrival: Arrival, argv: tuple[str, ...], language: str, secrets: tuple[str, ...]) -> list[str]:
    edits = []
    words = arrival.words
    for tag, start, stop, new_start, new_stop in _blocks(arrival, argv):
        if tag == "equal":
            continue
        # A word that is replaced keeps its option in view, so that the line can be found.
        if start and words[start - 1].text.startswith("--") and (tag == "insert" or new_start == new_stop):
            start, new_start = start - 1, max(new_start - 1, 0)
        old = words[start:stop] or words[max(start - 1, 0) : start]
        new = quote_for(language, argv[new_start:new_stop], secrets)
        where = next((word.source for word in old if word.source), "")
        if not where:
            continue
        raws = _raws(old)
        if start == stop:
            edits.append(f"{_place(where)}: behind `{raws}` add `{new}`")
        elif new:
            edits.append(f"{_place(where)}: `{raws}` → `{new}`")
        else:
            edits.append(f"{_place(where)}: remove `{raws}`")
    return edits


_Block = tuple[str, int, int, int, int]


def _blocks(arrival: Arrival, argv: tuple[str, ...]) -> list[_Block]:
    """What changed, value by value: a block of several values is cut where the new words are what each was meant to be."""
    joined = {loss.position: tuple(shlex.split(loss.before)) for loss in arrival.losses if loss.kind == "joined"}
    found: list[_Block] = []
    for tag, start, stop, new_start, new_stop in difflib.SequenceMatcher(None, arrival.argv, argv, autojunk=False).get_opcodes():
        while tag == "replace" and start < stop:
            end = start + 1
            while end < stop and arrival.words[end].piece_of == start:
                end += 1
            meant = joined.get(start) or (arrival.words[start].meant or arrival.words[start].text,)
            new_end = new_start + len(meant)
            if argv[new_start:new_end] != meant or (end, new_end) >= (stop, new_stop):
                break
            found.append(("replace", start, end, new_start, new_end))
            start, new_start = end, new_end
        found.append((tag, start, stop, new_start, new_stop))
    return [one for one in found if one[1] < one[2] or one[3] < one[4]]


def _raws(words: tuple[Word, ...]) -> str:
    """The source text of words, each raw word once."""
    made: list[str] = []
    for word in words:
        raw = word.raw or word.text
        if not made or made[-1] != raw or word.text == raw:
            made.append(raw)
    return " ".join(made)


def _place(source: str) -> str:
    path, _, line = source.rpartition(":")
    return f"{path} line {line}" if path and line.isdigit() else source
