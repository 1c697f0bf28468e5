"""The form of the shipped atlas: one compressed file a framework, in which a definition stands once with the runs of releases in which it holds.

`pack` makes such a file from tables, `unpack` reads it. Runs are indices into ``releases`` (oldest first): ``[first, last, first, last, …]``, both
included. Everything but the options is kept as rows ``[text, runs]``. Pure.
"""

import zlib
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TypeVar

import msgspec
from msgspec import Struct

from probes.atlas.table import Flag, FlagTable
from transcripts.errors import NostartError

FORMAT = 3
Runs = tuple[int, ...]
Rows = tuple[tuple[str, Runs], ...]
Row = TypeVar("Row")


class AtlasError(NostartError):
    """An atlas file cannot be used: of another format, or damaged. What needs it goes on without."""


class Option(Struct, frozen=True, array_like=True):
    """One definition of an option, and the releases in which it holds."""

    flag: Flag
    runs: Runs


class Key(Struct, frozen=True, array_like=True):
    """One key of a JSON configuration with the literals it takes (None: anything), and the releases in which that holds."""

    config: str
    name: str
    values: tuple[str, ...] | None
    runs: Runs


class Packed(Struct, frozen=True, kw_only=True):
    """What one file of the atlas holds."""

    format: int
    framework: str
    releases: tuple[str, ...]
    commands: Rows
    options: tuple[Option, ...]
    keys: tuple[Key, ...] = ()
    api_only: Rows = ()
    subcommands: Rows = ()
    environment: Rows = ()
    open_configs: Rows = ()


class _Head(Struct, frozen=True):
    format: int = 0


def holds(runs: Runs, place: int) -> bool:
    """Whether a release is within the runs."""
    if len(runs) == 2:  # nearly always, and this is asked of every definition
        return runs[0] <= place <= runs[1]
    return any(first <= place <= last for first, last in zip(runs[::2], runs[1::2], strict=True))


def places_of(runs: Runs) -> Iterable[int]:
    """Every release of the runs."""
    for first, last in zip(runs[::2], runs[1::2], strict=True):
        yield from range(first, last + 1)


def _runs(places: Sequence[int]) -> Runs:
    """The runs of ascending places."""
    breaks = [(left, right) for left, right in pairwise(places) if right != left + 1]
    return tuple(edge for edges in ((places[0],), *breaks, (places[-1],)) for edge in edges)


def pack(framework: str, tables: Sequence[FlagTable]) -> bytes:
    """The file for `tables`, one a release, oldest first."""
    made = Packed(
        format=FORMAT,
        framework=framework,
        releases=tuple(table.release for table in tables),
        commands=_gathered([(table.command,) for table in tables]),
        options=_options(tables),
        keys=tuple(Key(*definition, runs) for definition, runs in _gathered([list(_key_rows(table)) for table in tables])),
        api_only=_gathered([table.api_only for table in tables]),
        subcommands=_gathered([table.subcommands for table in tables]),
        environment=_gathered([table.environment for table in tables]),
        open_configs=_gathered([table.open_configs for table in tables]),
    )
    return zlib.compress(msgspec.json.encode(made), 9)


def _key_rows(table: FlagTable) -> Iterable[tuple[str, str, tuple[str, ...] | None]]:
    return ((config, name, values) for config, keys in sorted(table.config_keys.items()) for name, values in keys.items())


def _options(tables: Sequence[FlagTable]) -> tuple[Option, ...]:
    """The definitions, in an order that is near to that of every release's own parser."""
    spots: dict[bytes, list[float]] = {}
    flags: dict[bytes, tuple[Flag, list[int]]] = {}
    for place, table in enumerate(tables):
        for spot, flag in enumerate(table.flags):
            code = msgspec.json.encode(flag, order="sorted")
            flags.setdefault(code, (flag, []))[1].append(place)
            spots.setdefault(_identity(flag), []).append(spot / len(table.flags))
    means = {identity: sum(all_) / len(all_) for identity, all_ in spots.items()}
    ordered = sorted(flags.values(), key=lambda item: (means[_identity(item[0])], _identity(item[0]), item[1][0]))
    return tuple(Option(flag, _runs(sorted(set(places)))) for flag, places in ordered)


def _identity(flag: Flag) -> bytes:
    return msgspec.json.encode([flag.dest, flag.names[:1]])


def _gathered(rows: Sequence[Iterable[Row]]) -> tuple[tuple[Row, Runs], ...]:
    """Each different row once, with the runs of the places that have it."""
    found: dict[Row, list[int]] = {}
    for place, items in enumerate(rows):
        for item in dict.fromkeys(items):
            found.setdefault(item, []).append(place)
    return tuple((item, _runs(places)) for item, places in found.items())


def unpack(content: bytes, name: str) -> Packed:
    """What the file `name` with this content holds.

    Raises:
        AtlasError: it is damaged, or of another format.
    """
    try:
        text = zlib.decompress(content)
        try:
            made = msgspec.json.decode(text, type=Packed)
            told = made.format
        except msgspec.ValidationError:
            made, told = None, msgspec.json.decode(text, type=_Head).format
    except (zlib.error, msgspec.DecodeError) as error:
        raise AtlasError(f"the atlas file {name} is damaged ({error}); install nostart again, or build it: nostart atlas build") from error
    if told != FORMAT:
        kind = "a newer" if told > FORMAT else "an older"
        raise AtlasError(
            f"the atlas file {name} is of {kind} format ({told}) than this nostart reads ({FORMAT}): "
            "install nostart again, or build it: nostart atlas build"
        )
    if made is None:
        raise AtlasError(f"the atlas file {name} is damaged (its form is not that of its format); build it again: nostart atlas build")
    _checked(made, name)
    return made


def _checked(made: Packed, name: str) -> None:
    """Runs that point beyond the releases would answer wrongly, so they are refused."""
    every = [option.runs for option in made.options] + [key.runs for key in made.keys]
    last = len(made.releases) - 1
    if not made.releases or any(len(runs) % 2 or not runs or runs[-1] > last for runs in every):
        raise AtlasError(f"the atlas file {name} is damaged (its releases do not fit its options); build it again: nostart atlas build")
