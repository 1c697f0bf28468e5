"""A release's sources as a folder to read the flags from: every source is there by name, but only those that are read have their text.

The reader of sources follows imports, so what it will want is known only from what it has read; it is run again until it has read nothing that was
an empty stand-in. What was fetched is kept in one small zip a release, from which the flags can be read again without the index.
"""

import json
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from probes.atlas.building.archives import Archive
from probes.atlas.building.settings import RegistryError

_NAMES = "names.json"
_ROUNDS = 60
_FIRST = ("{p}/__init__.py", "{p}/version.py", "{p}/_version.py")

Extract = Callable[[str], Mapping[str, Any]]
"""Reads the flags of the tree in a folder: a document whose ``files`` are the paths that it read."""


def kept_sources(path: Path) -> tuple[dict[str, bytes], dict[str, int]]:
    """The texts and the sizes of all names in a kept zip; empty ones for a zip that is not there or is damaged."""
    try:
        with zipfile.ZipFile(path) as kept:
            sizes = json.loads(kept.read(_NAMES))
            return {name: kept.read(name) for name in kept.namelist() if name != _NAMES}, dict(sizes)
    except (OSError, zipfile.BadZipFile, KeyError, ValueError):
        return {}, {}


def kept_names(path: Path) -> set[str]:
    """The names of the texts in a kept zip."""
    try:
        with zipfile.ZipFile(path) as kept:
            return {name for name in kept.namelist() if name != _NAMES}
    except (OSError, zipfile.BadZipFile):
        return set()


def _keep(path: Path, texts: Mapping[str, bytes], sizes: Mapping[str, int]) -> None:
    """Write the zip through a file of its own, so that an interrupted build leaves no half of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr(_NAMES, json.dumps(sizes))
        for name, text in sorted(texts.items()):
            made.writestr(name, text)
    part.replace(path)


def read_release(
    path: Path, open_archive: Callable[[], Archive], package: str, likely: Iterable[str], extract: Extract
) -> tuple[dict[str, Any], bool]:
    """The document of a release whose sources are kept at `path`, fetched as far as they are wanted; and whether anything was fetched.

    `likely` are the names that its neighbour needed.

    Raises:
        RegistryError: the sources are neither kept nor to be had.
    """
    texts, sizes = kept_sources(path)
    archive: Archive | None = None
    if not sizes:
        archive = open_archive()
        sizes = dict(archive.sizes)
        texts = archive.texts(_present({*likely, *(name.format(p=package) for name in _FIRST)}, sizes))
    with TemporaryDirectory(prefix="nostart-atlas-") as folder:
        root = Path(folder)
        _lay_out(root, texts, sizes)
        for _ in range(_ROUNDS):
            document = dict(extract(folder))
            missing = _missing(root, document, texts, sizes)
            if not missing:
                break
            archive = archive or open_archive()
            more = archive.texts(missing)
            if not more:
                raise RegistryError(f"{path.stem}: {missing[0]} is not in its file")
            texts.update(more)
            _keep(path, texts, sizes)
            _lay_out(root, more, {})
        else:
            raise RegistryError(f"{path.stem}: its sources want ever more sources")
    if archive is not None:
        _keep(path, texts, sizes)
    return document, archive is not None


def _present(names: Iterable[str], sizes: Mapping[str, int]) -> list[str]:
    return sorted(name for name in names if sizes.get(name))


def _lay_out(root: Path, texts: Mapping[str, bytes], sizes: Mapping[str, int]) -> None:
    for folder in {(root / name).parent for name in (*sizes, *texts)}:
        folder.mkdir(parents=True, exist_ok=True)
    for name in sizes:
        if name not in texts:
            (root / name).touch()
    for name, text in texts.items():
        (root / name).write_bytes(text)


def _missing(root: Path, document: Mapping[str, Any], texts: Mapping[str, bytes], sizes: Mapping[str, int]) -> list[str]:
    read = {Path(name).relative_to(root).as_posix() for name in document["files"]}
    return sorted(name for name in read if name not in texts and sizes.get(name))
