"""The library of runs: listed, filtered, opened, pruned, counted."""

import json
import os
import shutil
from pathlib import Path

import pytest

from agent.cli.main import status_of
from agent.library import entry

FOLDER = Path(__file__).parents[2] / "transcripts" / "postmortem"
RUNS = {
    "20261201-100000-aaaa0001": "relaunch-confirms",
    "20261202-100000-aaaa0002": "three-in-series",
    "20261203-100000-bbbb0003": "seen-without-launch",
    "20260504-090000-cccc0004": "five-launches",
}


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A transcripts folder with four runs, one that was cut off and one that is no transcript."""
    folder = tmp_path / "runs"
    for run, name in RUNS.items():
        (folder / run).mkdir(parents=True)
        shutil.copy(FOLDER / f"{name}.jsonl", folder / run / "transcript.jsonl")
    (folder / "20261204-100000-dddd0005").mkdir()
    whole = (FOLDER / "relaunch-confirms.jsonl").read_bytes()
    (folder / "20261204-100000-dddd0005" / "transcript.jsonl").write_bytes(whole[: len(whole) // 2])
    (folder / "20260101-000000-eeee0006").mkdir()
    (folder / "20260101-000000-eeee0006" / "transcript.jsonl").write_bytes(b"\x00\xff no transcript\n")
    os.utime(folder / "20260101-000000-eeee0006" / "transcript.jsonl", (1e9, 1e9))
    return folder


def _listed(library: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert 0 == status_of(["runs", "--json", "--transcripts", str(library), *arguments])
    return [str(item["run"]) for item in json.loads(capsys.readouterr().out)]


def test_runs_are_listed_newest_first(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every run is there, the broken ones too."""
    assert sorted([*RUNS, "20261204-100000-dddd0005", "20260101-000000-eeee0006"], reverse=True) == _listed(library, capsys)


@pytest.mark.parametrize(
    ("arguments", "last"),
    [
        (("--cause", "quoting"), ["0003", "0001", "0004"]),
        (("--cause", "quoting/json-split", "--outcome", "up"), ["0001"]),
        (("--cause", "quot"), []),
        (("--framework", "vllm", "--outcome", "diagnosed"), ["0003", "0004"]),
        (("--release", "0.29"), ["0003"]),
        (("--outcome", "cut off"), ["0005"]),
        (("--outcome", "unreadable"), ["0006"]),
        (("--until", "2026-05"), ["0004"]),
        (("--since", "2026-12-01", "--cause", "config"), ["0002"]),
        (("--limit", "1"), ["0005"]),
    ],
)
def test_runs_are_filtered(arguments: tuple[str, ...], last: list[str], library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By cause or family, framework, release, outcome and time of the start."""
    assert last == [run[-4:] for run in _listed(library, capsys, *arguments)]


def test_a_run_in_a_line(library: Path) -> None:
    """What the line says is what the transcript holds."""
    found = entry(library / "20261203-100000-bbbb0003" / "transcript.jsonl")
    assert ("vllm", "0.29.0", "diagnosed", "quoting/json-split", 0, 8, True) == (
        *(found.framework, found.release, found.outcome, found.cause, found.launches, found.probes),
        found.finished,
    )


def test_the_list_for_people_is_whole_when_piped(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Names of runs are never cut, for they are what is typed next."""
    assert 0 == status_of(["runs", "--transcripts", str(library)])
    shown = capsys.readouterr().out
    assert all(run in shown for run in RUNS)


@pytest.mark.parametrize(("name", "status"), [("20261203", 0), ("20261201-100000-aaaa0001", 0), ("last", 4), ("2026", 2), ("nothing", 2), ("", 2)])
def test_a_run_is_opened_by_its_name(name: str, status: int, library: Path) -> None:
    """An id, the beginning of one, or the last; what fits several or none is told."""
    (library / "20261205-100000-ffff0007").mkdir()
    (library / "20261205-100000-ffff0007" / "transcript.jsonl").write_bytes(b"")
    assert status == status_of(["runs", "open", name, "--transcripts", str(library)])


def test_a_run_is_opened_as_a_page(library: Path, tmp_path: Path) -> None:
    """The page of a run is written where it is wanted."""
    page = tmp_path / "page.html"
    assert 0 == status_of(["runs", "open", "20261203", "--html", str(page), "--transcripts", str(library)])
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_pruning_names_first_and_deletes_when_told(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without --yes nothing goes; with it the newest are kept, and for a day what may still be running."""
    arguments = ["runs", "prune", "--keep", "3", "--transcripts", str(library)]
    assert 0 == status_of(arguments)
    assert (6, 3) == (len(list(library.iterdir())), capsys.readouterr().out.count("would delete"))
    assert 0 == status_of([*arguments, "--yes"])
    assert ["20261202-100000-aaaa0002", "20261203-100000-bbbb0003", "20261204-100000-dddd0005"] == sorted(one.name for one in library.iterdir())
    assert 0 == status_of(["runs", "prune", "--outcome", "cut off", "--yes", "--transcripts", str(library)])
    assert (library / "20261204-100000-dddd0005").is_dir()
    os.utime(library / "20261204-100000-dddd0005" / "transcript.jsonl", (1e9, 1e9))
    assert 0 == status_of(["runs", "prune", "--outcome", "cut off", "--yes", "--transcripts", str(library)])
    assert not (library / "20261204-100000-dddd0005").exists()


def test_pruning_without_saying_what_is_refused(library: Path) -> None:
    """No filter, no age and no number to keep would mean everything."""
    assert (2, 6) == (status_of(["runs", "prune", "--yes", "--transcripts", str(library)]), len(list(library.iterdir())))


def test_pruning_follows_no_link(library: Path, tmp_path: Path) -> None:
    """A link in the transcripts folder is not a run's own folder: what it points to stays."""
    shutil.move(library / "20260504-090000-cccc0004", tmp_path / "elsewhere")
    (library / "20260504-090000-cccc0004").symlink_to(tmp_path / "elsewhere")
    assert 4 == status_of(["runs", "prune", "--until", "2026-05", "--yes", "--transcripts", str(library)])
    assert (tmp_path / "elsewhere" / "transcript.jsonl").is_file()


def test_runs_are_counted(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The most frequent causes come first, with seconds to a verdict; broken runs do not break the count."""
    pytest.importorskip("duckdb")
    assert 0 == status_of(["runs", "stats", "--json", "--transcripts", str(library)])
    found = json.loads(capsys.readouterr().out)
    assert [("quoting/json-split", 3, 1, 2), ("config/invalid-choice", 1, 1, 0), ("none", 1, 0, 0)] == [
        (group["name"], group["runs"], group["up"], group["diagnosed"]) for group in found
    ]
    assert 0 == status_of(["runs", "stats", "--by", "release", "--json", "--transcripts", str(library)])
    assert {"0.29.0": 1, "0.20.1": 1, "none": 3} == {group["name"]: group["runs"] for group in json.loads(capsys.readouterr().out)}


def test_an_empty_library_is_said_to_be_empty(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No run is no error."""
    assert [0, 0] == [status_of(["runs", *verb, "--transcripts", str(tmp_path)]) for verb in ([], ["stats"])]
    assert "no such run" in capsys.readouterr().err
