"""What earlier answers established about files, ports and programs, as the causes' repairs ask for it. Pure.

`Situation.data` maps a probe's name to the data of its latest finding; what is not there reads as not known.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from probes.probe import Situation


def known(situation: Situation, probe: str, name: str) -> Any:
    """The entry `name` of what `probe` found, or None."""
    data = situation.data.get(probe)
    return data.get(name) if isinstance(data, Mapping) else None


def near_path(situation: Situation, path: str) -> str:
    """A path of nearly that name which exists, as the probes of files found it (empty: none known)."""
    for probe in ("files", "config-file", "model-folder"):
        near = known(situation, probe, "near")
        if isinstance(near, Mapping):
            near = near.get(path)
        if isinstance(near, list | tuple):
            near = next(iter(near), None)
        if isinstance(near, str) and near and near != path:
            return near
    return ""


def text_of(situation: Situation, path: str) -> str | None:
    """The content of the file `path`, where a probe has read it."""
    for probe in ("config-file", "files"):
        data = situation.data.get(probe)
        if not isinstance(data, Mapping):
            continue
        for text in _texts(data, path):
            return text
    return None


def _texts(data: Mapping[str, Any], path: str) -> Iterable[str]:
    own = data.get("path") in (path, None)
    if isinstance(data.get("text"), str) and own:
        yield data["text"]
    inner = data.get(path)
    if isinstance(inner, str):
        yield inner
    if isinstance(inner, Mapping) and isinstance(inner.get("text"), str):
        yield inner["text"]


def meant_program(situation: Situation) -> str:
    """The absolute path of the executable that was meant, as the probe of executables found it (empty: not known)."""
    for name in ("meant", "near", "other"):
        found = known(situation, "executable", name)
        if isinstance(found, list | tuple):
            found = next(iter(found), None)
        if isinstance(found, str) and found:
            return found
    return ""
