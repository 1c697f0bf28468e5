"""Real containers that die: what their runtime tells, and what nostart makes of it."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.containers import container, podman
from tests.running import Run

pytestmark = [pytest.mark.live]

SERVER = """#!/usr/bin/env python3
import argparse
parser = argparse.ArgumentParser(prog="vllm serve")
parser.add_argument("command")
parser.add_argument("model")
parser.add_argument("--max-model-len", type=int)
parser.parse_args()
"""
EATS = "import sys; print('INFO: Loading weights', flush=True); held = bytearray(1); [held.extend(b'x' * 1_000_000) for _ in range(2000)]"
SHARES = "open('/dev/shm/nccl-1', 'wb').write(b'x' * 1_000_000)"


@pytest.fixture(autouse=True)
def containers(tmp_path: Path) -> Iterator[None]:
    """Containers can run here, or the test is skipped with the reason."""
    with podman(tmp_path):
        yield


def _name(test: str) -> str:
    return f"nostart-{test}-{os.getpid()}"


def test_a_container_that_died_tells_its_own_command(tmp_path: Path, nostart: Callable[..., Run]) -> None:
    """Command and log come from the runtime: nothing but the container's name is given."""
    (tmp_path / "vllm").write_text(SERVER)
    (tmp_path / "vllm").chmod(0o755)
    words = (str(tmp_path / "vllm"), "serve", "m", "--max-model-len", "4kk")
    with container(_name("died"), *words, options=("-v", f"{tmp_path}:{tmp_path}")):
        run = nostart("triage", "--target", f"docker://{_name('died')}")
    assert (10, "config/invalid-value", 0) == (run.status, run.cause, run.document["launches"])


def test_a_memory_limit_is_suspected_though_the_runtime_does_not_say_so(tmp_path: Path, nostart: Callable[..., Run]) -> None:
    """Killed by its limit, a container ends with 137, and the runtime's word for it is weighed: memory leads, and it is no certainty."""
    words = ("python3", "-c", EATS)
    with container(_name("eats"), *words, options=("--memory", "64m", "--memory-swap", "64m")):
        run = nostart("triage", "--target", f"docker://{_name('eats')}", "--framework", "vllm")
    likeliest = max(run.probabilities, key=lambda one: run.probabilities[one])
    assert ("memory/host", True) == (likeliest, run.probabilities[likeliest] < 0.99)


def test_a_small_shared_memory_is_seen(tmp_path: Path, nostart: Callable[..., Run]) -> None:
    """A /dev/shm of 64 kB is told by the runtime, and explains a file in it that cannot be written."""
    with container(
        _name("shares"),
        "python3",
        "-c",
        SHARES,
        options=(
            "--shm-size",
            "64k",
        ),
    ):
        run = nostart("triage", "--target", f"docker://{_name('shares')}", "--framework", "vllm")
    assert "environment/shared-memory" == max(run.probabilities, key=lambda one: run.probabilities[one])


def test_probes_are_asked_in_the_container(tmp_path: Path, nostart: Callable[..., Run]) -> None:
    """The checks of a launch run inside the container that is named: a program that only it has is found there, with a Python that has no vLLM."""
    folder = tmp_path / "inside"
    folder.mkdir()
    (folder / "vllm").write_text(SERVER)
    (folder / "vllm").chmod(0o755)
    with container(_name("asked"), "sleep", "infinity", options=("-v", f"{folder}:/opt/inside"), detach=True):
        run = nostart("check", "--target", f"docker://{_name('asked')}", "--", "/opt/inside/vllm", "serve", "m", "--max-model-len", "8")
        gone = nostart("check", "--target", f"docker://{_name('asked')}", "--", "/opt/outside/vllm", "serve", "m")
    assert ("version/wrong-interpreter", "process/command-not-found") == (run.cause, gone.cause)
