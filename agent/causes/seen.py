"""What earlier answers established about files, ports and programs, as the causes' repairs ask for it. Pure.

`Situation.data` maps a probe's name to the data of its latest finding; what is not there reads as not known.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from rapidfuzz import fuzz, process

from probes.probe import Situation

_NEAR, _SURE = 75.0, 85.0
"""How alike two names must be, in per cent: of the same kind (suffix), or at all."""


def known(situation: Situation, probe: str, name: str) -> Any:
    """The entry `name` of what `probe` found, or None."""
    data = situation.data.get(probe)
    return data.get(name) if isinstance(data, Mapping) else None


def near_path(situation: Situation, path: str) -> str:
    """A path of nearly that name which exists, as the probes of files and models found it (empty: none known)."""
    folder, _, name = path.rstrip("/").rpartition("/")
    for probe in ("files", "model-folder", "config-file"):
        looked, nearest = known(situation, probe, "path"), known(situation, probe, "nearest")
        beside = known(situation, probe, "neighbours") or known(situation, probe, "near")
        if not name or not isinstance(looked, str) or not isinstance(beside, list) or not looked.endswith("/" + name):
            continue
        if nearest != looked.rpartition("/")[0]:
            continue
        # Another number is another version or size: never what was meant.
        others = [str(other) for other in beside if other != name and _numbers(str(other)) == _numbers(name)]
        found = process.extractOne(name, others, scorer=fuzz.ratio, score_cutoff=_NEAR)
        if found and (found[0].rpartition(".")[2] == name.rpartition(".")[2] or found[1] > _SURE):
            return f"{folder}/{found[0]}" if "/" in path else str(found[0])
    return ""


def _numbers(name: str) -> list[str]:
    return re.findall(r"\d+", name)


def model_below(situation: Situation, model: str) -> str:
    """The one model that lies in a folder below the one that was named (empty: none, or several)."""
    below = known(situation, "model-folder", "below")
    if not isinstance(below, list) or len(below) != 1:
        return ""
    inner = str(below[0])
    return inner if inner.startswith("/") else f"{model.rstrip('/')}/{inner}"


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
    """An executable that serves in place of the one that is not there: of nearly that name, or another that holds a framework (empty: not known)."""
    near = known(situation, "executable", "near")
    if isinstance(near, list) and near and isinstance(near[0], str):
        return near[0]
    others = known(situation, "executable", "others")
    for other in others if isinstance(others, list) else ():
        if isinstance(other, Mapping) and other.get("releases") and other.get("executable", True):
            return str(other.get("path", ""))
    return ""
