"""Whatever ends nostart, at whatever moment: no process of its launch is left, and the terminal is as before."""

import random
import signal
import subprocess
from pathlib import Path

import pytest

from tests.running import PROGRAM
from tests.safety.signals import interrupted, of_the_folder

POLITE = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
MOMENTS = 12


def _ends_all(folder: Path, number: signal.Signals, delay: float) -> None:
    ended = interrupted(folder, number, delay)
    # before nostart has taken its signals over, one ends it as it ends any program; there is nothing to end then
    assert (True, ()) == (ended.terminal, ended.left)
    assert ended.status in (130, -number)


def _next_run_cleans_up(folder: Path, delay: float) -> None:
    ended = interrupted(folder, signal.SIGKILL, delay)
    assert -signal.SIGKILL == ended.status
    command = [str(PROGRAM), "check", "--transcripts", str(folder / "runs"), "--", "true"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert () == of_the_folder(folder)
    assert bool(ended.left) == ("left when it was killed" in done.stderr)


@pytest.mark.parametrize("number", POLITE, ids=lambda number: str(number.name))
def test_a_signal_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    """Ended by a signal while a server that forks starts, nostart takes all of it along, daemons and sessions of their own included."""
    _ends_all(tmp_path, number, random.Random(number).uniform(1.0, 4.0))


def test_what_a_killed_run_leaves_the_next_one_ends(tmp_path: Path) -> None:
    """Killed itself, nostart can end nothing; the next run in the same place does, and says so."""
    _next_run_cleans_up(tmp_path, 4.0)


@pytest.mark.live
@pytest.mark.parametrize("moment", range(MOMENTS))
@pytest.mark.parametrize("number", [*POLITE, signal.SIGKILL], ids=lambda number: str(number.name))
def test_no_moment_is_a_bad_one(tmp_path: Path, number: signal.Signals, moment: int) -> None:
    """The same at many random moments from the start of the program to the running launch."""
    delay = random.Random(f"{number}-{moment}").uniform(0.0, 6.0)
    if number == signal.SIGKILL:
        _next_run_cleans_up(tmp_path, delay)
    else:
        _ends_all(tmp_path, number, delay)
