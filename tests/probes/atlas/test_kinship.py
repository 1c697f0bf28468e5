"""Kinship of flags that are not registered: the order of the decisions, and the history behind them."""

import tomllib
import zlib
from pathlib import Path

import pytest

from probes.atlas.history import FRAMEWORKS, AtlasError, history, open_history, release_key, table_for, takes, trouble
from probes.atlas.kinship import kin, nearest
from probes.atlas.table import Flag, FlagTable
from probes.frameworks.catalogue import by_name

ROWS = tomllib.loads((Path(__file__).parent / "kinships.toml").read_text())["row"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['framework']}-{row['release']}{row['flag']}")
def test_the_nearest_kinship_is_told(row: dict[str, str]) -> None:
    """A flag that a release lacks is told apart: misspelt, gone, replaced, not there yet, another framework's, another command's, or nowhere."""
    signs = kin(row["flag"], table=None, framework=row["framework"], release=row["release"])
    found = next((sign for sign in signs if sign.variable == "kin"), None)
    assert row["kin"] == (found.value if found else "")
    for name in ("near", "successor", "key", "last", "first", "other", "command"):
        if name in row and found is not None:
            assert row[name] == found.parameters["framework" if name == "other" else name]


def test_a_registered_flag_has_no_kin() -> None:
    """A flag that the parser takes, abbreviated or with underscores too, is registered and nothing else."""
    for flag in ("--max-model-len", "--max-model", "--max_model_len", "--speculative-config.method"):
        assert [("registered", "yes")] == [(s.variable, s.value) for s in kin(flag, table=None, framework="vllm", release="0.29.0")]


def test_the_installed_table_outweighs_the_atlas() -> None:
    """What the installed release's own table has is registered, whatever was recorded of other releases."""
    table = FlagTable(framework="vllm", release="0.29.0", flags=(Flag(names=("--swap-space",), dest="swap_space"),), api_only=("hidden",))
    assert ["registered"] == [s.variable for s in kin("--swap-space", table=table, framework="vllm", release="")]
    assert ["no", "api-only"] == [s.value for s in kin("--hidden", table=table, framework="vllm", release="")]


def test_without_a_release_only_what_history_proves_is_said() -> None:
    """With neither a table nor a release, a flag that is gone is told, and no registration is claimed."""
    signs = kin("--speculative-model", table=None, framework="vllm", release="")
    assert [("kin", "successor")] == [(s.variable, s.value) for s in signs]


def test_releases_are_ordered_by_number() -> None:
    """Ten comes after nine, a post release after its own, candidates before it in their order, nightlies first, a local part counts for nothing."""
    ordered = ["0.8.5", "0.8.5.post1", "0.9.0.dev3", "0.9.0rc1", "0.9.0rc2", "0.9.0", "0.9.0.1", "0.10.0", "0.29.0"]
    assert ordered == sorted({*ordered}, key=release_key)
    assert release_key("0.29.0+cpu") == release_key("v0.29.0")
    assert () == release_key("latest")


def test_what_is_not_in_the_atlas_is_not_known() -> None:
    """A release in the atlas is answered; between two that differ, or beyond them, nothing is claimed; what both have, or neither, is."""
    assert [True, False, False] == [takes("vllm", release, "--swap-space") for release in ("0.17.1", "0.18.0", "0.20.1")]
    assert [True, None, False] == [takes("vllm", release, "--swap-space") for release in ("0.17.1", "0.17.2", "0.18.0")]
    assert takes("vllm", "0.17.2", "--tensor-parallel-size") is True
    assert takes("vllm", "0.17.2", "--no-such-flag") is False
    assert takes("vllm", "99.0", "--tensor-parallel-size") is None
    assert takes("nothing", "1.0", "--x") is None


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_every_recorded_release_has_its_control_flag(framework: str) -> None:
    """The flag that serves as control is in every recorded release, and a recorded release's table is certain."""
    known, described = history(framework), by_name(framework)
    assert known is not None
    assert described is not None
    for release in known.releases:
        table = table_for(framework, release)
        assert table is not None
        control = table.find(described.control_flag)
        assert control is not None and not control.uncertain


def test_a_release_that_is_not_recorded_is_marked() -> None:
    """In the table of a release between two recorded ones, what they do not share is uncertain; beyond the last, everything is."""
    between, beyond = table_for("vllm", "0.17.2"), table_for("vllm", "99.0")
    assert between is not None
    assert beyond is not None
    assert {True, False} == {flag.uncertain for flag in between.flags}
    assert {True} == {flag.uncertain for flag in beyond.flags}


def test_the_nearest_flag_by_spelling() -> None:
    """A near miss finds its flag; a name that resembles nothing finds none."""
    table = table_for("vllm", "0.29.0")
    assert table is not None
    assert "--tensor-parallel-size" == nearest("--tensor-paralel-size", table)
    assert "" == nearest("--completely-else", table)


@pytest.mark.parametrize("content", [b"torn", zlib.compress(b'{"format": 99}')])
def test_an_atlas_that_cannot_be_used_is_told(content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A damaged data file, or one of a later format, is an error that says so for who asks for it, and no atlas for everybody else."""
    (tmp_path / "vllm.atlas").write_bytes(content)
    monkeypatch.setattr("probes.atlas.history.DATA", tmp_path)
    open_history.cache_clear()
    try:
        with pytest.raises(AtlasError, match=r"damaged|newer format"):
            open_history("vllm")
        assert None is history("vllm")
        assert "vllm.atlas" in trouble("vllm")
        assert [] == [sign.value for sign in kin("--port", table=None, framework="vllm", release="") if sign.variable == "registered"]
    finally:
        open_history.cache_clear()
