"""``nostart run`` where nobody looks: the breaker of restart loops, and the verdict brought to a file and a URL."""

import json
import os
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from agent.breaker import Remembered, after, is_broken
from tests.running import PROGRAM

SERVER = """#!/bin/sh
echo launched >> {folder}/launches
echo "usage: vllm serve [model_tag] [options]" >&2
echo "vllm serve: error: argument --max-model-len: invalid human_readable_int_or_auto value: '4kk'" >&2
exit 2
"""


@pytest.fixture
def server(tmp_path: Path) -> Path:
    """A server whose parser refuses its arguments; it notes each of its launches."""
    program = tmp_path / "vllm"
    program.write_text(SERVER.format(folder=tmp_path))
    program.chmod(0o755)
    return program


def _run(folder: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [str(PROGRAM), "run", "--transcripts", str(folder / "runs"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"})


def _launches(folder: Path) -> int:
    return (folder / "launches").read_text().count("launched")


def test_the_same_cause_twice_is_not_launched_again(tmp_path: Path, server: Path) -> None:
    """After two failures of one deterministic cause the third start says so at once, with the same status; --again, or a changed file, launches."""
    words = ("--", server, "serve", "m", "--max-model-len", "4kk")
    statuses = [_run(tmp_path, *words).returncode for _ in range(2)]
    third = _run(tmp_path, *words)
    assert ([2, 2], 2, 2) == (statuses, third.returncode, _launches(tmp_path))
    assert "not launched: it failed 2 times in a row of config/invalid-value" in third.stderr
    assert "Cause: config/invalid-value" in third.stderr
    assert (2, 3) == (_run(tmp_path, "--again", *words).returncode, _launches(tmp_path))
    server.write_text(SERVER.format(folder=tmp_path) + "# corrected\n")
    assert (2, 4) == (_run(tmp_path, *words).returncode, _launches(tmp_path))


@pytest.mark.parametrize(
    ("causes", "broken"),
    [
        (["quoting/json-split", "quoting/json-split"], True),
        (["quoting/json-split"], False),
        (["quoting/json-split", "flag/removed"], False),
        (["quoting/json-split", "", "quoting/json-split"], False),
        (["memory/host", "memory/host", "memory/host"], False),
        (["process/port-in-use", "process/port-in-use"], False),
        (["flag/removed", "process/command-not-found", "process/command-not-found"], True),
    ],
)
def test_only_what_is_sure_to_fail_again_counts(causes: list[str], broken: bool) -> None:
    """What lies outside the command (memory, a port, a person's kill) may go another way, and a verdict that is none ends the row."""
    remembered: Remembered | None = None
    for cause in causes:
        remembered = after(remembered, cause, 2, "verdict\n")
    assert broken == is_broken(remembered)


def test_the_verdict_lies_in_a_file(tmp_path: Path, server: Path) -> None:
    """The file holds the verdict in plain text, no longer than a termination message; one that cannot be written changes no status."""
    done = _run(tmp_path, "--verdict-file", tmp_path / "message", "--", server, "serve", "m", "--max-model-len", "4kk")
    text = (tmp_path / "message").read_text()
    assert (2, True, True) == (done.returncode, text.startswith("Cause: config/invalid-value"), len(text.encode()) <= 4096)
    unwritable = _run(tmp_path, "--verdict-file", tmp_path / "no" / "folder", "--", server, "serve", "m", "--max-model-len", "4kk")
    assert (2, True) == (unwritable.returncode, "the verdict cannot be written" in unwritable.stderr)


def test_what_works_writes_nothing(tmp_path: Path) -> None:
    """A command that ends well touches neither the file nor the memory."""
    done = _run(tmp_path, "--verdict-file", tmp_path / "message", "--", "true")
    assert (0, []) == (done.returncode, list(tmp_path.iterdir()))


class _Hook(BaseHTTPRequestHandler):
    heard: list[dict[str, str]]

    def do_POST(self) -> None:
        """Keep what came."""
        self.heard.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def test_the_verdict_is_sent(tmp_path: Path, server: Path) -> None:
    """A URL receives the cause as title and the verdict as text; one that is none is told, and the status stays."""
    hook = type("Hook", (_Hook,), {"heard": []})
    with HTTPServer(("127.0.0.1", 0), hook) as listening:
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        url = f"json://127.0.0.1:{listening.server_port}/"
        done = _run(tmp_path, "--notify", url, "--", server, "serve", "m", "--max-model-len", "4kk")
        listening.shutdown()
    [message] = getattr(hook, "heard")  # noqa: B009 - a class made here
    assert (2, "nostart: config/invalid-value", True) == (done.returncode, message["title"], "4kk" in message["message"])
    refused = _run(tmp_path, "--notify", "nonsense", "--", server, "serve", "m", "--max-model-len", "4kk")
    assert (2, True) == (refused.returncode, "URL number 1 is none that can be sent to" in refused.stderr)
