"""A docker compose file: the command of one service as the runtime executes it.

compose fills ``$NAME`` in from the shell it is called in and from ``.env`` (never from the service's own ``environment``), splits a text into
words as a shell would without expanding anything, and has no shell read it. The image's entrypoint stands before the words.
"""

from msgspec import structs

from probes.launches.arrival import Problem
from probes.launches.manifests import faults, interpolation, yaml_text, yaml_words
from probes.launches.manifests.images import entrypoint_of, repeated
from probes.launches.manifests.interpolation import Filled
from probes.launches.manifests.records import Manifest, Section, Written
from probes.launches.manifests.yaml_text import Node
from probes.launches.manifests.yaml_words import Field, Read
from transcripts.records import Fault, Layer, Origin

READER = "docker compose"


def parts(text: str) -> tuple[str, ...]:
    """The names of the services.

    Raises:
        Malformed: the text is no YAML.
    """
    return tuple(key.value for root in yaml_text.documents(text)[:1] for key, _ in yaml_text.entries(yaml_text.at(root, "services")))


def read(origin: Origin) -> Manifest:
    """The command of the service `origin.part`.

    Raises:
        Malformed: the text is no YAML.
    """
    roots = yaml_text.documents(origin.text)
    service = yaml_text.at(roots[0], "services", origin.part) if roots else None
    layer = Layer(kind="manifest", words=(READER, origin.part), source=origin.path)
    if service is None:
        return Manifest(layer=layer, part=origin.part, problems=(Problem(text=f"{origin.path} has no service {origin.part}"),), certain=False)
    environment = {**_dotenv(origin.files.get(".env") or ""), **origin.environment}

    def fill(text: str) -> Filled:
        return interpolation.compose(text, environment)

    image = fill(yaml_text.text_of(yaml_text.at(service, "image"))).text
    own = _field(origin, service, "entrypoint", fill, 0)
    command = _field(origin, service, "command", fill, len(own.words) if own else 0)
    env, places = _environment(origin, service, fill)
    problems: list[Problem] = []
    outer: tuple[str, ...] = ()
    if own is None:
        entrypoint = entrypoint_of(image, command.words[0].text if command and command.words else "-")
        outer = entrypoint.words
        if not entrypoint.known and image:
            problems.append(Problem(text=f"the entrypoint of the image {image} is not known: its words stand before the command's"))
        if not image:
            problems.append(Problem(text="the image is built here: the entrypoint of its Dockerfile stands before the command", source=origin.path))
    read_ = tuple(one for one in (own, command) if one is not None)
    words = (*(Written(text=word) for word in outer), *(word for one in read_ for word in one.words))
    sections = tuple(structs.replace(s, first=s.first + len(outer)) for one in read_ for s in one.sections)
    found = [*(fault for one in read_ for fault in one.faults), *_of_words(words, len(outer))]
    cwd = yaml_text.at(service, "working_dir")
    return Manifest(
        layer=structs.replace(layer, words=(READER, origin.part, image or "an image that is built here")),
        part=origin.part,
        words=words,
        sections=sections,
        entrypoint=len(outer),
        image=image,
        env=env,
        variables=places,
        cwd=fill(yaml_text.text_of(cwd)).text if cwd is not None else None,
        faults=tuple(found),
        problems=tuple(problems),
        notes=_notes(sections),
        variants=_variants(origin, sections, outer),
        certain=not problems,
    )


def _notes(sections: tuple[Section, ...]) -> tuple[str, ...]:
    split = any(section.form == "text" for section in sections)
    how = "the text is split into words, its quotes removed" if split else "each item of the list is one word"
    return (f"{how}, and no shell reads it", "compose fills $NAME in from where it is called, never from environment:; a literal $ is written $$")


def _field(origin: Origin, service: Node, name: str, fill: yaml_words.Fill, first: int) -> Read | None:
    found = yaml_text.entry(service, name)
    if found is None:
        return None
    key, value = found
    return yaml_words.read(Field(text=origin.text, path=origin.path, name=name, key=key, value=value, fill=fill, splits=True, reader=READER), first)


def _of_words(words: tuple[Written, ...], outer: int) -> list[Fault]:
    texts = tuple(word.text for word in words)
    return [*entrypoint_faults(texts[:outer], texts[outer:]), *shell_faults(texts, READER)]


def entrypoint_faults(outer: tuple[str, ...], inner: tuple[str, ...]) -> list[Fault]:
    """Words of the command that the image's entrypoint says already, or a shell that it takes for its arguments."""
    count = repeated(outer, inner) if outer else 0
    shell = bool(outer) and inner[:1] in (("bash",), ("sh",), ("/bin/bash",), ("/bin/sh",))
    if not count and not shell:
        return []
    said, again = " ".join(outer), " ".join(inner[: count or 2])
    text = f"the image begins with {said}, and the command goes on with {again}: together {said} {again} …"
    return [faults.manifest("entrypoint-repeated", text, value=again, index=str(len(outer)), length=str(count))]


def shell_faults(words: tuple[str, ...], reader: str) -> list[Fault]:
    """Shell syntax among words that no shell reads."""
    operator = faults.first_operator(words)
    return [faults.no_shell(operator, reader)] if operator else []


def _environment(origin: Origin, service: Node, fill: yaml_words.Fill) -> tuple[dict[str, str], dict[str, tuple[int, int]]]:
    """What the service sets, its env files first."""
    env: dict[str, str] = {}
    places: dict[str, tuple[int, int]] = {}
    files = yaml_text.at(service, "env_file")
    for item in yaml_text.items(files) or ((files,) if files is not None else ()):
        name = yaml_text.text_of(item) or yaml_text.text_of(yaml_text.at(item, "path"))
        env |= _dotenv(origin.files.get(name) or "")
    given = yaml_text.at(service, "environment")
    for item in yaml_text.items(given):
        name, equals, value = yaml_text.text_of(item).partition("=")
        if equals:
            env[name], places[name] = fill(value).text, yaml_text.span_of(item, origin.text)
    for key, node in yaml_text.entries(given):
        if yaml_text.kind_of(node) != "null":
            env[key.value], places[key.value] = fill(yaml_text.text_of(node)).text, yaml_text.span_of(node, origin.text)
    return env, places


def _dotenv(text: str) -> dict[str, str]:
    """The variables of an env file as compose reads it: quotes around a whole value are removed."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        if not equals or name.startswith("#"):
            continue
        value = value.strip()
        if len(value) > 1 and value[0] in "'\"" and value[-1] == value[0]:
            value = value[1:-1]
        found[name.strip()] = value
    return found


def _variants(origin: Origin, sections: tuple[Section, ...], outer: tuple[str, ...]) -> tuple[str, ...]:
    """The file with ``command`` called ``entrypoint``: it then replaces the image's words instead of following them."""
    if not outer or len(sections) != 1:
        return ()
    start, stop = sections[0].key
    return (origin.text[:start] + "entrypoint" + origin.text[stop:],)
