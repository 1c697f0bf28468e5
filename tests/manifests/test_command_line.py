"""``--from`` on the command line: what is printed, what is refused, and that the file is never written."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests import running

HERE = Path(__file__).parent
POD = HERE / "kubernetes_joined" / "deployment.yaml"
SECRET = """services:
  llm:
    image: vllm/vllm-openai:v0.20.1
    environment:
      HF_TOKEN: hf_abcdefghijklmnopqrstuvwxyz0123456789
    command: ["--model", "Qwen/Qwen3-8B", "--dtype auto"]
  proxy:
    image: ghcr.io/berriai/litellm:v1.80.0
    command: ["--config", "config.yaml"]
  db:
    image: postgres:17
"""


def _plain(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = [str(running.PROGRAM), arguments[0], "--transcripts", str(folder / "runs"), *arguments[1:]]
    return subprocess.run(command, cwd=folder, capture_output=True)


def test_what_is_printed_is_a_patch(tmp_path: Path) -> None:
    """The verdict on stdout can be given to a program that applies diffs as it is; nostart itself leaves the file alone."""
    path = Path(shutil.copy(POD, tmp_path))
    done = _plain(tmp_path, "check", "--from", path.name)
    assert (10, POD.read_bytes()) == (done.returncode, path.read_bytes())
    subprocess.run(["git", "apply", "-p0", "-"], cwd=tmp_path, input=done.stdout, check=True)
    assert 0 == _plain(tmp_path, "check", "--from", path.name).returncode


@pytest.mark.parametrize("verb", ["check", "triage"])
def test_the_document_holds_the_edit(tmp_path: Path, verb: str) -> None:
    """In JSON the change stands beside the corrected argv, no launch was made, and the run replays strictly."""
    path = Path(shutil.copy(POD, tmp_path))
    run = running.nostart(tmp_path, verb, "--from", f"{path.name}#server")
    [edit] = run.document["fix"]["edits"]
    told = (run.status, run.cause, run.document["launches"], edit["path"], "+            - --dtype\n" in edit["difference"])
    assert (10, "quoting/joined-arguments", 0, path.name, True) == told
    assert ["--dtype", "auto"] == run.argv[4:6]


def test_a_secret_of_the_file_is_not_told(tmp_path: Path) -> None:
    """A token in the file is nowhere in what is printed or recorded, and the diff still applies around it."""
    path = tmp_path / "compose.yaml"
    path.write_text(SECRET)
    done = _plain(tmp_path, "check", "--from", "compose.yaml#llm")
    recorded = b"".join(file.read_bytes() for file in (tmp_path / "runs").rglob("*") if file.is_file())
    assert (10, False) == (done.returncode, b"hf_abcdefgh" in done.stdout + done.stderr + recorded)
    subprocess.run(["git", "apply", "-p0", "--unidiff-zero", "-"], cwd=tmp_path, input=done.stdout, check=True)
    assert SECRET.replace('"--dtype auto"', '"--dtype", "auto"') == path.read_text()


@pytest.mark.parametrize(
    ("text", "given", "said"),
    [
        (SECRET, "f.yaml", "it holds several commands; name one: f.yaml#llm, f.yaml#proxy, f.yaml#db"),
        (SECRET, "f.yaml#web", "there is no web; there are: llm, proxy, db"),
        ("hello\n", "f.txt", "it looks like no file that holds a launch"),
        ("[Service]\nType=oneshot\n", "f.service", "the unit has no ExecStart="),
        ("a\0b", "f.yaml", "this is no text file of a launch"),
        (None, "f.yaml", "cannot be read: No such file or directory"),
    ],
)
def test_what_cannot_be_used_gets_a_sentence(tmp_path: Path, text: str | None, given: str, said: str) -> None:
    """A file without a launch, or with several, is refused with status 2 and what to do."""
    if text is not None:
        (tmp_path / given.partition("#")[0]).write_text(text)
    done = _plain(tmp_path, "check", "--from", given)
    assert (2, True) == (done.returncode, said in done.stderr.decode())


def test_a_file_that_is_no_yaml_is_a_fault(tmp_path: Path) -> None:
    """A manifest that does not parse is the cause itself, with the line."""
    (tmp_path / "compose.yaml").write_text("services:\n  llm:\n    image: x\n\tcommand: y\n")
    run = running.nostart(tmp_path, "check", "--from", "compose.yaml")
    assert (10, "config/file-malformed") == (run.status, run.cause)
    assert "line 4" in str(run.document["cause"])
