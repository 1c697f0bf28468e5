"""Layers that lead to another place: ``ssh``, containers, pods."""

from probes.launches.layers.containers import Container, split_container
from probes.launches.layers.found import Found, Peel
from probes.launches.layers.programs import SHELLS, base_name, is_python
from probes.launches.layers.wrappers import WRAPPERS, split_pod, split_ssh
from probes.launches.shell.follow import Follower
from probes.launches.shell.records import Token
from probes.launches.shell.scope import Scope
from transcripts.records import Layer


def peel_ssh(peel: Peel, found: Found, stdin: str | None) -> Found | None:
    """``ssh host words``: the words, joined, are a text for the shell there; without any, it reads its input."""
    argv = found.argv
    at = split_ssh(argv)
    if at is None or (at >= len(argv) and stdin is None):
        return found
    text = " ".join(argv[at:]) or (stdin or "")
    remote = found.scope.elsewhere(found.source)
    layer = Layer(kind="ssh", words=argv[:at], text=text, shell=remote.shell, source=found.source)
    followed = Follower(remote).follow(text)
    for ran in followed:
        ran.stdin = ran.stdin if ran.stdin is not None or at >= len(argv) else stdin
    made = peel.chosen(followed, [*found.layers, layer])
    if made is None:
        return found
    made.carry(found.tokens[at:])
    return made


def peel_pod(peel: Peel, found: Found, stdin: str | None) -> Found | None:
    """``kubectl exec`` and the like."""
    at = split_pod(found.argv)
    if at is None:
        return found
    layer = Layer(kind="container", words=found.argv[:at], source=found.source)
    return peel.peel(found.under(layer, at, found.scope.elsewhere(found.source)), stdin)


def peel_container(peel: Peel, found: Found) -> Found | None:
    """``docker run`` or ``exec``."""
    container = split_container(found.argv)
    if container is None:
        return found
    scope = _inside(container, found)
    layer = Layer(kind="container", words=found.argv[: container.inner], source=found.source)
    inner = found.under(layer, container.inner, scope)
    image = found.tokens[container.inner - 1]
    if container.verb == "exec":
        return peel.peel(inner, None) or found
    if container.entrypoint:
        word = container.entrypoint
        inner.tokens = [Token(word, word, image.source, word, layer=image.layer), *inner.tokens]
        return peel.peel(inner, None)
    inner.certain = False
    scope.problem(f"the entrypoint of the image {container.image} is not known: its own words stand before these", image.source)
    if inner.tokens and _is_program(peel, inner.argv):
        made = peel.peel(inner, None)
        if made is not None:
            made.certain = False
        return made
    # The image's name stands for the program that its entrypoint starts.
    inner.tokens = [image, *inner.tokens]
    inner.gone = [(index + 1, raw, names) for index, raw, names in inner.gone]
    inner.entry = peel.is_entry(inner.argv)
    return inner


def _is_program(peel: Peel, argv: tuple[str, ...]) -> bool:
    """Whether words behind an image begin with a program of their own."""
    name = base_name(argv[0])
    return peel.is_entry(argv) or name in SHELLS or name in WRAPPERS or name == "env" or is_python(name)


def _inside(container: Container, found: Found) -> Scope:
    """What a program in the container starts with."""
    outer, scope = found.scope, found.scope.elsewhere(found.source)
    for path in container.env_files:
        for name, value in _env_file(outer.read(path) or "").items():
            scope.set(name, value, export=True)
    for assignment in container.env:
        name, equals, value = assignment.partition("=")
        given = value if equals else outer.variables.get(name)
        if given is not None:
            scope.set(name, given, export=True)
    scope.cwd = container.workdir
    return scope


def _env_file(text: str) -> dict[str, str]:
    """The variables of a ``docker --env-file``: everything behind the ``=`` is the value, quotes included."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        name, equals, value = line.strip("\r").lstrip().partition("=")
        if equals and name and not name.startswith("#"):
            found[name] = value
    return found
