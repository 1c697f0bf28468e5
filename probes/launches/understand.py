"""From a launch to what arrives at the server program: every layer peeled, outermost first. Pure: files are given, nothing runs."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from msgspec import Struct

from probes.launches.arrival import Arrival, Loss, Problem
from probes.launches.layers.found import Found
from probes.launches.layers.peel import Peeler
from probes.launches.layers.programs import SHELLS
from probes.launches.manifests.reading import read
from probes.launches.meaning import meaning
from probes.launches.shell.records import Token
from probes.launches.shell.scope import Scope
from transcripts.records import Launch, Origin

FindEntry = Callable[[tuple[str, ...]], tuple[int, int] | None]


def understand(launch: Launch, *, files: Mapping[str, str | None], environment: Mapping[str, str], find_entry: FindEntry | None = None) -> Arrival:
    """Predict what arrives. `files` maps the paths that `needs` asked for to their text (None: could not be read).

    `environment` is that of the target; `find_entry(argv)` gives (index of the program word, index of its options) of a serving command, or None.
    """
    return _understood(_asked(launch, files, environment), find_entry)


class _Asked(Struct, frozen=True):
    """All that an arrival depends on, order included: it is asked for after every answer, and is mostly the same."""

    launch: Launch
    env: tuple[tuple[str, str], ...]
    files: tuple[tuple[str, str | None], ...]
    environment: tuple[tuple[str, str], ...]

    def __hash__(self) -> int:
        return hash((self.launch.argv, self.launch.shell, self.env, self.files, len(self.environment)))

    def followed(self, find_entry: FindEntry | None) -> tuple[Scope, Found | None]:
        """The launch followed through its layers."""
        return _followed(self.launch, dict(self.files), dict(self.environment), find_entry)


def _asked(launch: Launch, files: Mapping[str, str | None], environment: Mapping[str, str]) -> _Asked:
    return _Asked(launch, tuple(launch.env.items()), tuple(files.items()), tuple(environment.items()))


@lru_cache(maxsize=512)
def _understood(asked: _Asked, find_entry: FindEntry | None) -> Arrival:
    launch = asked.launch
    scope, found = asked.followed(find_entry)
    problems = list(scope.problems)
    unread = [path for path in scope.needed if path not in scope.optional]
    problems += [Problem(text=f"{path} was not read") for path in unread]
    if found is None:
        return Arrival(problems=tuple(problems) or (Problem(text="there is no command"),), certain=False)
    cut = _cut_off(found)
    made = meaning(found.tokens, found.gone, found.layers, cut, {**dict(asked.environment), **launch.env}, launch.secrets)
    inner = found.scope
    return Arrival(
        layers=tuple(found.layers),
        words=made.words,
        meant=made.meant,
        env=dict(inner.changed),
        unset=inner.removed,
        cwd=inner.cwd if inner.cwd != launch.cwd else None,
        losses=tuple(sorted((*made.losses, *_outer(found)), key=lambda loss: loss.position)),
        trailing=tuple(tuple(token.text for token in command) for command in found.trailing),
        problems=tuple(problems),
        certain=not scope.doubts and not unread and found.certain,
    )


def needs(launch: Launch, files: Mapping[str, str | None], environment: Mapping[str, str]) -> tuple[str, ...]:
    """The files (scripts, env files) that must be read next before the launch can be predicted; none when all are there."""
    return _needed(_asked(launch, files, environment))


@lru_cache(maxsize=512)
def _needed(asked: _Asked) -> tuple[str, ...]:
    scope, _ = asked.followed(None)
    return tuple(scope.needed)


def _followed(
    launch: Launch, files: Mapping[str, str | None], environment: Mapping[str, str], find_entry: FindEntry | None
) -> tuple[Scope, Found | None]:
    origin = launch.origin
    scope = Scope(
        "bash", files={**origin.files, **files} if origin else files, secrets=frozenset(launch.secrets), cwd=launch.cwd, known=bool(environment)
    )
    scope.variables = dict(environment)
    scope.inherited = dict(environment)
    scope.exported = set(environment)
    for name in launch.unset:
        scope.forget(name)
    for name, value in launch.env.items():
        scope.set(name, value, export=True)
    peeler = Peeler(find_entry)
    if launch.shell is not None:
        return scope, peeler.typed(launch.shell, scope)
    if origin is not None and origin.kind != "script":
        return scope, _from_manifest(origin, launch.argv, peeler, scope)
    tokens = [Token(word, "", "", word, -1) for word in launch.argv]
    return scope, peeler.command(tokens, scope) if tokens else None


def _from_manifest(origin: Origin, argv: tuple[str, ...], peeler: Peeler, scope: Scope) -> Found | None:
    """The command that a manifest makes, each word with its place in the file; a mended command only passes through its format."""
    manifest = read(origin)
    scope.problems += manifest.problems
    if manifest.argv != argv:
        tokens = [Token(word, "", "", word, -1) for word in argv]
        return peeler.peel(Found(tokens, scope, [manifest.layer], certain=manifest.certain), None) if tokens else None
    tokens, gone = [], []
    for number, word in enumerate(manifest.words):
        if word.gone:
            gone.append((len(tokens), word.raw, word.vanished))
            continue
        source = f"{origin.path}:{word.line}" if word.line else origin.path
        tokens.append(Token(word.text, word.raw, source, word.kept or word.text, number, "", 0, word.vanished))
    if not tokens:
        return None
    made = peeler.peel(Found(tokens, scope, [manifest.layer], gone=gone), None)
    if made is not None:
        made.certain = made.certain and manifest.certain
    return made


def _shell(launch: Launch) -> str:
    """The shell that a line as typed is read by: the one that is executed for it."""
    words = launch.argv if launch.shell is not None else ()
    name = words[0].rpartition("/")[2] if words[1:2] == ("-c",) else ""
    return name if name in SHELLS else "bash"


def _outer(found: Found) -> list[Loss]:
    """Variables that an outer shell expanded to nothing, put behind the word that stood before them in its text."""
    losses = []
    for layer, raw, names in found.outer:
        for name in names:
            before = re.search(rf"(\S+)[\s\"'\\]+\$\{{?{re.escape(name)}\b", raw)
            word = before[1].strip("\"'") if before else ""
            position = found.argv.index(word) + 1 if word in found.argv else len(found.argv)
            text = f"${name} is not set: it expands to nothing"
            losses.append(Loss(kind="dollar", layer=layer, before=f"${name}", after=(), position=position, text=text))
    return losses


def _cut_off(found: Found) -> list[Token]:
    """The words of the commands right behind it that begin with a dash: what a broken line end cut off."""
    cut: list[Token] = []
    for command in found.trailing:
        if not command[0].text.startswith(("-", "–", "—")) or not command[0].text.strip("-"):
            break
        cut += command
    return cut
