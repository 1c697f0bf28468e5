"""Text of others is text: no sequence in a log, a file's name or a manifest reaches a terminal in any output, and no shell reads it."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.running import PROGRAM

HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e$(touch {mark})`touch {mark}`;touch {mark}\u200b"
MOVES = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069]")


def _made(folder: Path) -> tuple[Path, str]:
    hostile = HOSTILE.replace("{mark}", str(folder / "mark"))
    log = folder / "crash.log"
    log.write_text(
        f"INFO {hostile}\nvllm serve: error: argument --max-model-len: invalid human_readable_int_or_auto value: '{hostile}'\n", encoding="utf-8"
    )
    return log, hostile


@pytest.mark.parametrize("options", [(), ("--json",)], ids=["verdict", "json"])
def test_a_hostile_log_moves_no_terminal(tmp_path: Path, options: tuple[str, ...]) -> None:
    """Verdict, JSON, progress and report show escapes for what would move a terminal, and nothing that the log asks for is executed."""
    log, hostile = _made(tmp_path)
    command = [str(PROGRAM), "triage", *options, "--transcripts", str(tmp_path / "runs"), "--log", str(log), "--exit-status", "2"]
    done = subprocess.run(command, capture_output=True, cwd=tmp_path)
    report = subprocess.run([str(PROGRAM), "report", str(next((tmp_path / "runs").iterdir()))], capture_output=True, cwd=tmp_path)
    shown = (done.stdout + done.stderr + report.stdout + report.stderr).decode()
    assert ([], False) == (MOVES.findall(shown), (tmp_path / "mark").exists())
    if options:
        # the colours and titles of terminals are taken off a line when it is read; all else is kept as it stands
        assert hostile[hostile.index("\x9b") :] in json.loads(done.stdout)["symptom"]["line"]


def test_a_hostile_manifest_moves_no_terminal(tmp_path: Path) -> None:
    """A manifest's text, its file's name and its parts are shown harmless as well."""
    _, hostile = _made(tmp_path)
    path = tmp_path / "pod\x1b[2J.yaml"
    quoted = json.dumps(f"--dtype {hostile}")
    path.write_text(
        f"apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: c\n    image: vllm/vllm-openai:v0.20.1\n    args: [--model, m, {quoted}]\n"
    )
    command = [str(PROGRAM), "check", "--transcripts", str(tmp_path / "runs"), "--from", path.name]
    done = subprocess.run(command, capture_output=True, cwd=tmp_path)
    shown = (done.stdout + done.stderr).decode()
    assert (10, [], False) == (done.returncode, MOVES.findall(shown), (tmp_path / "mark").exists())
