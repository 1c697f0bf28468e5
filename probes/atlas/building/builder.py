"""Builds the atlas: for every release of a framework that belongs in it, its flags read from a few of its source files, packed into one data file.

Restartable: what is fetched of a release is kept, so a second run asks the index for the lists alone. Polite: one connection, one file at a time.
"""

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from msgspec import Struct
from packaging.version import Version

from probes.atlas import extract
from probes.atlas.building.archives import opened
from probes.atlas.building.registry import Registry, Release
from probes.atlas.building.settings import RegistryError, machine_settings
from probes.atlas.building.sources import kept_names, read_release
from probes.atlas.source import table_of
from probes.atlas.store import pack
from probes.atlas.table import FlagTable

_DEPTH = 20_000


class Scope(Struct, frozen=True, kw_only=True):
    """Which releases belong in the atlas: from `first` on, candidates too or stable ones alone, each or every `step`-th and the newest."""

    package: str
    first: str
    stable: bool = False
    step: int = 1


SCOPES = {
    "vllm": Scope(package="vllm", first="0.1.0"),
    "sglang": Scope(package="sglang", first="0.3.0"),
    "litellm": Scope(package="litellm", first="1.40.0", stable=True, step=10),
}


class Done(Struct, frozen=True, kw_only=True):
    """What became of one release: its `table`, or why there is none; `fetched` where the index was asked."""

    version: str
    table: FlagTable | None = None
    problem: str = ""
    fetched: bool = False


class Built(Struct, frozen=True, kw_only=True):
    """What was built: the file at `path` with its `size` in bytes, how many releases and flags (by name) it knows, and what is missing and why."""

    path: Path
    size: int
    releases: int
    flags: int
    problems: tuple[Done, ...]


def build(framework: str, state: Path, output: Path, say: Callable[[str], None]) -> Built:
    """Build the data file of `framework` in the folder `output`; `say` hears of the progress, a line a release.

    Raises:
        RegistryError: the index cannot be asked, no release could be read, or the file cannot be written.
    """
    with Registry(machine_settings()) as registry:

        def told(place: int, count: int, done: Done) -> None:
            how = done.problem or f"{len(done.table.flags) if done.table else 0} options{'' if done.fetched else ' (kept)'}"
            say(f"{framework} {done.version} ({place} of {count}, {registry.bytes / 1e6:.1f} MB): {how}")

        found = read_all(framework, registry, state, told)
    tables = [done.table for done in found if done.table is not None and not done.problem]
    if not tables:
        raise RegistryError(f"no release of {framework} could be read: {found[-1].problem if found else 'none is in the index'}")
    content = pack(framework, tables)
    path = output / f"{framework}.atlas"
    try:
        output.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_bytes(content)
        part.replace(path)
    except OSError as error:
        raise RegistryError(f"{path} cannot be written ({error}); name another folder with --output") from error
    names = {name for table in tables for flag in table.flags for name in flag.names}
    problems = tuple(done for done in found if done.problem)
    return Built(path=path, size=len(content), releases=len(tables), flags=len(names), problems=problems)


def in_scope(releases: Iterable[Release], scope: Scope) -> list[Release]:
    """The releases that belong in the atlas, oldest first."""
    first = Version(scope.first)
    wanted = [r for r in releases if Version(r.version) >= first and not (scope.stable and Version(r.version).is_prerelease)]
    return [release for place, release in enumerate(wanted) if place % scope.step == 0 or place == len(wanted) - 1]


def read_all(framework: str, registry: Registry, state: Path, told: Callable[[int, int, Done], None]) -> tuple[Done, ...]:
    """Every release of `framework` that belongs in the atlas, oldest first; `told` hears of each as it is done (its place, how many, what became).

    A release that cannot be had or read is left out, with its reason; the others go on.

    Raises:
        RegistryError: the index cannot be asked at all.
    """
    scope = SCOPES[framework]
    releases = in_scope(registry.releases(scope.package), scope)
    found: list[Done] = []
    likely: set[str] = set()
    for place, release in enumerate(releases, start=1):
        path = state / framework / f"{release.version}.zip"
        found.append(_read(framework, registry, release, path, likely))
        likely = kept_names(path) or likely
        told(place, len(releases), found[-1])
    return tuple(found)


def _read(framework: str, registry: Registry, release: Release, path: Path, likely: set[str]) -> Done:
    try:
        document, fetched = read_release(
            path, lambda: opened(registry, release, framework), framework, likely, lambda root: extracted(root, framework)
        )
        table = table_of({**document, "release": release.version})
    except (RegistryError, KeyError, TypeError, ValueError) as error:
        return Done(version=release.version, problem=str(error))
    failed = document.get("failed") or []
    if failed or not table.flags:
        return Done(version=release.version, problem=f"not read to the end: {failed[0] if failed else 'no flags'}", table=table, fetched=fetched)
    return Done(version=release.version, table=table, fetched=fetched)


def extracted(root: str, framework: str) -> dict[str, Any]:
    """What the reader of sources says of the tree under `root`."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _DEPTH))
    try:
        return extract.extract(root, framework, "")
    finally:
        sys.setrecursionlimit(before)
