"""``--from FILE[#PART]``: the launch that stands in a file where people keep launches. The file is only read."""

import os
from pathlib import Path

from msgspec import convert, structs

from probes.launches.manifests.reading import KINDS, kind_of, launch_of, likely_part, named_files, named_variables, parts_of
from probes.launches.manifests.yaml_text import Malformed
from probes.launches.understand import needs
from transcripts.errors import UsageError
from transcripts.records import Launch, Origin

_LARGEST = 1_000_000
_ROUNDS = 8


def launch_from(given: str, target: str) -> Launch:
    """The launch of a file, or of one part of it (``compose.yaml#vllm``, ``pod.yaml#CONTAINER``, ``Dockerfile#STAGE``).

    Raises:
        UsageError: the file cannot be read, is of no kind that is known, or holds several commands and none is named.
    """
    path, part = _split(given)
    text = _text(path)
    kind = kind_of(path, text)
    if not kind:
        raise UsageError(f"--from {path}: it looks like no file that holds a launch; known are a {', a '.join(KINDS)} file")
    part = _part(path, kind, text, part)
    folder = Path(path).parent
    files = {name: _beside(folder, name) for name in named_files(kind, text, part)}
    environment = {name: os.environ[name] for name in named_variables(kind, text) if name in os.environ}
    origin = convert({"kind": kind, "path": path, "text": text, "part": part}, Origin)
    return _with_scripts(launch_of(structs.replace(origin, files=files, environment=environment), target), folder)


def _split(given: str) -> tuple[str, str]:
    path, separator, part = given.rpartition("#")
    return (path, part) if separator and not Path(given).exists() else (given, "")


def _part(path: str, kind: str, text: str, part: str) -> str:
    """The part that is meant.

    Raises:
        UsageError: it is not there, or not clear.
    """
    try:
        parts = parts_of(kind, text)
    except Malformed:
        return part
    if kind in ("script", "systemd"):
        if kind == "systemd" and not parts:
            raise UsageError(f"--from {path}: the unit has no ExecStart=")
        return parts[0] if parts else ""
    if not parts:
        raise UsageError(f"--from {path}: nothing in it runs a command ({kind})")
    if part and part not in parts:
        raise UsageError(f"--from {path}#{part}: there is no {part}; there are: {', '.join(parts)}")
    chosen = part or likely_part(kind, text, parts)
    if not chosen:
        raise UsageError(f"--from {path}: it holds several commands; name one: {', '.join(f'{path}#{name}' for name in parts)}")
    return chosen


def _with_scripts(launch: Launch, folder: Path) -> Launch:
    """The launch with the texts of the scripts that its command leads to, where they lie here."""
    origin = launch.origin
    if origin is None:
        return launch
    if origin.kind == "script":
        origin = structs.replace(origin, files={launch.argv[0]: origin.text})
    for _ in range(_ROUNDS):
        launch = structs.replace(launch, origin=origin)
        wanted = [path for path in needs(launch, {}, launch.env) if path not in origin.files]
        if not wanted:
            break
        origin = structs.replace(origin, files={**origin.files, **{path: _beside(folder, path) for path in wanted}})
    return launch


def _beside(folder: Path, name: str) -> str | None:
    try:
        with (folder / name).open("rb") as file:
            return file.read(_LARGEST).decode("utf-8", "replace")
    except (OSError, ValueError):
        return None


def _text(path: str) -> str:
    """The text of the file.

    Raises:
        UsageError: it cannot be read, or is no text.
    """
    try:
        with open(path, "rb") as file:
            data = file.read(_LARGEST + 1)
    except (OSError, ValueError) as error:
        raise UsageError(f"--from {path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if len(data) > _LARGEST or b"\0" in data:
        raise UsageError(f"--from {path}: this is no text file of a launch")
    return data.decode("utf-8", "replace")
