"""A Kubernetes manifest: the command of one container as the kubelet has it executed.

``command`` replaces the image's entrypoint and ``args`` its command; both are lists of text, and no shell reads them. ``$(NAME)`` is filled in
from the container's own variables; ``$NAME`` is left as it is.
"""

import re
from collections.abc import Iterator

from msgspec import Struct, structs

from probes.launches.arrival import Problem
from probes.launches.manifests import faults, interpolation, yaml_text, yaml_words
from probes.launches.manifests.compose import entrypoint_faults, shell_faults
from probes.launches.manifests.images import entrypoint_of
from probes.launches.manifests.interpolation import Filled
from probes.launches.manifests.records import Manifest, Section, Written
from probes.launches.manifests.yaml_text import Node
from probes.launches.manifests.yaml_words import Field, Read
from transcripts.records import Fault, Layer, Origin

READER = "Kubernetes"
_LITERAL = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))")
_PODS = (("spec",), ("spec", "template", "spec"), ("spec", "jobTemplate", "spec", "template", "spec"))
_SPACED = re.compile(r"[^a-z0-9]+")


class _Container(Struct, frozen=True):
    name: str
    node: Node
    pod: Node


class _Environment(Struct, frozen=True, kw_only=True):
    env: dict[str, str]
    hidden: set[str]
    places: dict[str, tuple[int, int]]
    faults: list[Fault]
    repairs: list[tuple[int, int, str]]


def parts(text: str) -> tuple[str, ...]:
    """The names of the containers, those of several pods as ``POD/CONTAINER`` where a name comes twice.

    Raises:
        Malformed: the text is no YAML.
    """
    return tuple(container.name for container in _containers(yaml_text.documents(text)))


def _containers(roots: tuple[Node, ...]) -> list[_Container]:
    plain: list[tuple[str, str, Node, Node]] = []
    for root in _resources(roots):
        owner = yaml_text.text_of(yaml_text.at(root, "metadata", "name"))
        for path in _PODS:
            pod = yaml_text.at(root, *path)
            nodes = yaml_text.items(yaml_text.at(pod, "containers"))
            plain += [(owner, yaml_text.text_of(yaml_text.at(node, "name")), node, pod) for node in nodes if pod is not None]
    names = [name for _, name, _, _ in plain]
    return [_Container(f"{owner}/{name}" if names.count(name) > 1 else name, node, pod) for owner, name, node, pod in plain]


def _resources(roots: tuple[Node, ...]) -> Iterator[Node]:
    """The resources of all documents, those of a List one by one."""
    for root in roots:
        if yaml_text.text_of(yaml_text.at(root, "kind")).endswith("List"):
            yield from yaml_text.items(yaml_text.at(root, "items"))
        else:
            yield root


def read(origin: Origin) -> Manifest:
    """The command of the container `origin.part`.

    Raises:
        Malformed: the text is no YAML.
    """
    roots = yaml_text.documents(origin.text)
    container = next((one for one in _containers(roots) if one.name == origin.part), None)
    layer = Layer(kind="manifest", words=(READER, origin.part), source=origin.path)
    if container is None:
        return Manifest(layer=layer, part=origin.part, problems=(Problem(text=f"{origin.path} has no container {origin.part}"),), certain=False)
    own_env = _environment(origin, container.node)
    env, hidden, found = own_env.env, own_env.hidden, own_env.faults
    injected = _services(roots, container.pod)
    used: list[str] = []

    def value_of(name: str) -> str | None:
        if name in hidden:
            used.append(name)
            return "$" + name
        return env.get(name)

    def fill(text: str) -> Filled:
        return Filled(interpolation.pod(text, value_of))

    image = yaml_text.text_of(yaml_text.at(container.node, "image"))
    command = _field(origin, container.node, "command", fill, 0)
    args = _field(origin, container.node, "args", fill, len(command.words) if command else 0)
    problems: list[Problem] = []
    outer: tuple[str, ...] = ()
    if command is None:
        entrypoint = entrypoint_of(image, args.words[0].text if args and args.words else "-")
        outer = entrypoint.words
        if not entrypoint.known:
            problems.append(Problem(text=f"the entrypoint of the image {image} is not known: its words stand before those of args"))
    read_ = tuple(one for one in (command, args) if one is not None)
    own = tuple(_respelt(word, {*env, *hidden}) for one in read_ for word in one.words)
    words = (*(Written(text=word) for word in outer), *own)
    sections = tuple(structs.replace(s, first=s.first + len(outer)) for one in read_ for s in one.sections)
    texts = tuple(word.text for word in words)
    found += [fault for one in read_ for fault in one.faults]
    found += [*entrypoint_faults(outer, texts[len(outer) :]), *shell_faults(texts, READER)]
    cwd = yaml_text.at(container.node, "workingDir")
    return Manifest(
        layer=structs.replace(layer, words=(READER, origin.part, image)),
        part=origin.part,
        words=words,
        sections=sections,
        entrypoint=len(outer),
        image=image,
        env={**injected, **env},
        hidden=tuple(dict.fromkeys(used)),
        variables=own_env.places,
        repairs=tuple(own_env.repairs),
        cwd=yaml_text.text_of(cwd) if cwd is not None else None,
        faults=tuple(found),
        problems=tuple(problems),
        notes=("each item of command and args is one word, and no shell reads it", "$(NAME) is filled in from env; $NAME is left as it is"),
        variants=_variants(origin, container, sections, outer, injected),
        certain=not problems,
    )


def _field(origin: Origin, node: Node, name: str, fill: yaml_words.Fill, first: int) -> Read | None:
    found = yaml_text.entry(node, name)
    if found is None or (not yaml_text.items(found[1]) and yaml_text.kind_of(found[1]) in ("list", "null")):
        return None
    key, value = found
    return yaml_words.read(Field(text=origin.text, path=origin.path, name=name, key=key, value=value, fill=fill, splits=False, reader=READER), first)


def _respelt(word: Written, names: set[str]) -> Written:
    """A word with ``$NAME`` of a variable that the container has is to be written ``$(NAME)``."""
    told = [match[1] or match[2] for match in _LITERAL.finditer(word.raw)]
    return structs.replace(word, wrong=True) if told and all(name in names for name in told) else word


def _environment(origin: Origin, node: Node) -> _Environment:
    """The container's variables: values, names whose values stand elsewhere, places, and values that are no text."""
    env: dict[str, str] = {}
    hidden: set[str] = set()
    places: dict[str, tuple[int, int]] = {}
    found: list[Fault] = []
    repairs: list[tuple[int, int, str]] = []
    for item in yaml_text.items(yaml_text.at(node, "env")):
        name, value = yaml_text.text_of(yaml_text.at(item, "name")), yaml_text.at(item, "value")
        if value is None:
            hidden.add(name)
            continue
        places[name] = yaml_text.span_of(value, origin.text)
        raw = origin.text[slice(*places[name])]
        kind = yaml_text.kind_of(value)
        if kind not in ("text", "null"):
            found.append(faults.wrong_type(origin.path, yaml_text.line_of(value), name, raw, kind))
            repairs.append((*places[name], yaml_text.scalar(raw, '"')))
            env[name] = raw
            continue
        env[name] = interpolation.pod(yaml_text.text_of(value), env.get)
    return _Environment(env=env, hidden=hidden, places=places, faults=found, repairs=repairs)


def _services(roots: tuple[Node, ...], pod: Node) -> dict[str, str]:
    """The variables that a Service in the same file sets in every pod that starts after it."""
    links = yaml_text.at(pod, "enableServiceLinks")
    if links is not None and yaml_text.text_of(links).lower() == "false":
        return {}
    env: dict[str, str] = {}
    for root in _resources(roots):
        if yaml_text.text_of(yaml_text.at(root, "kind")) != "Service" or yaml_text.text_of(yaml_text.at(root, "spec", "clusterIP")) == "None":
            continue
        name = _SPACED.sub("_", yaml_text.text_of(yaml_text.at(root, "metadata", "name")).lower()).upper()
        ports = yaml_text.items(yaml_text.at(root, "spec", "ports"))
        port = yaml_text.text_of(yaml_text.at(ports[0], "port")) if ports else ""
        if name and port:
            env |= {f"{name}_SERVICE_HOST": "10.96.0.1", f"{name}_SERVICE_PORT": port, f"{name}_PORT": f"tcp://10.96.0.1:{port}"}
    return env


def _variants(
    origin: Origin, container: _Container, sections: tuple[Section, ...], outer: tuple[str, ...], injected: dict[str, str]
) -> tuple[str, ...]:
    """The file with ``args`` called ``command``, and with the variables of Services kept out of the pod."""
    texts: list[str] = []
    if outer and len(sections) == 1:
        start, stop = sections[0].key
        texts.append(origin.text[:start] + "command" + origin.text[stop:])
    if "VLLM_PORT" in injected:
        first = next(yaml_text.entries(container.pod), None)
        if first is not None:
            at, column = first[0].start_mark.index, int(first[0].start_mark.column)
            texts.append(f"{origin.text[:at]}enableServiceLinks: false\n{' ' * column}{origin.text[at:]}")
    return tuple(texts)
