"""What the live tests share: real frameworks (built once, outside the checkout), a tiny model, and nostart as a command."""

import os
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests import running
from tests.running import Run

HERE = Path(__file__).parent
NO_ROOM = 3
"""The exit status of venv.sh where the disk is too small for what it should build."""
SERVING = ("--dtype", "float32", "--max-model-len", "128", "--enforce-eager")


def _venv(*arguments: str) -> Path:
    made = subprocess.run([HERE / "venv.sh", *arguments], stdout=subprocess.PIPE, text=True, check=True)
    return Path(made.stdout.strip().splitlines()[-1])


@pytest.fixture(scope="session")
def vllm() -> Path:
    """The environment of vLLM 0.29.0 on CPU, which serves."""
    return _venv("vllm", "0.29.0")


@pytest.fixture(scope="session")
def old_vllm() -> Path:
    """The environment of vLLM 0.20.1: its parser works, its engine was built for another torch."""
    return _venv("vllm", "0.20.1")


@pytest.fixture(scope="session")
def litellm() -> Path:
    """The environment of the LiteLLM proxy."""
    return _venv("litellm")


@pytest.fixture(scope="session")
def sglang() -> Path:
    """The environment of SGLang on CPU; skips where the disk has no room for it."""
    made = subprocess.run([HERE / "venv.sh", "sglang"], capture_output=True, text=True)
    if made.returncode == NO_ROOM:
        pytest.skip(made.stderr.strip().splitlines()[-1])
    assert 0 == made.returncode, made.stderr[-3000:]
    return Path(made.stdout.strip().splitlines()[-1])


def _model(vllm: Path, heads: int) -> Path:
    folder = vllm.parent / "models" / f"llama-{heads}-heads"
    if not (folder / "model.safetensors").exists():
        subprocess.run([vllm / "bin" / "python", HERE / "make_model.py", folder, str(heads)], check=True, capture_output=True)
    return folder


@pytest.fixture(scope="session")
def model(vllm: Path) -> Path:
    """A tiny Llama that serves (head size 64)."""
    return _model(vllm, 4)


@pytest.fixture(scope="session")
def narrow_model(vllm: Path) -> Path:
    """A tiny Llama of head size 16: vLLM says 200 on /health and dies on the first completion."""
    return _model(vllm, 16)


@pytest.fixture(scope="session")
def sglang_model(sglang: Path) -> Path:
    """The same tiny Llama, made where only SGLang is there."""
    return _model(sglang, 4)


@pytest.fixture
def port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number: int = free.getsockname()[1]
        return number


@pytest.fixture
def environment() -> dict[str, str]:
    """The environment in which a real vLLM serves here."""
    return {**os.environ, "VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1", "NO_COLOR": "1"}


@pytest.fixture
def nostart(tmp_path: Path, environment: dict[str, str]) -> Callable[..., Run]:
    """nostart in the test's folder, in the environment in which vLLM serves: ``nostart("triage", "--fix", "--", …, VARIABLE="…")``."""

    def run(*arguments: str | Path, **variables: str) -> Run:
        return running.nostart(tmp_path, *arguments, environment={**environment, **variables})

    return run


@pytest.fixture
def nothing_left(tmp_path: Path) -> Iterator[None]:
    """Fails the test when a process is left behind that names its folder or runs there, as everything does that a launch of the test started."""
    yield
    left = [p.info for p in psutil.process_iter(["cwd", "name", "cmdline", "status"]) if p.info["status"] != psutil.STATUS_ZOMBIE]
    own = [info for info in left if str(info["cwd"]).startswith(str(tmp_path)) or any(str(tmp_path) in word for word in info["cmdline"] or ())]
    assert [] == [" ".join(info["cmdline"] or [info["name"]]) for info in own]
