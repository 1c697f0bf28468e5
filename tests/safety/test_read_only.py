"""The probes change nothing: a tree, a HOME and the port table are the same after all of them as before."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from probes.catalogue import PROBES
from tests.running import PROGRAM

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SCRIPT = """#!/bin/bash
export VLLM_LOGGING_LEVEL=loud
exec python3 -m vllm.entrypoints.openai.api_server --model ./model --speculative-config {"method": "ngram"} --port 18417 >> server.log 2>&1
"""


def digest(folder: Path) -> dict[str, str]:
    """Everything of a tree but the times of reading: names, kinds, modes, owners, times of writing and content."""
    found = {}
    for path in [folder, *sorted(folder.rglob("*"))]:
        state = path.lstat()
        content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() and not path.is_symlink() else ""
        link = str(path.readlink()) if path.is_symlink() else ""
        found[str(path)] = f"{state.st_mode} {state.st_uid} {state.st_gid} {state.st_size} {state.st_mtime_ns} {state.st_ctime_ns} {content} {link}"
    return found


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A server's folder: a start script, a model's folder, a configuration, an environment file, a log."""
    folder = tmp_path / "tree"
    (folder / "model").mkdir(parents=True)
    (folder / "model" / "config.json").write_text('{"architectures": ["LlamaForCausalLM"], "num_attention_heads": 4}')
    (folder / "model" / "model.safetensors.index.json").write_text('{"weight_map": {"a": "model-1.safetensors"}}')
    (folder / "config.yaml").write_text("model_list: []\n")
    (folder / ".env").write_text("MODEL=./model\n")
    (folder / "server.log").write_text("INFO: started\n")
    (folder / "start.sh").write_text(SCRIPT)
    (folder / "start.sh").chmod(0o755)
    (folder / "link").symlink_to("start.sh")
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A HOME with what a framework keeps there."""
    folder = tmp_path / "home"
    (folder / ".cache" / "huggingface" / "hub").mkdir(parents=True)
    (folder / ".config").mkdir()
    (folder / ".bashrc").write_text("export FROM_BASHRC=1\n")
    return folder


def _environment(home: Path) -> dict[str, str]:
    # nothing of the interpreter's own is counted: it writes no bytecode
    return {**os.environ, "HOME": str(home), "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": str(home.parent)}


def _own_network() -> list[str]:
    """What gives a program a network of its own, where that can be had."""
    words = ["unshare", "--net"]
    can = shutil.which("unshare") is not None and subprocess.run([*words, "true"], capture_output=True).returncode == 0
    return words if can else []


def test_every_probe_leaves_all_as_it_was(tree: Path, home: Path) -> None:
    """All probes are run for real, each is answered or says why not, and files, HOME and listening ports are what they were."""
    before, alone = digest(tree) | digest(home), _own_network()
    command = [*alone, sys.executable, str(HERE / "all_probes.py"), str(tree)]
    done = subprocess.run(command, cwd=tree, env=_environment(home), capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    assert before == digest(tree) | digest(home)
    assert {probe.name for probe in PROBES} == set(told["outcomes"])
    assert len([name for name, outcome in told["outcomes"].items() if outcome == "observed"]) > len(PROBES) // 2
    if alone:
        assert told["before"] == told["after"]


def test_a_check_leaves_all_as_it_was(tree: Path, home: Path, tmp_path: Path) -> None:
    """A whole check of a start script writes only its transcript, and creates no log that the script would."""
    before = digest(tree) | digest(home)
    command = [str(PROGRAM), "check", "--json", "--transcripts", str(tmp_path / "runs"), "--", "./start.sh"]
    done = subprocess.run(command, cwd=tree, env=_environment(home), capture_output=True, text=True)
    assert (10, before) == (done.returncode, digest(tree) | digest(home))
