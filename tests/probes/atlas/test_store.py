"""The form of the shipped atlas: what goes in comes out, and what is damaged or newer is refused."""

import zlib

import msgspec
import pytest

from probes.atlas.store import FORMAT, AtlasError, pack, places_of, unpack
from probes.atlas.table import Flag, FlagTable


def table(release: str, *flags: Flag, **more: object) -> FlagTable:
    """A table of that release."""
    return (
        msgspec.convert({"framework": "vllm", "release": release, "command": "vllm serve", **more}, FlagTable)
        if not flags
        else msgspec.structs.replace(table(release, **more), flags=flags)
    )


HOST = Flag(names=("--host",), dest="host", type="str", default="0.0.0.0")
LEVEL = Flag(names=("--level", "-l"), dest="level", type="int", choices=("1", "2"))
HIGHER = msgspec.structs.replace(LEVEL, choices=("1", "2", "3"))
TABLES = (
    table("1.0", HOST, LEVEL, api_only=("a",), environment=("A", "B")),
    table("1.1", HOST, HIGHER, config_keys={"C": {"mode": ("x",), "size": None}}, open_configs=("C",)),
    table("1.2", HIGHER, config_keys={"C": {"mode": ("x", "y"), "size": None}}, environment=("B",)),
    table("1.3", HOST, LEVEL, subcommands=("serve",)),
)


def test_a_definition_stands_once_with_its_runs() -> None:
    """Every definition is there once, with the runs of the releases that have it; a gap makes two runs."""
    packed = unpack(pack("vllm", TABLES), "x")
    assert {("--host", None, (0, 1, 3, 3)), ("--level", 2, (0, 0, 3, 3)), ("--level", 3, (1, 2))} == {
        (option.flag.names[0], option.flag.choices and len(option.flag.choices), option.runs) for option in packed.options
    }
    assert {"A": (0, 0), "B": (0, 0, 2, 2)} == dict(packed.environment)
    assert [("mode", ("x",), (1, 1)), ("mode", ("x", "y"), (2, 2)), ("size", None, (1, 2))] == sorted((k.name, k.values, k.runs) for k in packed.keys)
    assert [0, 1, 3] == list(places_of((0, 1, 3, 3)))


@pytest.mark.parametrize("content", [b"", b"no zlib", zlib.compress(b"[1"), zlib.compress(b'{"format": 2}'), pack("vllm", TABLES)[:-9]])
def test_a_damaged_file_is_refused(content: bytes) -> None:
    """A file that is cut, empty or no atlas is an error that says what to do."""
    with pytest.raises(AtlasError, match=r"damaged|older"):
        unpack(content, "vllm.atlas")


def test_a_newer_format_is_refused() -> None:
    """A file of a later nostart names both formats."""
    with pytest.raises(AtlasError, match=rf"a newer format \({FORMAT + 1}\)"):
        unpack(zlib.compress(msgspec.json.encode({"format": FORMAT + 1, "other": []})), "vllm.atlas")


def test_runs_beyond_the_releases_are_refused() -> None:
    """A file whose runs name releases that it lacks would answer wrongly: it is damaged."""
    data = msgspec.json.decode(zlib.decompress(pack("vllm", TABLES)))
    data["releases"] = data["releases"][:2]
    with pytest.raises(AtlasError, match="damaged"):
        unpack(zlib.compress(msgspec.json.encode(data)), "vllm.atlas")
