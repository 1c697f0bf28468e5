"""The runner: what is made once is not made again, and how the work is shared out changes nothing."""

import random
from importlib.util import find_spec
from pathlib import Path

import pytest

from agent.causes.catalogue import CAUSES
from agent.cli.main import status_of
from agent.strategies.catalogue import STRATEGIES
from evals.playing import Job, play
from evals.results import Results
from evals.run import OFFLINE, Plan, run
from evals.score import Scored, score, scores
from evals.store import FOLDER, load_truths, load_world, slugs
from probes.catalogue import PROBES
from transcripts import codec
from transcripts.errors import UsageError

EVERY = slugs()
FEW = EVERY[:: max(len(EVERY) // 5, 1)][:5]


def _made(folder: Path, some: tuple[str, ...] = FEW, processes: int = 1) -> Results:
    results = Results(folder)
    run(Plan(slugs=some, strategies=("information-gain", "random", "checklist"), seeds=2), results, processes=processes)
    return results


def _bytes(results: Results) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in results.transcripts.glob("*.jsonl")}


def test_every_play_is_kept_with_its_transcript(tmp_path: Path) -> None:
    """One transcript a world, strategy and seed; only who draws lots has more than one."""
    results = _made(tmp_path)
    jobs = {
        Job(slug=slug, strategy=name, seed=seed)
        for slug in FEW
        for name, seed in [("information-gain", 0), ("checklist", 0), ("random", 0), ("random", 1)]
    }
    assert jobs == set(results.plays())
    assert {played.name for played in results.plays().values()} == set(_bytes(results))


def test_a_run_that_died_goes_on_where_it_was(tmp_path: Path) -> None:
    """A torn line and what is missing are made again, the rest is not."""
    results = _made(tmp_path)
    whole, index = _bytes(results), tmp_path / "plays.jsonl"
    lines = index.read_bytes().splitlines(keepends=True)
    index.write_bytes(b"".join(lines[:7]) + lines[7][:25])
    assert 7 == len(results.plays())
    assert len(lines) - 7 == run(Plan(slugs=FEW, strategies=("information-gain", "random", "checklist"), seeds=2), results, processes=1)
    assert len(lines) == len(results.plays())
    assert whole == _bytes(results)
    assert 0 == run(Plan(slugs=FEW, strategies=("random",), seeds=2), results, processes=1)


def test_the_order_and_the_processes_change_nothing(tmp_path: Path) -> None:
    """Worlds in another order, in two of loky's processes: every transcript is the same, byte for byte."""
    assert _bytes(_made(tmp_path / "one")) == _bytes(_made(tmp_path / "two", FEW[::-1], processes=2))


def test_results_of_several_machines_are_merged(tmp_path: Path) -> None:
    """Scored together, two halves are what the whole is; and so is one index written behind the other."""
    whole = scores([_made(tmp_path / "whole")], FOLDER)
    halves = [_made(tmp_path / "a", FEW[:2]), _made(tmp_path / "b", FEW[2:])]
    assert whole == scores(halves, FOLDER)
    for path in halves[1].transcripts.glob("*.jsonl"):
        path.rename(halves[0].transcripts / path.name)
    for path in (halves[1].transcripts / "blobs").iterdir():
        path.rename(halves[0].transcripts / "blobs" / path.name)
    with (tmp_path / "a" / "plays.jsonl").open("ab") as index:
        index.write((tmp_path / "b" / "plays.jsonl").read_bytes())
    assert whole == scores(halves[:1], FOLDER)


def _score(slug: str, strategy: str, lots: random.Random | None) -> Scored:
    world = load_world(slug)
    causes = tuple(lots.sample(CAUSES, len(CAUSES))) if lots else CAUSES
    probes = tuple(lots.sample(PROBES, len(PROBES))) if lots else PROBES
    made = play(world, Job(slug=slug, strategy=strategy), causes=causes, probes=probes)
    return score(world, load_truths()[slug], made.played, [codec.decode(line, made.blobs.__getitem__) for line in made.lines])


@pytest.mark.parametrize("strategy", [name for name in OFFLINE if name != "optimal"])
def test_the_order_of_causes_and_probes_changes_no_score(strategy: str) -> None:
    """With both catalogues shuffled, every strategy asks the same and comes to the same."""
    for slug in FEW:
        assert _score(slug, strategy, None) == _score(slug, strategy, random.Random(slug))


def test_all_strategies_start_from_the_same_failure(tmp_path: Path) -> None:
    """The first symptom in every transcript of a world is the same one, and nothing was asked before it."""
    results = Results(tmp_path)
    run(Plan(slugs=FEW[:2]), results, processes=1)
    firsts: dict[str, set[str]] = {}
    for played in results.plays().values():
        kinds = [type(event).__name__ for event in results.transcript(played).events]
        first = next(repr(event) for event in results.transcript(played).events if type(event).__name__ == "SymptomRead")
        firsts.setdefault(played.job.slug, set()).add(first.partition("at=")[0])
        assert "QuestionAsked" not in kinds[: kinds.index("SymptomRead")]
    assert [1, 1] == [len(found) for found in firsts.values()]
    assert set(OFFLINE) == {job.strategy for job in results.plays()}
    assert set(STRATEGIES) - set(OFFLINE) == {"llm"}


@pytest.mark.parametrize(
    ("plan", "word"),
    [(Plan(strategies=("clairvoyant",)), "clairvoyant"), (Plan(folder=Path("/nowhere")), "--worlds"), (Plan(slugs=("none",)), "none.json")],
)
def test_what_cannot_be_played_is_said(plan: Plan, word: str, tmp_path: Path) -> None:
    """An unknown strategy, a folder without worlds, a world that is not there: a line that says what to do."""
    with pytest.raises(UsageError, match=word):
        run(plan, Results(tmp_path), processes=1)


def test_a_backend_that_is_not_installed_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where Dask is not installed the message names what to install."""
    if find_spec("dask") is not None:
        pytest.skip("Dask is installed here")
    assert 2 == status_of(["eval", "run", "--output", str(tmp_path), "--backend", "dask", "--world", FEW[0]])
    assert "pip install 'dask[distributed]'" in capsys.readouterr().err


def test_the_command_line_scores_compares_and_reports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From plays to a table, JSON, a comparison, the gate and a page, by the commands a person types."""
    plays, page, accepted = str(tmp_path / "plays"), tmp_path / "eval.html", str(tmp_path / "accepted.json")
    chosen = [word for slug in FEW[:2] for word in ("--world", slug)]
    assert 0 == status_of(["eval", "run", "--output", plays, "--processes", "1", *chosen])
    assert 0 == status_of(["eval", "score", plays, "--by", "framework"])
    assert "information-gain" in capsys.readouterr().out
    assert 0 == status_of(["eval", "score", plays, "--strategy", "checklist", "--json"])
    assert '"strategy":"checklist"' in capsys.readouterr().out
    assert 0 == status_of(["eval", "compare", plays, "--theirs", "relaunch-only"])
    assert "seconds until decided" in capsys.readouterr().out
    assert 2 == status_of(["eval", "compare", plays, "--accepted", accepted])
    assert 0 == status_of(["eval", "compare", plays, "--accepted", accepted, "--accept"])
    assert 0 == status_of(["eval", "compare", plays, "--accepted", accepted])
    assert 0 == status_of(["eval", "report", plays, "--html", str(page)])
    told = page.read_text(encoding="utf-8")
    assert all(slug in told for slug in FEW[:2])
    assert "<script" not in told


def test_help_teaches_without_heavy_imports(capsys: pytest.CaptureFixture[str]) -> None:
    """The group's help lists what there is and shows how it is used."""
    assert 0 == status_of(["eval", "--help"])
    told = capsys.readouterr().out
    assert all(word in told for word in ("run", "score", "compare", "fit", "report", "nostart eval run --output plays"))
