"""A Dockerfile: what a container of the image executes, ENTRYPOINT and CMD joined.

The exec form (a JSON list) is executed as it stands, no shell reads it; the shell form is one text for ``/bin/sh -c``. A CMD follows an ENTRYPOINT in
exec form; behind one in shell form it is thrown away. A list that is no JSON is read as the shell form.
"""

import io
import json
import shlex

from dockerfile_parse import DockerfileParser
from msgspec import Struct, field, structs

from probes.launches.arrival import Problem
from probes.launches.manifests import faults, yaml_text
from probes.launches.manifests.compose import entrypoint_faults, shell_faults
from probes.launches.manifests.images import entrypoint_of
from probes.launches.manifests.records import Manifest, Section, Written
from transcripts.records import Fault, Layer, Origin

READER = "Docker"
_SHELL = ("/bin/sh", "-c")


class Instruction(Struct, frozen=True):
    """One instruction: its name, its value with continued lines joined (of the same length as in the file), line, and the span of the value."""

    name: str
    value: str
    line: int
    start: int
    stop: int


class _Stage(Struct, frozen=True, kw_only=True):
    """What a stage holds in the end. `entrypoint` and `command` are None where it says nothing of its own."""

    name: str
    base: str
    entrypoint: Instruction | None = None
    command: Instruction | None = None
    shell: tuple[str, ...] = _SHELL
    env: dict[str, str] = field(default_factory=dict)
    cwd: str | None = None


def instructions(text: str) -> tuple[Instruction, ...]:
    """The instructions of a Dockerfile, in order."""
    parser = DockerfileParser(fileobj=io.StringIO(text), build_args={}, env_replace=False)
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found: list[Instruction] = []
    for one in parser.structure:
        name, content, first = str(one["instruction"]), str(one["content"]), int(one["startline"])
        if name == "COMMENT":
            continue
        body = content.lstrip()
        rest = body[len(name) :]
        start = starts[first] + len(content) - len(body) + len(name) + len(rest) - len(rest.lstrip())
        value = rest.strip()
        plain = value.replace("\\\r\n", "   ").replace("\\\n", "  ")
        found.append(Instruction(name.upper(), plain, first + 1, start, start + len(value)))
    return tuple(found)


def parts(text: str) -> tuple[str, ...]:
    """The names of the stages (numbers where they have none), the last first: that is the image."""
    return tuple(stage.name for stage in reversed(_stages(text)))


def _stages(text: str) -> list[_Stage]:
    stages: list[_Stage] = []
    arguments: dict[str, str] = {}
    for one in instructions(text):
        if one.name == "ARG" and not stages:
            name, _, value = one.value.partition("=")
            arguments[name.strip()] = value.strip()
        elif one.name == "FROM":
            stages.append(_begun(one.value, stages, arguments))
        elif stages:
            stages[-1] = _after(stages[-1], one)
    return stages


def _begun(value: str, stages: list[_Stage], arguments: dict[str, str]) -> _Stage:
    words = [word for word in value.split() if not word.startswith("--")]
    base = words[0] if words else ""
    for name, text in arguments.items():
        base = base.replace(f"${{{name}}}", text).replace(f"${name}", text)
    name = words[2] if len(words) > 2 and words[1].upper() == "AS" else str(len(stages))
    before = next((stage for stage in stages if stage.name == base), None)
    return structs.replace(before, name=name) if before else _Stage(name=name, base=base)


def _after(stage: _Stage, one: Instruction) -> _Stage:
    match one.name:
        case "ENTRYPOINT":
            return structs.replace(stage, entrypoint=one)
        case "CMD":
            return structs.replace(stage, command=one)
        case "SHELL":
            return structs.replace(stage, shell=exec_form(one) or stage.shell)
        case "ENV":
            return structs.replace(stage, env={**stage.env, **_assigned(one.value)})
        case "WORKDIR":
            return structs.replace(stage, cwd=one.value)
    return stage


def _assigned(value: str) -> dict[str, str]:
    try:
        words = shlex.split(value)
    except ValueError:
        return {}
    if words and "=" not in words[0]:
        return {words[0]: value.partition(words[0])[2].strip()}
    return {name: text for name, equals, text in (word.partition("=") for word in words) if equals}


def exec_form(one: Instruction) -> tuple[str, ...] | None:
    """The words of an instruction in exec form; None where it is the shell form."""
    try:
        value = json.loads(one.value)
    except ValueError:
        return None
    return tuple(value) if isinstance(value, list) and all(isinstance(word, str) for word in value) else None


def read(origin: Origin) -> Manifest:
    """What a container of the stage `origin.part` executes."""
    stage = next((stage for stage in reversed(_stages(origin.text)) if stage.name == origin.part), None)
    layer = Layer(kind="manifest", words=(READER, origin.part), source=origin.path)
    if stage is None:
        return Manifest(layer=layer, part=origin.part, problems=(Problem(text=f"{origin.path} has no stage {origin.part}"),), certain=False)
    made = _Command(origin, stage)
    texts = tuple(word.text for word in made.words)
    known = bool(made.outer) or stage.entrypoint is not None or made.known
    problems = () if known else (Problem(text=f"the entrypoint of the base image {stage.base} is not known: its words stand before those of CMD"),)
    return Manifest(
        layer=structs.replace(layer, words=(READER, origin.part, stage.base)),
        part=origin.part,
        words=made.words,
        sections=tuple(made.sections),
        entrypoint=len(made.outer),
        image=stage.base,
        env=stage.env,
        cwd=stage.cwd,
        faults=(*made.faults, *([] if made.shell else shell_faults(texts, READER))),
        problems=problems,
        notes=("the exec form is executed word by word, no shell reads it", "the shell form is one text for /bin/sh -c"),
        variants=tuple(made.variants),
        certain=not problems,
    )


class _Command:
    """ENTRYPOINT and CMD of a stage, joined as Docker does."""

    def __init__(self, origin: Origin, stage: _Stage) -> None:
        self.origin, self.stage = origin, stage
        self.words: tuple[Written, ...] = ()
        self.sections: list[Section] = []
        self.faults: list[Fault] = []
        self.variants: list[str] = []
        self.outer: tuple[str, ...] = ()
        self.known = True
        self.shell = False
        self._join()

    def _join(self) -> None:
        entrypoint, command = self.stage.entrypoint, self.stage.command
        if entrypoint is None:
            first = (exec_form(command) or ("sh",))[0] if command else "-"
            found = entrypoint_of(self.stage.base, first)
            self.outer, self.known = found.words, found.known
            self.words = tuple(Written(text=word) for word in self.outer)
            if command is not None:
                self._add(command)
                own = tuple(word.text for word in self.words[len(self.outer) :])
                self.faults += entrypoint_faults(self.outer, own)
                self._moved(command)
            return
        self._add(entrypoint)
        if command is None:
            return
        if exec_form(entrypoint) is None:
            self._ignored(entrypoint, command)
        else:
            self._behind(command)

    def _add(self, one: Instruction) -> None:
        words = exec_form(one)
        if words is None:
            self._shell_form(one)
            return
        nodes = yaml_text.items(yaml_text.documents(one.value)[0])
        made = []
        for word, node in zip(words, nodes, strict=True):
            start, stop = yaml_text.span_of(node, one.value)
            line = one.line + self.origin.text.count("\n", one.start, one.start + start)
            made.append(Written(text=word, raw=one.value[start:stop], line=line, start=one.start + start, stop=one.start + stop))
        self.sections.append(Section(form="json", start=one.start, stop=one.stop, first=len(self.words), count=len(made)))
        self.words = (*self.words, *made)

    def _shell_form(self, one: Instruction) -> None:
        if one.value.startswith("["):
            self._no_json(one)
            return
        self.shell = True
        made = [Written(text=word, raw=word, line=one.line) for word in self.stage.shell]
        made.append(Written(text=one.value, raw=one.value, kept=one.value, line=one.line, start=one.start, stop=one.stop))
        self.sections.append(Section(form="word", start=one.start, stop=one.stop, first=len(self.words) + len(made) - 1, count=1))
        self.words = (*self.words, *made)

    def _no_json(self, one: Instruction) -> None:
        """A list that a shell reads, since it is no JSON: the words are those that were meant, where they can be made out."""
        message = f"the list of {one.name} is no JSON (strings stand in double quotes), so a shell reads it"
        self.faults.append(faults.refused(self.origin.path, one.line, message, one.name))
        words = _listed(one.value)
        meant = [Written(text=word, raw=word, line=one.line, wrong=True) for word in words or [one.value]]
        repaired = json.dumps(words, ensure_ascii=False) if words else None
        section = Section(form="json", start=one.start, stop=one.stop, first=len(self.words), count=len(meant), repaired=repaired)
        self.sections.append(section)
        self.words = (*self.words, *meant)

    def _ignored(self, entrypoint: Instruction, command: Instruction) -> None:
        """An ENTRYPOINT in shell form, whose shell takes no words."""
        value = " ".join(exec_form(command) or (command.value,))
        text = f"ENTRYPOINT in line {entrypoint.line} is in shell form: CMD ({value}) is thrown away"
        self.faults.append(faults.manifest("entrypoint-ignores", text, value=value, words=json.dumps(_words(command))))
        self.variants.append(_as_list(self.origin.text, (entrypoint, command)))

    def _behind(self, command: Instruction) -> None:
        if exec_form(command) is not None:
            self._add(command)
            return
        before = len(self.words)
        self._add(command)
        text = f"CMD in line {command.line} is in shell form: the entrypoint receives {' '.join(self.stage.shell)} and the text as its words"
        index, length = str(before), str(len(self.words) - before)
        words = json.dumps(_words(command))
        self.faults.append(faults.manifest("entrypoint-ignores", text, value=command.value, words=words, index=index, length=length))
        self.variants.append(_as_list(self.origin.text, (command,)))

    def _moved(self, command: Instruction) -> None:
        """CMD called ENTRYPOINT: it then replaces the words of the base image."""
        at = self.origin.text.rfind("CMD", 0, command.start)
        if self.outer and at >= 0:
            self.variants.append(self.origin.text[:at] + "ENTRYPOINT" + self.origin.text[at + 3 :])


def _words(one: Instruction) -> list[str]:
    found = exec_form(one)
    if found is not None:
        return list(found)
    try:
        return shlex.split(one.value)
    except ValueError:
        return one.value.split()


def _as_list(text: str, several: tuple[Instruction, ...]) -> str:
    """The file with these instructions in exec form."""
    for one in sorted(several, key=lambda one: -one.start):
        if exec_form(one) is None:
            words = _words(one)
            words = words[1:] if words[:1] == ["exec"] else words
            text = text[: one.start] + json.dumps(words, ensure_ascii=False) + text[one.stop :]
    return text


def _listed(value: str) -> list[str] | None:
    """The words of a list that was meant to be JSON; None where they cannot be made out."""
    try:
        root = yaml_text.documents(value)
    except yaml_text.Malformed:
        return None
    nodes = yaml_text.items(root[0]) if root else ()
    words = [yaml_text.text_of(node) for node in nodes]
    return words if words and all(words) else None
