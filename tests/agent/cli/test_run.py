"""The wrapper is transparent: streams, signals and status are the command's own."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
NOSTART = [sys.executable, "-c", "from agent.cli.main import main; main()", "run"]


def run(folder: Path, *command: str, stdin: str = "") -> subprocess.CompletedProcess[bytes]:
    """A command behind the wrapper, run to its end."""
    environment = {**os.environ, "XDG_STATE_HOME": str(folder)}
    return subprocess.run([*NOSTART, "--", *command], cwd=ROOT, env=environment, input=stdin.encode(), capture_output=True, timeout=60, check=False)


def test_streams_pass_through_untouched_and_apart(tmp_path: Path) -> None:
    """Every byte of stdout and stderr arrives on the same stream: no newline added, no encoding assumed; stdin is read by the command."""
    script = r"cat; printf 'out\000\377 no newline'; printf 'err\033[1m' >&2"
    done = run(tmp_path, "sh", "-c", script, stdin="typed ")

    assert (0, b"typed out\x00\xff no newline", b"err\x1b[1m") == (done.returncode, done.stdout, done.stderr)


def test_large_output_passes_whole(tmp_path: Path) -> None:
    """Ten megabytes arrive as ten megabytes."""
    done = run(tmp_path, "sh", "-c", "head -c 10000000 /dev/zero")

    assert 10_000_000 == len(done.stdout)


def test_success_leaves_nothing_behind(tmp_path: Path) -> None:
    """A command that works leaves no transcript and no word of nostart."""
    done = run(tmp_path, "true")

    assert (0, b"", b"") == (done.returncode, done.stdout, done.stderr)
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize(("script", "status"), [("exit 7", 7), ("kill -KILL $$", 137), ("kill -TERM $$", 143)], ids=["exit", "killed", "ended"])
def test_status_is_the_commands_own_and_the_verdict_is_on_stderr(tmp_path: Path, script: str, status: int) -> None:
    """What dies before it is up is triaged on stderr, and the caller still sees its status, a signal as 128 + N."""
    done = run(tmp_path, "sh", "-c", script)

    assert (status, b"") == (done.returncode, done.stdout)
    assert b"transcript: " in done.stderr


def test_command_that_does_not_exist_has_the_shells_status(tmp_path: Path) -> None:
    """A command that is not there ends with 127 and a sentence that names it."""
    done = run(tmp_path, "no-such-server", "serve")

    assert 127 == done.returncode
    assert b"no-such-server: command not found" in done.stderr


def test_signal_reaches_the_command_and_what_it_started_is_ended(tmp_path: Path) -> None:
    """SIGTERM is the command's to handle; a child that it leaves in a session of its own does not survive it, and a stop is no failure to triage."""
    script = "setsid sleep 987654 & trap 'echo stopped; exit 3' TERM; echo up; while :; do sleep 0.1; done"
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path)}
    with subprocess.Popen([*NOSTART, "--", "sh", "-c", script], cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert b"up\n" == process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=30)

    assert (3, b"stopped\n", b"") == (process.returncode, out, err)
    assert not _alive("987654")


def _alive(word: str) -> bool:
    """Whether a process with `word` among its arguments lives after a moment."""
    time.sleep(0.1)
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if word.encode() in path.read_bytes().split(b"\0"):
                return True
        except OSError:
            continue
    return False


def test_no_secret_of_the_command_reaches_the_disk(tmp_path: Path) -> None:
    """The command gets its secrets; the transcript of its failure holds none, wherever they stood."""
    done = run(tmp_path, "sh", "-c", "echo key $1; exit 1", "sh", "--api-key=canary-canary-canary")
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())

    assert b"key --api-key=canary-canary-canary\n" == done.stdout
    assert b"canary-canary" not in written
    assert b"$API_KEY" in written
