"""The contributor's page, followed to the letter in a copy of the tree: its probe and its cause are accepted, and the cause wins a triage."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"<!-- newcomer: (?P<path>\S+?)(?:, before \"(?P<before>[^\n]*)\")? -->\n```\w+\n(?P<text>.*?)```\n", re.DOTALL)
LOG = "exec /usr/local/bin/vllm: exec format error\n"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree in which everything that the page says is done."""
    copy = tmp_path_factory.mktemp("newcomer") / "tree"
    ignore = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", ".hypothesis", "live")
    shutil.copytree(ROOT, copy, ignore=ignore)
    blocks = list(BLOCK.finditer((copy / "CONTRIBUTING.md").read_text(encoding="utf-8")))

    assert len(blocks) > 8
    for block in blocks:
        _follow(copy / block["path"], (block["before"] or "").replace('\\"', '"'), block["text"])
    return copy


def _follow(path: Path, before: str, text: str) -> None:
    """Write a file, or insert a line before another one."""
    if not before:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return
    whole = path.read_text(encoding="utf-8")

    assert 1 == whole.count("\n" + before)
    path.write_text(whole.replace("\n" + before, "\n" + text + before), encoding="utf-8")


def python(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """This Python, run in the copy, whose packages come before the installed ones."""
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1", "XDG_STATE_HOME": str(tree / "state")}
    return subprocess.run([sys.executable, *arguments], cwd=tree, env=environment, capture_output=True, text=True, timeout=240, check=False)


def test_the_house_rules_accept_the_new_units(tree: Path) -> None:
    """Catalogue against folder, headings, data, and the situations of the new probe and cause pass in the copy."""
    done = python(
        tree, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist",
        "tests/test_architecture.py", "tests/probes/test_situations.py", "tests/causes/test_causes.py",
        "-k", "is_its_folder or catalogue_holds or explain or each_other or environment/architecture or program_format or program-format",
    )  # fmt: skip

    assert 0 == done.returncode, done.stdout[-3000:] + done.stderr[-1000:]


def test_the_new_cause_wins_a_triage(tree: Path) -> None:
    """A log with the new fault is diagnosed as the new cause by the command line."""
    (tree / "start.log").write_text(LOG, encoding="utf-8")
    done = python(tree, "-c", "from agent.cli.main import main; main()", "triage", "--json", "--log", "start.log", "--exit-status", "126")

    assert 10 == done.returncode, done.stderr
    assert "environment/architecture" == json.loads(done.stdout)["cause"]["id"]
