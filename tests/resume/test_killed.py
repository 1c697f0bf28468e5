"""SIGKILL at any moment of a triage that launches a real forking server: the transcript loads, the run goes on, and nothing is left."""

import asyncio
import json
import os
import random
import subprocess
import time
from pathlib import Path

import psutil
import pytest

from agent.replay import replay
from tests.resume.conftest import faulty
from tests.running import PROGRAM, nostart
from transcripts import events
from transcripts.journal import FILE_NAME, load

EVENTS = 17  # what a whole run of it records, about


def killed(folder: Path, small: Path, lines: int, delay: float) -> Path | None:
    """The folder of a run that was killed `delay` seconds after its event number `lines`; None where it came to its end before."""
    command = [
        str(PROGRAM),
        "triage",
        "--json",
        "--fix",
        "--no-check",
        "--transcripts",
        str(folder / "runs"),
        "--",
        "bash",
        "-c",
        faulty(small, folder),
    ]
    environment = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and recorded(folder) < lines:
            time.sleep(0.005)
        time.sleep(delay)
        process.kill()
    run = next((folder / "runs").iterdir())
    last = load(run).events[-1]
    return None if isinstance(last, events.RunEnded) else run


def recorded(folder: Path) -> int:
    """How many lines the run's transcript has by now."""
    return sum(file.read_bytes().count(b"\n") for file in (folder / "runs").glob(f"*/{FILE_NAME}"))


def of_the_test(folder: Path) -> list[list[str]]:
    """The command lines of the living processes that name the test's folder."""
    found = [process.info for process in psutil.process_iter(["cmdline", "status"])]
    return [info["cmdline"] for info in found if info["status"] != psutil.STATUS_ZOMBIE and str(folder) in " ".join(info["cmdline"] or [])]


def goes_on(folder: Path, small: Path, lines: int, delay: float) -> None:
    """Kill a run, resume it, and hold the two to each other."""
    run = killed(folder, small, lines, delay)
    if run is None:
        return
    before = load(run)
    went_on = nostart(folder, "triage", "--resume", run)
    assert ("up", "quoting/json-split", 2) == (went_on.document["outcome"], went_on.cause, went_on.document["launches"]), went_on.stderr[-2000:]
    assert [] == of_the_test(folder)
    after = load(Path(went_on.document["transcript"]))
    assert "" == asyncio.run(replay(after)).diverged
    answered = [json.dumps(event.reading.question.parameters) for event in before.events if isinstance(event, events.QuestionAnswered)]
    assert answered == [json.dumps(e.reading.question.parameters) for e in after.events if isinstance(e, events.QuestionAnswered)][: len(answered)]
    ended = [event.attempt for event in before.events if isinstance(event, events.AttemptEnded)]
    assert ended == [event.attempt for event in after.events if isinstance(event, events.AttemptEnded)][: len(ended)]


@pytest.mark.parametrize(("lines", "delay"), [(1, 0.0), (3, 0.05), (6, 0.0), (9, 0.0), (10, 0.2), (11, 0.5), (12, 0.9), (13, 0.0)])
def test_a_killed_run_goes_on(tmp_path: Path, small: Path, lines: int, delay: float) -> None:
    """Killed at moments all over a run, each transcript loads, goes on to the same verdict, and no process is left."""
    goes_on(tmp_path, small, lines, delay)


@pytest.mark.live
@pytest.mark.parametrize("seed", range(200))
def test_a_run_killed_at_a_random_moment_goes_on(tmp_path: Path, small: Path, seed: int) -> None:
    """The same at two hundred random moments."""
    dice = random.Random(seed)
    goes_on(tmp_path, small, dice.randint(1, EVENTS), dice.random() * 1.5)
