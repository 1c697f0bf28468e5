"""The small server, and the record of one whole triage of it."""

import socket
from pathlib import Path

import pytest

from tests.golden.small import install
from tests.running import Run, nostart
from transcripts.journal import Transcript, load


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number: int = free.getsockname()[1]
        return number


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ``vllm`` of an environment that holds the small server."""
    return install(tmp_path_factory.mktemp("small") / "venv")


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory, small: Path) -> tuple[Run, Transcript]:
    """A triage of two launches, up in the end, and its transcript."""
    folder = tmp_path_factory.mktemp("whole")
    run = nostart(folder, "triage", "--fix", "--no-check", "--", "bash", "-c", faulty(small, folder))
    return run, load(Path(run.document["transcript"]))


def faulty(small: Path, folder: Path) -> str:
    """A launch of the small server on a model of its own in `folder`, its JSON split by the shell."""
    model = folder / "model"
    model.mkdir(exist_ok=True)
    (model / "config.json").write_text('{"architectures": ["LlamaForCausalLM"]}')
    return f'{small} serve {model} --port {free_port()} --speculative-config {{"method": "ngram", "num_speculative_tokens": 2}}'
