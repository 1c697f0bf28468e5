"""SIGKILL at any moment of a triage that launches a real forking server: the transcript loads, the run goes on, and nothing is left."""

import random
from pathlib import Path

import pytest

from tests.resume.conftest import faulty
from tests.resume.killing import goes_on

EVENTS = 17  # what a whole run of it records, about


@pytest.mark.parametrize(("lines", "delay"), [(1, 0.0), (3, 0.05), (6, 0.0), (9, 0.0), (10, 0.2), (11, 0.5), (12, 0.9), (13, 0.0)])
def test_a_killed_run_goes_on(tmp_path: Path, small: Path, lines: int, delay: float) -> None:
    """Killed at moments all over a run, each transcript loads, goes on to the same verdict, and no process is left."""
    goes_on(tmp_path, faulty(small, tmp_path), lines, delay, {})


@pytest.mark.live
@pytest.mark.parametrize("seed", range(200))
def test_a_run_killed_at_a_random_moment_goes_on(tmp_path: Path, small: Path, seed: int) -> None:
    """The same at two hundred random moments."""
    dice = random.Random(seed)
    goes_on(tmp_path, faulty(small, tmp_path), dice.randint(1, EVENTS), dice.random() * 1.5, {})
