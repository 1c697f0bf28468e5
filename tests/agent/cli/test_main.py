"""The program's rim: help without heavy imports, exit statuses, one sentence for everything a person can do wrong."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import click
import pytest

from agent.cli.main import COMMANDS, nostart, status_of

ROOT = Path(__file__).parents[3]
HEAVY = {"structlog", "asyncio", "httpx", "rich", "yaml", "tree_sitter", "psutil", "msgspec", "rapidfuzz"}


def nostart_process(*arguments: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The program as a person runs it."""
    return subprocess.run(
        [sys.executable, "-c", "from agent.cli.main import main; main()", *arguments],
        cwd=ROOT,
        env={**os.environ, "XDG_STATE_HOME": str(folder), **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_help_imports_nothing_heavy() -> None:
    """Help is click and text: none of the libraries that only a triage needs is loaded."""
    code = "import sys\nfrom agent.cli.main import status_of\nstatus_of(['--help'])\nprint(sorted(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)

    assert 0 == done.returncode
    assert set() == {name for name in HEAVY if f"'{name}'" in done.stderr}


def test_help_costs_little_cpu() -> None:
    """Help takes less than 0.3 s of CPU, measured on the child alone."""
    least = 9.0
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", "from agent.cli.main import main; main()", "--help"], cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

    assert least < 0.3


def test_help_names_every_command_and_status(capsys: pytest.CaptureFixture[str]) -> None:
    """The first help teaches: each command, examples to paste, what the exit status means."""
    assert 0 == status_of(["--help"])
    said = capsys.readouterr().out

    assert [] == [name for name in COMMANDS if f"  {name} " not in said]
    assert "nostart triage --fix -- ./start.sh" in said
    assert "130 interrupted" in said


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_examples(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A command's own help says what it does and shows how it is called."""
    assert 0 == status_of([name, "--help"])
    said = capsys.readouterr().out

    assert f"nostart {name}" in said
    assert "Example" in said


def test_table_of_commands_agrees_with_the_commands() -> None:
    """Every entry of the table is a command that can be imported."""
    context = click.Context(nostart)

    assert all(isinstance(nostart.get_command(context, name), click.Command) for name in COMMANDS)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["trige"], "no command 'trige'"),
        (["vllm", "serve", "m"], "nostart triage -- vllm"),
        (["triage"], "nothing to diagnose"),
        (["triage", "--", ""], "the COMMAND is empty"),
        (["triage", "--shell", "  "], "--shell LINE is empty"),
        (["triage", "--shell", "vllm serve m", "--", "vllm"], "both --shell LINE and a COMMAND"),
        (["triage", "--log", "no-such-file.log"], "cannot read the log no-such-file.log: No such file"),
        (["triage", "--log", "."], "cannot read the log .: Is a directory"),
        (["triage", "--exit-status", "1", "--", "vllm"], "--exit-status belongs to --log"),
        (["triage", "--fix", "--log", "-"], "--fix launches, --log launches nothing"),
        (["triage", "--keep", "--", "vllm"], "--keep belongs to --fix"),
        (["triage", "--framework", "vlm", "--", "vllm"], "--framework vlm: known are vllm, litellm, sglang"),
        (["triage", "--target", "ftp://gpu", "--", "vllm"], "--target ftp://gpu"),
        (["triage", "--budget", "0", "--", "vllm"], "--budget"),
        (["triage", "--no-such-option", "--", "vllm"], "No such option"),
        (["check"], "nothing to check"),
        (["run"], "nothing to run"),
    ],
)
def test_bad_input_gets_a_sentence_and_status_2(arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    """What a person can do wrong at the command line is said in a sentence on stderr, with exit status 2 and nothing on stdout."""
    assert 2 == status_of(arguments)
    said = capsys.readouterr()

    assert sentence.lower() in said.err.lower()
    assert "" == said.out


def test_unreadable_transcript_is_status_4(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A transcript that is not there cannot be told again; the sentence names it."""
    assert 4 == status_of(["report", str(tmp_path / "nowhere")])
    assert "nowhere" in capsys.readouterr().err


def test_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """The program says its version."""
    assert 0 == status_of(["--version"])
    assert capsys.readouterr().out.startswith("nostart ")


def test_unwritable_transcripts_are_status_4(tmp_path: Path) -> None:
    """Where no transcript can be written nothing is started: a sentence, exit status 4."""
    (tmp_path / "file").write_text("")
    done = nostart_process("check", "--transcripts", str(tmp_path / "file" / "runs"), "--", "vllm", "serve", "m", folder=tmp_path)

    assert 4 == done.returncode
    assert "cannot write the transcript" in done.stderr
    assert "" == done.stdout
