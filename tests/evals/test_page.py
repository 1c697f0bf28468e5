"""The page is one file that shows what it is given and obeys nothing in it."""

import re
from pathlib import Path

from evals.page import page, steps
from evals.playing import Job, Play, Played
from evals.results import Results
from evals.score import scores
from evals.store import save
from evals.world import Outcome, Truth, World
from transcripts import events
from transcripts.journal import Journal, MemorySink
from transcripts.records import Attempt, Belief, Excerpt, Hypothesis, Launch, Symptom, Weighed

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>\x1b[31m\u202egnp"


class Still:
    """A clock that stands."""

    def now(self) -> str:
        """One time."""
        return "2026-01-01T00:00:00.000Z"

    def seconds(self) -> float:
        """Nothing passes."""
        return 0.0


def _results(folder: Path) -> Results:
    launch = Launch(argv=("vllm", "serve", HOSTILE))
    outcome = Outcome(launch=launch, attempt=Attempt(number=1, launch=launch, end="exited"), excerpt=Excerpt())
    truth = Truth(slug="ab12", faults=(("model/not-found",),), kind=HOSTILE, summary=HOSTILE)
    save(World(slug="ab12", provenance="derived", framework=HOSTILE, launches=(outcome,)), truth, folder / "worlds")
    sink = MemorySink()
    journal = Journal(sink, Still(), hidden=True)
    journal.emit(events.SymptomRead(number=1, symptom=Symptom(line=HOSTILE)))
    weighed = (Weighed(hypothesis=Hypothesis(cause="model/not-found"), probability=0.8),)
    journal.emit(events.BeliefMoved(belief=Belief(weighed=weighed, unknown=0.2), moves=(), entropy=0.5))
    results = Results(folder / "plays")
    played = Played(job=Job(slug="ab12", strategy="information-gain"), state="", stopped=HOSTILE)
    results.keep([Play(played=played, lines=tuple(sink.lines), blobs=sink.blobs)])
    return results


def test_nothing_that_a_world_holds_is_markup(tmp_path: Path) -> None:
    """A log's tags, control and reversing characters are written out, wherever they are shown."""
    results = _results(tmp_path)
    told = page(scores([results], tmp_path / "worlds"), [results], tmp_path / "worlds")
    assert "&lt;script&gt;alert(1)" in told
    assert not re.search(r"<script|<img|\x1b|\u202e", told)


def test_the_page_needs_nothing_else(tmp_path: Path) -> None:
    """No address of anything to fetch, and a policy that would refuse it."""
    results = _results(tmp_path)
    told = page(scores([results], tmp_path / "worlds"), [results], tmp_path / "worlds")
    assert "default-src 'none'" in told
    assert not re.search(r"""(?:src|href)\s*=|url\(|@import""", told.replace(HOSTILE, "").replace("&lt;img src=x", ""))


def test_a_world_leads_to_its_transcript(tmp_path: Path) -> None:
    """Under each world stand its plays with their steps and the transcript's file."""
    results = _results(tmp_path)
    told = page(scores([results], tmp_path / "worlds"), [results], tmp_path / "worlds")
    assert told.index("ab12") < told.index("ab12.information-gain.0.jsonl") < told.index("believes: model/not-found 80%")


def test_steps_are_told_in_order() -> None:
    """What is not a step of the play is left out."""
    told: list[events.AnyEvent] = [events.Noted(text="x"), events.SymptomRead(number=1, symptom=Symptom(line=" error: no "))]
    assert ["the failure: error: no"] == list(steps(told))
