"""Launches in the files where people keep them: the cause of each usual mistake, and a diff that mends the file.

One folder a case: the file, and ``expected.toml`` with the ``cause``, the ``argv`` that the server must receive from the mended file, texts that the
mended file ``holds``, and the ``release`` where the file does not name it.
"""

import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from agent.cli.manifest import launch_from
from probes.frameworks.catalogue import find_entry
from probes.launches.manifests.reading import read
from probes.launches.understand import understand
from tests.manifests.nowhere import checked
from transcripts.records import Launch

CASES = sorted(path.parent for path in Path(__file__).parent.glob("*/expected.toml"))


def _file(case: Path) -> Path:
    [path] = [path for path in case.iterdir() if path.name != "expected.toml"]
    return path


def _expected(case: Path) -> dict[str, Any]:
    return tomllib.loads((case / "expected.toml").read_text())


def _arrives(launch: Launch) -> list[str]:
    return list(understand(launch, files={}, environment=launch.env, find_entry=find_entry).argv)


def _name(case: Path) -> str:
    return case.name


@pytest.mark.parametrize("case", CASES, ids=_name)
def test_the_cause_of_a_mistake_is_named(case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is launched or asked, and the mistake's cause is the one that is reported."""
    monkeypatch.chdir(case)
    expected = _expected(case)
    diagnosis = checked(launch_from(_file(case).name, "local"), expected.get("release", ""))
    assert (expected["cause"], 0, 0) == (diagnosis.cause and diagnosis.cause.hypothesis.cause, diagnosis.launches, diagnosis.probes)
    assert expected.get("also", []) == [other.hypothesis.cause for other in diagnosis.also]


@pytest.mark.parametrize("case", CASES, ids=_name)
def test_the_diff_makes_the_launch_right(case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Applied to the file by a program that takes diffs, the server receives the right argv, nothing is left to report, and comments stay."""
    monkeypatch.chdir(tmp_path)
    expected, name = _expected(case), _file(case).name
    before = _file(case).read_text()
    Path(name).write_text(before)
    diagnosis = checked(launch_from(name, "local"), expected.get("release", ""))
    assert diagnosis.fix is not None
    [edit] = diagnosis.fix.edits
    assert (name, before) == (edit.path, Path(name).read_text())
    subprocess.run(["git", "apply", "-p0", "-"], input=edit.difference.encode(), check=True)
    after = Path(name).read_text()
    mended = launch_from(name, "local")
    assert expected["argv"] == _arrives(mended)
    again = checked(mended, expected.get("release", ""))
    assert (None, ()) == (again.cause, again.also)
    assert [line for line in before.splitlines() if line.lstrip().startswith("#")] == [x for x in after.splitlines() if x.lstrip().startswith("#")]
    assert [] == [text for text in expected.get("holds", []) if text not in after]


@pytest.mark.parametrize("name", ["entrypoint.yaml", "nostart-triage@.service"])
def test_the_examples_have_no_fault(name: str) -> None:
    """What the pages give as examples is read without a fault of its form."""
    launch = launch_from(str(Path(__file__).parents[2] / "docs" / "examples" / name), "local")
    assert launch.origin is not None
    assert () == read(launch.origin).faults
