"""``nostart report``: on the terminal, as a page, as JSON; broken transcripts and planted secrets."""

import json
from pathlib import Path

import jsonschema
import msgspec
import pytest

from agent.cli.main import status_of
from transcripts.postmortem.story import Postmortem

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "tests" / "transcripts" / "postmortem"
SCHEMA = ROOT / "docs" / "postmortem.schema.json"
# as another tool may have recorded them: nobody has hidden these before
SECRETS = {
    "hf_": "hf_AbCdEfGhIjKlMnOpQrStUvWxYz",
    "sk-": "sk-proj-0123456789abcdef0123",
    "github": "ghp_0123456789abcdefghijABCDEFGHIJ0123",
    "bearer": "Authorization: Bearer abcdef0123456789abcdef",
    "url": "https://user:hunter2hunter2@example.org/x",
    "assigned": "OPENAI_API_KEY=abcdef0123456789",
}


def test_the_json_is_as_its_schema_says(capsys: pytest.CaptureFixture[str]) -> None:
    """The schema is part of the project and current, and what is printed satisfies it."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    assert json.loads(json.dumps(msgspec.json.schema(Postmortem))) == schema
    for file in sorted(FOLDER.glob("*.jsonl")):
        assert 0 == status_of(["report", "--json", str(file)])
        document = json.loads(capsys.readouterr().out)
        jsonschema.validate(document, schema)
        assert "nostart-postmortem/1" == document["schema"]


def test_a_page_is_written_where_it_is_wanted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file, or stdout; a place that cannot be written is told with what to do."""
    run = str(FOLDER / "relaunch-confirms.jsonl")
    assert 0 == status_of(["report", run, "--html", str(tmp_path / "page.html")])
    assert "" == capsys.readouterr().out
    assert 0 == status_of(["report", run, "--html", "-"])
    assert capsys.readouterr().out.rstrip() == (tmp_path / "page.html").read_text(encoding="utf-8").rstrip()
    assert 2 == status_of(["report", run, "--html", str(tmp_path / "nowhere" / "page.html")])
    assert "cannot write the page" in capsys.readouterr().err


def test_a_torn_transcript_is_told_and_said_to_be_torn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A crash in the middle of a line costs that line alone."""
    whole = (FOLDER / "relaunch-confirms.jsonl").read_bytes()
    (tmp_path / "transcript.jsonl").write_bytes(whole[:-40])
    assert 0 == status_of(["report", str(tmp_path)])
    assert "The last line of the transcript is torn" in capsys.readouterr().out


@pytest.mark.parametrize("form", SECRETS)
def test_no_secret_is_shown(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A secret that a transcript holds after all is in no rendering."""
    secret = SECRETS[form]
    value = {"bearer": "abcdef0123456789abcdef", "url": "hunter2hunter2", "assigned": "abcdef0123456789"}.get(form, secret)
    text = (FOLDER / "relaunch-confirms.jsonl").read_text(encoding="utf-8").replace("usage: vllm serve", f"usage: {secret} serve")
    (tmp_path / "transcript.jsonl").write_text(text, encoding="utf-8")
    for arguments in ([], ["--json"], ["--html", "-"]):
        assert 0 == status_of(["report", str(tmp_path), *arguments])
        assert value not in capsys.readouterr().out


def test_bytes_that_are_no_text_are_written_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A word of an argv that is not UTF-8 breaks no rendering."""
    name = "0" * 64
    (tmp_path / "blobs").mkdir()
    (tmp_path / "blobs" / name).write_bytes("bad \udcff byte".encode("utf-8", "surrogatepass"))
    text = (FOLDER / "relaunch-confirms.jsonl").read_text(encoding="utf-8").replace('"33655"', f'"blob:{name}"')
    (tmp_path / "transcript.jsonl").write_text(text, encoding="utf-8")
    for arguments in ([], ["--json"], ["--html", "-"]):
        assert 0 == status_of(["report", str(tmp_path), *arguments])
        assert "udcff" in capsys.readouterr().out


def test_a_corrected_copy_is_named_where_it_lies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the fix points to can be pasted: the run's own folder stands in it."""
    text = (FOLDER / "relaunch-confirms.jsonl").read_text(encoding="utf-8").replace("num_speculative_tokens 2", "config {run}/copy.yaml")
    (tmp_path / "transcript.jsonl").write_text(text, encoding="utf-8")
    assert 0 == status_of(["report", "--json", str(tmp_path)])
    assert f"{tmp_path}/files/copy.yaml" in json.loads(capsys.readouterr().out)["change"]["shell"]
