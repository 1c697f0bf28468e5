"""Reading a manifest of any kind: which kind it is, what parts it has, and the launch that a part makes. Pure: the texts are given."""

import re

import msgspec

from probes.launches.arrival import Problem
from probes.launches.manifests import compose, dockerfile, faults, interpolation, kubernetes, systemd, yaml_text
from probes.launches.manifests.records import Manifest, Written
from probes.launches.manifests.yaml_text import Malformed
from transcripts.records import Launch, Layer, Origin

KINDS = ("compose", "kubernetes", "systemd", "dockerfile", "script")
_PARTS = {"compose": compose.parts, "kubernetes": kubernetes.parts, "systemd": systemd.parts, "dockerfile": dockerfile.parts}
_READ = {"compose": compose.read, "kubernetes": kubernetes.read, "systemd": systemd.read, "dockerfile": dockerfile.read}
_DOCKERFILE = re.compile(r"^\s*FROM\s+\S+", re.MULTILINE | re.IGNORECASE)
_UNIT = re.compile(r"^\[(?:Service|Unit)\]\s*$", re.MULTILINE)
_SERVICES = re.compile(r"^services\s*:", re.MULTILINE)
_RESOURCE = re.compile(r"^\s*(?:apiVersion|kind)\s*:", re.MULTILINE)
_SERVERS = re.compile(r"vllm|sglang|litellm")


def kind_of(path: str, text: str) -> str:
    """The kind of a manifest, told by its text before its name; empty where it is none that is known."""
    name = path.rpartition("/")[2].lower()
    if text.startswith("#!") or name.endswith((".sh", ".bash")):
        return "script"
    if name.endswith((".service", ".conf")) or _UNIT.search(text):
        return "systemd" if _UNIT.search(text) else ""
    if name.startswith(("dockerfile", "containerfile")) or name.endswith((".dockerfile", ".containerfile")):
        return "dockerfile"
    if _SERVICES.search(text) and not _RESOURCE.search(text):
        return "compose"
    if _RESOURCE.search(text):
        return "kubernetes"
    if _DOCKERFILE.search(text):
        return "dockerfile"
    if name.endswith((".yaml", ".yml")):
        return "compose" if "compose" in name else "kubernetes"
    return ""


def parts_of(kind: str, text: str) -> tuple[str, ...]:
    """The parts that a command can be read of: services, containers, stages.

    Raises:
        Malformed: the text cannot be read.
    """
    return _PARTS[kind](text) if kind in _PARTS else ()


def likely_part(kind: str, text: str, parts: tuple[str, ...]) -> str:
    """The part that is meant where none is named: the only one, the image, or the only one that speaks of a server (empty: not clear)."""
    if len(parts) == 1 or (parts and kind == "dockerfile"):
        return parts[0]
    serving = []
    for part in parts:
        manifest = read(msgspec.convert({"kind": kind, "path": "", "text": text, "part": part}, Origin)) if kind in _READ else None
        if manifest is not None and _SERVERS.search(" ".join((manifest.image, *manifest.argv))):
            serving.append(part)
    return serving[0] if len(serving) == 1 else ""


def read(origin: Origin) -> Manifest:
    """The command of the part that `origin` names; a text that is no YAML is a fault of the file, not an error."""
    try:
        return _READ[origin.kind](origin) if origin.kind in _READ else _script(origin)
    except Malformed as error:
        layer = Layer(kind="manifest", words=(origin.kind, origin.part), source=origin.path)
        fault = faults.refused(origin.path, error.line, error.message)
        return Manifest(layer=layer, part=origin.part, faults=(fault,), problems=(Problem(text=fault.text),), certain=False)


def _script(origin: Origin) -> Manifest:
    """A script is followed by the shell's reader; here it is only what is executed."""
    name = origin.path if "/" in origin.path else f"./{origin.path}"
    return Manifest(layer=Layer(kind="manifest", words=("script",), source=origin.path), words=(Written(text=name, raw=name),))


def launch_of(origin: Origin, target: str = "local") -> Launch:
    """The launch that the manifest makes. `Launch.secrets` names the variables whose values stand elsewhere."""
    manifest = read(origin)
    return Launch(argv=manifest.argv, env=manifest.env, cwd=manifest.cwd, target=target, secrets=manifest.hidden, origin=origin)


def named_files(kind: str, text: str, part: str) -> tuple[str, ...]:
    """The files beside the manifest that it takes variables from."""
    if kind == "systemd":
        return tuple(s.value.lstrip("-") for s in systemd.settings(text) if s.name == "EnvironmentFile" and s.value and "%" not in s.value)
    if kind != "compose":
        return ()
    try:
        roots = yaml_text.documents(text)
    except Malformed:
        return (".env",)
    files = yaml_text.at(roots[0], "services", part, "env_file") if roots else None
    named = [yaml_text.text_of(item) or yaml_text.text_of(yaml_text.at(item, "path")) for item in yaml_text.items(files)]
    return (".env", *filter(None, (*named, yaml_text.text_of(files))))


def named_variables(kind: str, text: str) -> tuple[str, ...]:
    """The variables of the place where the file is used that its text speaks of."""
    return interpolation.compose_names(text) if kind == "compose" else ()


def changed(origin: Origin, text: str) -> Origin:
    """The same part of another text of the file."""
    files = {name: text if before == origin.text else before for name, before in origin.files.items()} if origin.kind == "script" else origin.files
    return msgspec.structs.replace(origin, text=text, files=files)
