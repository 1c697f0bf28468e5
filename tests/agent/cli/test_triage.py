"""The triage from the outside: documents that validate, records that replay, bad logs that get a sentence, interruptions that leave nothing."""

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from agent.cli.main import status_of
from agent.document import json_schema
from transcripts.events import RunEnded
from transcripts.journal import load, runs

ROOT = Path(__file__).parents[3]
SPLIT = "vllm serve: error: argument --speculative-config/-sc: Value {method: cannot be converted to <function loads at 0x7f00>.\n"
LOGS = {
    "split": SPLIT.encode(),
    "empty": b"",
    "binary": bytes(range(256)) * 40,
    "latin": "Fehler: Gerät nicht bereit\n".encode("latin-1"),
    "no newline": SPLIT.strip().encode(),
    "crlf": SPLIT.replace("\n", "\r\n").encode(),
    "escapes": b"\x1b[2J\x1b]0;title\x07" + SPLIT.encode(),
    "success": b"INFO:     Application startup complete.\nINFO:     Uvicorn running on http://0.0.0.0:8000\n",
    "one long line": b"x" * 3_000_000 + b"\n" + SPLIT.encode(),
}


def triaged(capsys: pytest.CaptureFixture[str], folder: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
    """Exit status and document of a triage; its document validates and its record replays to the byte."""
    status = status_of(["triage", "--json", "--transcripts", str(folder), *arguments])
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, json_schema())

    assert 0 == status_of(["replay", "--strict", "--json", document["transcript"]])
    assert {**document, "seconds": 0} == {**json.loads(capsys.readouterr().out), "seconds": 0}
    return status, document


@pytest.mark.parametrize("name", LOGS)
def test_any_log_gets_a_verdict(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever a log holds (nothing, garbage, escapes, no text), the triage ends with a document; only the decisive line makes a cause."""
    (tmp_path / "log").write_bytes(LOGS[name])
    status, document = triaged(capsys, tmp_path / "runs", "--log", str(tmp_path / "log"))
    decisive = b"cannot be converted" in LOGS[name]

    assert (10 if decisive else 11) == status
    assert ("quoting/json-split" if decisive else None) == (document["cause"] or {}).get("id")


def test_case_zero_from_its_error_line_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """argparse converts only what it knows: the flag's absence is out of the question, and the shell split the JSON."""
    (tmp_path / "log").write_text(SPLIT, encoding="utf-8")
    _, document = triaged(capsys, tmp_path / "runs", "--log", str(tmp_path / "log"))

    assert document["cause"]["probability"] >= 0.9
    assert [] == [item for item in document["ranking"] if item["id"].startswith("flag/") and item["probability"] > 0.01]
    assert 1 == document["symptom"]["line_number"]


def test_log_of_another_attempt_is_recognised(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A value in the error that was not sent is another launch's error: the log is stale."""
    (tmp_path / "log").write_text(SPLIT, encoding="utf-8")
    _, document = triaged(
        capsys, tmp_path / "runs", "--log", str(tmp_path / "log"), "--", "vllm", "serve", "m", "--speculative-config", "/etc/spec.json"
    )

    assert "process/stale-observation" == document["ranking"][0]["id"]


def test_log_from_stdin(tmp_path: Path) -> None:
    """A dash reads the log from a pipe."""
    done = subprocess.run(
        [sys.executable, "-c", "from agent.cli.main import main; main()", "triage", "--json", "--transcripts", str(tmp_path), "--log", "-"],
        cwd=ROOT,
        input=SPLIT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert 10 == done.returncode
    assert "quoting/json-split" == json.loads(done.stdout)["cause"]["id"]


@pytest.mark.parametrize(("given", "same"), [("137", "-9"), ("-9", "137")])
def test_a_signal_is_a_signal_however_it_is_written(given: str, same: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit status 137 of a shell and -9 of a process mean the same kill."""
    (tmp_path / "log").write_text("INFO loading\n", encoding="utf-8")
    documents = [triaged(capsys, tmp_path / name, "--log", str(tmp_path / "log"), "--exit-status", name)[1] for name in (given, same)]

    assert documents[0]["ranking"] == documents[1]["ranking"]


def test_a_report_tells_the_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A recorded triage can be told again, with the same verdict."""
    (tmp_path / "log").write_text(SPLIT, encoding="utf-8")
    _, document = triaged(capsys, tmp_path / "runs", "--log", str(tmp_path / "log"))

    assert 0 == status_of(["report", document["transcript"]])
    assert "Cause: quoting/json-split" in capsys.readouterr().out


def hanging(folder: Path) -> Path:
    """A server program that starts a child in a session of its own and never gets anywhere."""
    program = folder / "vllm"
    program.write_text("#!/bin/sh\necho starting\nsetsid sleep 876543 &\nsleep 876543\n", encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_interrupted_while_a_launch_runs(number: signal.Signals, tmp_path: Path) -> None:
    """Ctrl-C, a supervisor's stop and a closed terminal end everything that was launched: status 130, the record closed, nothing on stdout."""
    command = [
        sys.executable,
        "-c",
        "from agent.cli.main import main; main()",
        "triage",
        "--no-check",
        "--json",
        "--transcripts",
        str(tmp_path / "runs"),
    ]
    with subprocess.Popen(
        [*command, "--", str(hanging(tmp_path)), "serve", "m"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr is not None
        while b"launch 1" not in process.stderr.readline():
            assert process.poll() is None
        time.sleep(0.3)
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
    last = load(next(runs(tmp_path / "runs"))).events[-1]

    assert (130, b"") == (process.returncode, out)
    assert b"interrupted" in err
    assert ("interrupted", 130) == (last.reason, last.exit_status) if isinstance(last, RunEnded) else False
    assert not _alive("876543", tmp_path)


def _alive(word: str, folder: Path) -> bool:
    """Whether a process with `word` among its arguments, started from `folder`'s program, lives."""
    for path in Path("/proc").glob("[0-9]*"):
        try:
            environment = (path / "environ").read_bytes()
            if word.encode() in (path / "cmdline").read_bytes().split(b"\0") and str(folder).encode() in environment:
                return True
        except OSError:
            continue
    return False


def test_full_disk_is_said(tmp_path: Path) -> None:
    """When the transcript cannot be written any more the triage ends with a sentence and status 4."""
    (tmp_path / "log").write_text(SPLIT, encoding="utf-8")
    code = (
        "import resource, signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nresource.setrlimit(resource.RLIMIT_FSIZE, (700, 700))\n"
        "from agent.cli.main import main\nmain()"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", code, "triage", "--transcripts", str(tmp_path / "runs"), "--log", str(tmp_path / "log")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert 4 == done.returncode, done.stderr
    assert "cannot write the transcript" in done.stderr


def test_unwritable_folder_without_roots_rights(tmp_path: Path) -> None:
    """A user who may not write where transcripts lie is told so, with status 4, before anything is started."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o555)
    if os.geteuid() != 0:
        assert 4 == status_of(["check", "--transcripts", str(closed), "--", "vllm", "serve", "m"])
        return
    code = (
        "import os\nfrom agent.cli import session, check\nos.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        "from agent.cli.main import main\nmain()"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", code, "check", "--transcripts", str(closed), "--", "vllm", "serve", "m"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (4, "") == (done.returncode, done.stdout)
    assert "cannot write the transcript" in done.stderr
