"""The small server installed once for each worker, a model folder, and ports."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.golden.small import install


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ``vllm`` of an environment that holds the small server."""
    return install(tmp_path_factory.mktemp("small") / "venv")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A folder that looks like a model."""
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"architectures": ["LlamaForCausalLM"]}))
    return folder


@pytest.fixture
def port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number: int = free.getsockname()[1]
        return number


@pytest.fixture(autouse=True)
def nothing_left(tmp_path: Path) -> Iterator[None]:
    """After every test, no process that names the test's folder is left."""
    yield
    found = [process.info for process in psutil.process_iter(["pid", "cmdline", "status"])]
    left = [info for info in found if info["status"] != psutil.STATUS_ZOMBIE and str(tmp_path) in " ".join(info["cmdline"] or [])]
    assert [] == left
