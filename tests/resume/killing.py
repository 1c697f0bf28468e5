"""Kills a real triage with SIGKILL, goes on with it, and holds the two to each other."""

import asyncio
import json
import os
import re
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil

from agent.replay import replay
from tests.running import PROGRAM
from transcripts import events
from transcripts.journal import FILE_NAME, Transcript, load

TOLD = "told.txt"
"""What the killed run said on stderr."""


def killed(folder: Path, line: str, lines: int, delay: float, environment: Mapping[str, str], check: bool = False) -> Path | None:
    """The folder of a run that was killed `delay` seconds after its event number `lines`; None where it came to its end before."""
    options = ["--json", "--fix", *(() if check else ("--no-check",)), "--transcripts", str(folder / "runs")]
    variables = {name: value for name, value in {**os.environ, **environment}.items() if name != "VIRTUAL_ENV"}
    command = [str(PROGRAM), "triage", *options, "--", "bash", "-c", line]
    with (
        (folder / TOLD).open("wb") as told,
        subprocess.Popen(command, cwd=folder, env=variables, stdout=subprocess.DEVNULL, stderr=told) as process,
    ):
        while process.poll() is None and recorded(folder) < lines:
            time.sleep(0.005)
        time.sleep(delay)
        process.kill()
    run = next((folder / "runs").iterdir())
    return None if isinstance(load(run).events[-1], events.RunEnded) else run


def recorded(folder: Path) -> int:
    """How many lines the run's transcript has by now."""
    return sum(file.read_bytes().count(b"\n") for file in (folder / "runs").glob(f"*/{FILE_NAME}"))


def of_the_test(folder: Path) -> list[list[str]]:
    """The command lines of the living processes that name the test's folder."""
    found = [process.info for process in psutil.process_iter(["cmdline", "status"])]
    return [info["cmdline"] for info in found if info["status"] != psutil.STATUS_ZOMBIE and str(folder) in " ".join(info["cmdline"] or [])]


def nothing_lost(folder: Path, before: Transcript) -> None:
    """The events of a killed run count from 1 without a gap, and what it told of its launches stands in them."""
    assert list(range(1, len(before.events) + 1)) == [event.seq for event in before.events]
    told = set(re.findall(rb"(?m)^launch (\d+):", (folder / TOLD).read_bytes()))
    ended = {str(event.attempt.number).encode() for event in before.events if isinstance(event, events.AttemptEnded)}
    assert set() == told - ended


def resumed(folder: Path, run: Path, environment: Mapping[str, str]) -> tuple[dict[str, Any], str]:
    """The JSON document of a run that goes on from `run`, and what it said on stderr."""
    variables = {name: value for name, value in {**os.environ, **environment}.items() if name != "VIRTUAL_ENV"}
    command = [str(PROGRAM), "triage", "--json", "--transcripts", str(folder / "runs"), "--resume", str(run)]
    done = subprocess.run(command, capture_output=True, text=True, env=variables, cwd=folder)
    assert done.stdout.strip(), done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document, done.stderr


def goes_on(folder: Path, line: str, lines: int, delay: float, environment: Mapping[str, str], check: bool = False) -> bool:
    """Kill a triage of `line`, whose JSON a shell splits, and resume it: the same verdict, nothing lost, nothing repeated, nothing left.

    False where the run came to its end before it could be killed.
    """
    run = killed(folder, line, lines, delay, environment, check)
    if run is None:
        return False
    before = load(run)
    nothing_lost(folder, before)
    document, said = resumed(folder, run, environment)
    cause = (document["cause"] or {}).get("id")
    assert ("up", "quoting/json-split", 1 if check else 2) == (document["outcome"], cause, document["launches"]), said[-2000:]
    assert [] == of_the_test(folder)
    after = load(Path(document["transcript"]))
    assert "" == asyncio.run(replay(after)).diverged
    answered = [json.dumps(event.reading.question.parameters) for event in before.events if isinstance(event, events.QuestionAnswered)]
    assert answered == [json.dumps(e.reading.question.parameters) for e in after.events if isinstance(e, events.QuestionAnswered)][: len(answered)]
    ended = [event.attempt for event in before.events if isinstance(event, events.AttemptEnded)]
    assert ended == [event.attempt for event in after.events if isinstance(event, events.AttemptEnded)][: len(ended)]
    return True
