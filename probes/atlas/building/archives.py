"""The Python sources in a release's file, a wheel or a source archive, whichever is at hand: their names, and the text of those asked for."""

import io
import tarfile
import zipfile
from collections.abc import Iterable, Mapping
from typing import Protocol, TypeVar

from probes.atlas.building.registry import Registry, Release
from probes.atlas.building.remote import RemoteFile, prefetch
from probes.atlas.building.settings import RegistryError

_LARGEST = 4_000_000
Member = TypeVar("Member")


class Archive(Protocol):
    """One release's sources: `sizes` maps each source's path (``vllm/envs.py``) to its bytes."""

    sizes: Mapping[str, int]

    def texts(self, names: Iterable[str]) -> dict[str, bytes]:
        """The content of these sources."""
        ...


class _Zip:
    """A wheel, or a source archive that is a zip."""

    def __init__(self, file: RemoteFile | io.BytesIO, package: str) -> None:
        self._file = file
        self._zip = zipfile.ZipFile(file)
        self._members = _sources({info.filename: info for info in self._zip.infolist()}, package)
        self.sizes: Mapping[str, int] = {name: info.file_size for name, info in self._members.items()}

    def texts(self, names: Iterable[str]) -> dict[str, bytes]:
        """The content of these sources; members that lie together are fetched together."""
        wanted = [name for name in names if name in self._members]
        if isinstance(self._file, RemoteFile):
            prefetch(self._file, (self._members[name] for name in wanted))
        return {name: self._zip.read(self._members[name]) for name in wanted}


class _Tar:
    """A source archive."""

    def __init__(self, file: io.BytesIO, package: str) -> None:
        found: dict[str, bytes] = {}
        with tarfile.open(fileobj=file, mode="r:gz") as archive:
            for member in archive:
                stream = archive.extractfile(member) if member.isfile() and member.name.endswith(".py") and member.size <= _LARGEST else None
                if stream is not None:
                    found[member.name] = stream.read()
        self._texts = _sources(found, package)
        self.sizes: Mapping[str, int] = {name: len(text) for name, text in self._texts.items()}

    def texts(self, names: Iterable[str]) -> dict[str, bytes]:
        """The content of these sources."""
        return {name: self._texts[name] for name in names if name in self._texts}


def _sources(members: Mapping[str, Member], package: str) -> dict[str, Member]:
    """The package's own sources among the members, by their path from the folder that holds the package."""
    tops = sorted((name for name in members if name.endswith(f"{package}/__init__.py") and name.split("/")[-2] == package), key=len)
    if not tops:
        # A package without an __init__ of its own: any of its sources shows where it lies.
        tops = sorted((name for name in members if f"/{package}/" in f"/{name}"), key=len)
    if not tops:
        raise RegistryError(f"no package {package} in this file")
    prefix = f"/{tops[0]}".partition(f"/{package}/")[0][1:]
    root = f"{prefix}/" if prefix else ""
    return {name[len(root) :]: member for name, member in members.items() if name.startswith(f"{root}{package}/") and name.endswith(".py")}


def opened(registry: Registry, release: Release, package: str) -> Archive:
    """The first file of `release` that can be read.

    Raises:
        RegistryError: none can be.
    """
    told: list[str] = []
    for link in release.links:
        try:
            return _opened(registry, link.url_without_fragment, link.is_wheel, package)
        except (RegistryError, zipfile.BadZipFile, tarfile.TarError, EOFError, OSError) as error:
            told.append(f"{link.filename}: {error}")
    raise RegistryError(f"{package} {release.version}: {'; '.join(told) or 'the index has no file of it that can be read'}")


def _opened(registry: Registry, url: str, is_wheel: bool, package: str) -> Archive:
    if is_wheel:
        return _Zip(RemoteFile(url, registry.part), package)
    file = registry.whole(url)
    return _Zip(file, package) if url.endswith(".zip") else _Tar(file, package)
