"""Every probe against its situation files: the exact command, and what is read from a real output of it."""

import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from probes.catalogue import PROBES
from probes.guard import refusal
from probes.probe import Probe, read_answer
from probes.situations import output_of, question_of, shown, situation_of
from transcripts.records import Outcome, Output

HERE = Path(__file__).parent
SOURCE = Path(str(import_module("probes").__file__)).parent
# A folder that is named after a part of `probes` holds that part's own data, in a form of its own.
FILES = sorted(path for path in HERE.glob("*/*.toml") if not (SOURCE / path.parent.name).is_dir())
FOLDERS = sorted({path.parent.name for path in FILES})
BY_NAME = {probe.name: probe for probe in PROBES}


def _load(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text())


def _folder(probe: Probe) -> str:
    return probe.name.replace("-", "_")


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_command_is_exact_and_read_only(path: Path) -> None:
    """A question is asked with exactly the recorded command, which the guard lets pass."""
    file = _load(path)
    probe, question, situation = BY_NAME[file["probe"]], question_of(file), situation_of(file)
    command = probe.command(question, situation)
    module = import_module("probes." + _folder(probe))
    if file["expect"].get("argv"):
        assert shown(tuple(file["expect"]["argv"]), vars(module)) == shown(command.argv, vars(module))
    assert "" == refusal(command)
    if file["expect"].get("asked"):
        assert question in probe.questions(situation)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_output_is_read_as_written_down(path: Path) -> None:
    """From the recorded output the probe reads the recorded outcome, text, signs and data."""
    file = _load(path)
    expect = file["expect"]
    finding = read_answer(BY_NAME[file["probe"]], question_of(file), output_of(file))
    signs = [{"variable": sign.variable, "value": sign.value, "parameters": sign.parameters} for sign in finding.signs]
    assert (expect["outcome"], expect.get("signs", [])) == (finding.outcome.value, signs)
    assert expect.get("text", finding.text) == finding.text
    for name, value in expect.get("data", {}).items():
        assert value == finding.data[name]


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.name)
def test_every_probe_has_situations(probe: Probe) -> None:
    """Every probe has at least three situations, one of them a look that failed."""
    outcomes = [_load(path)["expect"]["outcome"] for path in FILES if path.parent.name == _folder(probe)]
    assert len(outcomes) >= 3
    assert any(outcome != "observed" for outcome in outcomes)


def test_every_folder_belongs_to_a_probe() -> None:
    """A folder of situations without a probe in the catalogue is a probe that was forgotten there."""
    assert [] == [name for name in FOLDERS if name not in {_folder(probe) for probe in PROBES}]


def test_the_catalogue_holds_every_probe_file() -> None:
    """A module of `probes` that defines a probe stands in the catalogue, and its probe bears the module's name."""
    files = sorted(path.stem for path in SOURCE.glob("*.py") if "\nPROBE = " in path.read_text())
    assert files == sorted(_folder(probe) for probe in PROBES)


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.name)
@pytest.mark.parametrize("stdout", ["", "garbage", "\x00\x01", "{}", "[]", "null", "0", '"text"', '{"a": ', "Traceback (most recent call last):"])
def test_garbage_is_never_an_answer(probe: Probe, stdout: str) -> None:
    """An output that is not the probe's own is unreadable or void, whatever the question, and shows no sign; a file's text is what it is."""
    for path in FILES:
        if path.parent.name == _folder(probe):
            finding = probe.read(question_of(_load(path)), Output(status=0, stdout=stdout))
            assert finding.outcome in (Outcome.UNREADABLE, Outcome.VOID) or stdout == finding.data or "binary" in finding.text
            assert () == finding.signs


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.name)
def test_a_look_that_failed_is_no_answer(probe: Probe) -> None:
    """What the target could not ask has the target's reason as its outcome, and no sign."""
    paths = [path for path in FILES if path.parent.name == _folder(probe)]
    for failure in ("no-tool", "denied", "timed-out", "unreachable"):
        finding = read_answer(probe, question_of(_load(paths[0])), Output(failure=failure))
        assert (failure, ()) == (finding.outcome.value, finding.signs)


@pytest.mark.parametrize("probe", PROBES, ids=lambda probe: probe.name)
def test_a_probe_says_what_it_is(probe: Probe) -> None:
    """A probe's module says what it asks, its outcomes, its cost and its control."""
    said = " ".join((import_module("probes." + _folder(probe)).__doc__ or "").split())
    assert all(word in said for word in ("Outcomes:", "Cost:", "Control:"))
    assert probe.control and probe.cost > 0
