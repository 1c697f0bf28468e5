"""SIGKILL at any moment of a triage that launches a real forking server: the transcript loads, the run goes on, and nothing is left."""

import random
from pathlib import Path

import pytest

from tests.resume.conftest import faulty
from tests.resume.killing import goes_on

EVENTS = 16
"""What such a triage records before its end, about."""
CHECKED = 29
"""The same where it checks before it launches."""


@pytest.mark.parametrize(("lines", "delay"), [(1, 0.0), (6, 0.0), (11, 0.1), (13, 0.0)])
def test_a_killed_run_goes_on(tmp_path: Path, small: Path, lines: int, delay: float) -> None:
    """Killed at moments all over a run, each transcript loads, goes on to the same verdict, and no process is left."""
    goes_on(tmp_path, faulty(small, tmp_path), lines, delay, {})


@pytest.mark.live
@pytest.mark.parametrize("seed", range(200))
def test_a_run_killed_at_a_random_moment_goes_on(tmp_path: Path, small: Path, seed: int) -> None:
    """The same at two hundred random moments, every other one of a triage that checks first; one that ends before the moment is run again."""
    dice = random.Random(seed)
    check = seed % 2 == 1
    for again in range(20):
        folder = tmp_path / str(again)
        folder.mkdir()
        lines, delay = dice.randint(1, CHECKED if check else EVENTS), dice.random() * 0.3
        if goes_on(folder, faulty(small, folder), lines, delay, {}, check):
            return
    pytest.fail("no run lived long enough to be killed")
