"""``nostart flags`` and ``nostart atlas``: the documents, the texts for people, and what is refused."""

import json
import sys
from pathlib import Path

import pytest

from agent.cli.main import status_of
from probes.atlas.history import history, open_history

FIELDS = ["names", "dest", "type", "choices", "nargs", "default", "takes_value", "json_config", "required", "deprecated", "group", "uncertain"]


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Exit status, stdout and stderr of ``nostart flags WORDS``."""
    status = status_of(["flags", *words])
    return status, *capsys.readouterr()


def test_the_document_of_a_release(capsys: pytest.CaptureFixture[str]) -> None:
    """All options of a release, one entry each, with the documented fields and no other."""
    status, out, _ = asked(capsys, "vllm", "--release", "0.20.1", "--json")
    document = json.loads(out)
    assert (0, ["framework", "release", "flags"], "0.20.1") == (status, list(document), document["release"])
    assert [FIELDS] == [list(keys) for keys in dict.fromkeys(tuple(entry) for entry in document["flags"])]
    assert ["--speculative-config", "-sc"] == next(entry["names"] for entry in document["flags"] if entry["dest"] == "speculative_config")


def test_the_document_of_a_flag(capsys: pytest.CaptureFixture[str]) -> None:
    """A flag that is gone has no entry, and its history; one that is there has both."""
    _, out, _ = asked(capsys, "vllm", "--speculative-model", "--release", "0.20.1", "--json")
    gone = json.loads(out)
    assert ([], "0.4.1", "0.8.2", "--speculative-config") == (gone["flags"], gone["first_release"], gone["last_release"], gone["replaced_by"])
    assert ["framework", "release", "flags", "first_release", "last_release", "replaced_by", "nearest", "value_form"] == list(gone)
    _, out, _ = asked(capsys, "vllm", "--speculative-config", "--json")
    there = json.loads(out)
    assert ("0.8.2", None, 1) == (there["first_release"], there["replaced_by"], len(there["flags"]))
    assert there["value_form"].startswith("JSON")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("vllm", "--speculative-model"), ("0.4.1 to 0.8.2, gone since 0.8.3", "--speculative-config", "'model'")),
        (("vllm", "--enable-reasoning"), ("0.7.1 to 0.9.2, gone since 0.10.0", "--reasoning-parser")),
        (("vllm", "--num-scheduler-steps"), ("0.5.5 to 0.10.0, gone since 0.10.1", "nothing is known to replace it")),
        (("vllm", "--guided-decoding-backend"), ("0.4.1 to 0.11.2, gone since 0.12.0", "--structured-outputs-config")),
        (("vllm", "--disable-log-requests"), ("0.1.0 to 0.16.0, gone since 0.17.0; since 0.33.0",)),
        (("vllm", "--task"), ("0.6.4 to 0.12.0, gone since 0.13.0", "--runner")),
        (("vllm", "--swap-space"), ("0.1.0 to 0.17.1, gone since 0.18.0",)),
        (("vllm", "--limit-mm-per-prompt", "image=4"), ("JSON", "--limit-mm-per-prompt.image 4", '{"image": 4}')),
        (("vllm", "--speculative-config.method", "telepathy"), ("method: since 0.8.2", "no release takes it")),
        (("vllm", "--mem-fraction-static"), ("does not take", "sglang")),
        (("vllm", "--max_model_len"), ("takes --max-model-len",)),
        (("vllm", "--max-model", "--release", "0.20.1"), ("short for --max-model-len",)),
        (("sglang", "--mem_fraction_static"), ("it is --mem-fraction-static there",)),
        (("litellm", "--config"), ("takes --config",)),
    ],
)
def test_the_story_of_a_flag(words: tuple[str, ...], told: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """People read when a flag came and went, what replaced it, and how its value is written."""
    status, out, _ = asked(capsys, *words)
    assert 0 == status
    assert [] == [text for text in told if text not in out]


def test_a_release_between_is_doubted(capsys: pytest.CaptureFixture[str]) -> None:
    """Of a release newer than all, nothing is certain, and a flag cannot be told."""
    status, out, _ = asked(capsys, "vllm", "--swap-space", "--release", "99.0")
    assert 0 == status or 11 == status
    _, out, _ = asked(capsys, "vllm", "--release", "99.0", "--json")
    assert {True} == {entry["uncertain"] for entry in json.loads(out)["flags"]}


def test_the_oldest_release_of_a_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    """The releases that take a whole command line are told, or what the newest says against it."""
    _, out, _ = asked(capsys, "vllm", "--oldest", "--json", "--", "vllm", "serve", "m", "--speculative-config", '{"method": "ngram"}')
    assert "0.8.2" == json.loads(out)["oldest"]
    _, out, _ = asked(capsys, "vllm", "--oldest", "--", "vllm", "serve", "m", "--swap-space", "4", "--structured-outputs-config", "{}", "--nope")
    assert out.startswith("no release of vllm")


@pytest.mark.parametrize("words", [(), ("ollama",), ("vllm", "--a", "--b", "c"), ("vllm", "a"), ("vllm", "--release", "x"), ("vllm", "--oldest")])
def test_bad_input_is_refused(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """What cannot be answered is a sentence on stderr and status 2."""
    status, out, error = asked(capsys, *words)
    assert (2, "") == (status, out)
    assert error.startswith("nostart: ")


def test_a_source_that_cannot_be_followed_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed copy whose source does not parse is an error that names it; an environment without one is another."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    package = tmp_path / "site" / "vllm" / "engine"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").write_text("def broken(:\n")
    (package / "arg_utils.py").write_text("class EngineArgs(:\n")
    assert (2, "") == asked(capsys, "vllm", "--python", str(tmp_path / "site"))[:2]
    status, _, error = asked(capsys, "sglang", "--python", str(tmp_path / "site"))
    assert (2, True) == (status, "no sglang" in error)


def test_a_damaged_atlas_is_said_and_work_goes_on_without(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The question to a damaged atlas is an error that says what to do; to everything else there is no atlas."""
    (tmp_path / "vllm.atlas").write_bytes(b"torn")
    monkeypatch.setattr("probes.atlas.history.DATA", tmp_path)
    open_history.cache_clear()
    try:
        status, out, error = asked(capsys, "vllm", "--port")
        assert (2, "", True) == (status, out, "is damaged" in error)
        assert None is history("vllm")
        triage = [
            "check",
            "--json",
            "--transcripts",
            str(tmp_path / "runs"),
            "--framework",
            "vllm",
            "--release",
            "0.20.1",
            "--",
            "vllm",
            "serve",
            "m",
        ]
        assert status_of(triage) in (0, 10, 11)
        out, error = capsys.readouterr()
        assert ("nostart/1", True) == (json.loads(out)["schema"], "going on without it" in error)
    finally:
        open_history.cache_clear()


def test_building_without_the_client_of_the_index_says_what_to_install(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra the build names it; an unknown framework is refused before anything is fetched."""
    monkeypatch.setitem(sys.modules, "unearth", None)
    for name in [name for name in sys.modules if name.startswith("probes.atlas.building")]:
        monkeypatch.delitem(sys.modules, name)
    assert 2 == status_of(["atlas", "build", "vllm"])
    assert "nostart[atlas]" in capsys.readouterr().err
    assert 2 == status_of(["atlas", "build", "ollama"])
    assert "ollama" in capsys.readouterr().err
