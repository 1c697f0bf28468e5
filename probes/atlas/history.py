"""The shipped atlas: which flags every release of each framework takes, when flags came and went, and what replaced them.

Data, one pair of files a framework: `data/FRAMEWORK.atlas` (read from the sources of the releases; its form is `probes.atlas.store`'s) and
`data/FRAMEWORK.lineage.json` (curated), which is of ``format`` 1 and holds what the sources do not tell: ``successors``: flag → the ``flag`` (and
``key`` of its JSON) that makes the setting now, with the release it was ``seen`` in; ``commands``: other command → flags of its own.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from msgspec import Struct, structs

from probes.atlas.releases import release_key
from probes.atlas.store import AtlasError, Option, Packed, Runs, holds, places_of, unpack
from probes.atlas.table import Flag, FlagTable

__all__ = ["FRAMEWORKS", "AtlasError", "History", "Successor", "history", "open_history", "release_key", "table_for", "takes", "trouble"]

LINEAGE_FORMAT = 1
FRAMEWORKS = ("vllm", "sglang", "litellm")
DATA = Path(__file__).with_name("data")


class Successor(Struct, frozen=True):
    """What replaced a flag: `flag`, the `key` of its JSON (or empty), and the release it was `seen` in."""

    flag: str
    key: str = ""
    seen: str = ""


class Having(Mapping[str, tuple[int, ...]]):
    """Option name → the places (indices into the releases) of the releases that take it, ascending."""

    def __init__(self, options: Sequence[Option]) -> None:
        self._runs: dict[str, list[Runs]] = {}
        for option in options:
            for name in option.flag.names:
                self._runs.setdefault(name, []).append(option.runs)

    def __getitem__(self, name: str) -> tuple[int, ...]:
        return tuple(sorted({place for runs in self._runs[name] for place in places_of(runs)}))

    def span(self, name: str) -> tuple[int, int]:
        """The first and the last place of `name`."""
        return min(runs[0] for runs in self._runs[name]), max(runs[-1] for runs in self._runs[name])

    def __contains__(self, name: object) -> bool:
        return name in self._runs

    def __iter__(self) -> Iterator[str]:
        return iter(self._runs)

    def __len__(self) -> int:
        return len(self._runs)


class History:
    """What is shipped about one framework: `releases` oldest first, the packed definitions, and the curated lineage."""

    def __init__(self, packed: Packed, lineage: Mapping[str, Any]) -> None:
        self.framework = packed.framework
        self.command = packed.commands[-1][0]
        self.releases = packed.releases
        self.packed = packed
        self.having = Having(packed.options)
        self.successors = {name: Successor(item["flag"], item.get("key", ""), item.get("seen", "")) for name, item in lineage["successors"].items()}
        self.commands: dict[str, tuple[str, ...]] = {name: tuple(flags) for name, flags in lineage["commands"].items()}
        self.keys = tuple(release_key(release) for release in packed.releases)

    @cached_property
    def dests(self) -> Mapping[str, str]:
        """Option name → its destination, as of the newest release that has it."""
        return {name: option.flag.dest for option in sorted(self.packed.options, key=lambda option: option.runs[-1]) for name in option.flag.names}

    @cached_property
    def gone(self) -> Mapping[str, tuple[str, str]]:
        """Option name → the last release that takes it and the first without, for those that the newest release does not take."""
        newest = len(self.releases) - 1
        ends = {name: self.having.span(name)[1] for name in self.having}
        return {name: (self.releases[last], self.releases[last + 1]) for name, last in ends.items() if last < newest}

    @cached_property
    def came(self) -> Mapping[str, str]:
        """Option name → the first release that takes it, for those that the oldest release does not take."""
        firsts = {name: self.having.span(name)[0] for name in self.having}
        return {name: self.releases[first] for name, first in firsts.items() if first > 0}

    def around(self, release: str) -> tuple[int | None, int | None]:
        """The places of the releases next below and above `release`; the same twice for one that is in the atlas."""
        key = release_key(release)
        below = [index for index, other in enumerate(self.keys) if other <= key]
        above = [index for index, other in enumerate(self.keys) if other >= key]
        return (below[-1] if below else None), (above[0] if above else None)


@cache
def open_history(framework: str) -> History | None:
    """The shipped history of a framework, or None for one that has none.

    Raises:
        AtlasError: its data cannot be used.
    """
    if framework not in FRAMEWORKS:
        return None
    packed = unpack(_content(f"{framework}.atlas"), f"{framework}.atlas")
    try:
        return History(packed, _lineage(f"{framework}.lineage.json"))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise AtlasError(f"the atlas of {framework} is damaged: {error!r}") from error


def history(framework: str) -> History | None:
    """The shipped history of a framework; None for one that has none, or whose data cannot be used (`trouble` tells why): work goes on without."""
    try:
        return open_history(framework)
    except AtlasError:
        return None


def trouble(framework: str) -> str:
    """Why the shipped history of a framework cannot be used; empty where it can."""
    try:
        open_history(framework)
    except AtlasError as error:
        return str(error)
    return ""


def _content(name: str) -> bytes:
    try:
        return (DATA / name).read_bytes()
    except OSError as error:
        raise AtlasError(f"the atlas file {name} cannot be read: {error}") from error


def _lineage(name: str) -> Mapping[str, Any]:
    try:
        data = json.loads(_content(name))
    except ValueError as error:
        raise AtlasError(f"the atlas file {name} cannot be read: {error}") from error
    if not isinstance(data, dict) or data.get("format") != LINEAGE_FORMAT:
        raise AtlasError(f"the atlas file {name} is of another format than {LINEAGE_FORMAT}; install a matching release")
    return data


def takes(framework: str, release: str, flag: str) -> bool | None:
    """Whether `release` takes `flag`; None where the atlas cannot tell (a release between two that differ, before the first or after the last).

    A flag that no release up to the next in the atlas had, or that was gone before it, is not taken.
    """
    known = history(framework)
    if known is None or not release_key(release):
        return None
    low, high = known.around(release)
    places = known.having.get(flag, ())
    if low is None or high is None:
        return None
    sides = {low in places, high in places}
    return sides.pop() if len(sides) == 1 else None


@cache
def table_for(framework: str, release: str) -> FlagTable | None:
    """The flags of `release`: exactly for one that is in the atlas.

    Between two releases, options that both have alike are certain, and every other that either has is there, marked uncertain; newer than all or
    older than all: everything is uncertain. None for a framework or a release that is not known.
    """
    known = history(framework)
    if known is None or not release_key(release):
        return None
    low, high = known.around(release)
    places = [place for place in (low, high) if place is not None]
    exact = len(places) == 2 and low == high
    packed = known.packed
    return FlagTable(
        framework=framework,
        release=release,
        command=next((text for text, runs in packed.commands if holds(runs, places[0])), known.command),
        flags=_flags(packed, places, sure=len(places) == 2),
        api_only=_of(packed.api_only, places),
        subcommands=_of(packed.subcommands, places) if exact else (),
        environment=_of(packed.environment, places),
        config_keys=_config_keys(packed, places[0]) if exact else {},
        open_configs=_of(packed.open_configs, places),
        source=f"atlas: {release}" if exact else f"atlas: near {known.releases[places[0]]}",
    )


def _of(rows: tuple[tuple[str, Runs], ...], places: Sequence[int]) -> tuple[str, ...]:
    """What all of these releases have."""
    return tuple(text for text, runs in rows if all(holds(runs, place) for place in places))


def _flags(packed: Packed, places: Sequence[int], *, sure: bool) -> tuple[Flag, ...]:
    found: list[Flag] = []
    taken: set[str] = set()
    for place in dict.fromkeys(places):
        for option in packed.options:
            names = set(option.flag.names or (option.flag.dest,))
            if not holds(option.runs, place) or taken & names:
                continue
            taken |= names
            certain = sure and all(holds(option.runs, other) for other in places)
            found.append(option.flag if certain else _doubted(option.flag))
    return tuple(found)


def _doubted(flag: Flag) -> Flag:
    return structs.replace(flag, uncertain=True)


def _config_keys(packed: Packed, place: int) -> dict[str, dict[str, tuple[str, ...] | None]]:
    found: dict[str, dict[str, tuple[str, ...] | None]] = {}
    for key in packed.keys:
        if holds(key.runs, place):
            found.setdefault(key.config, {})[key.name] = key.values
    return found
