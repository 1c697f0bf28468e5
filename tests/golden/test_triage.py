"""Whole triages of a small server with the layout, the errors and the processes of the real one: checked, launched, mended, relaunched, replayed."""

import json
import os
import socket
import stat
from pathlib import Path

import pytest

from tests.golden.small import install
from tests.running import Run, nostart, replays_strictly

SPECULATIVE = '{"method": "ngram", "num_speculative_tokens": 2}'


def _script(folder: Path, text: str, name: str = "start.sh") -> Path:
    path = folder / name
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def _up(run: Run, launches: int) -> None:
    assert ("up", 0, launches) == (run.document["outcome"], run.status, run.document["launches"]), run.stderr[-3000:]
    assert "" == replays_strictly(run)


def test_split_json_is_seen_without_a_launch(tmp_path: Path, small: Path, model: Path) -> None:
    """JSON unquoted in `bash -c` is known before any launch, no flag hypothesis is in question, and the fix needs no quoting."""
    run = nostart(tmp_path, "triage", "--", "bash", "-c", f"{small} serve {model} --speculative-config {SPECULATIVE}")
    assert ("quoting/json-split", 10, 0) == (run.cause, run.status, run.document["launches"])
    assert run.document["cause"]["probability"] >= 0.9
    assert max((p for cause, p in run.probabilities.items() if cause.startswith("flag/")), default=0.0) <= 0.01
    expected = [str(small), "serve", str(model), "--speculative-config.method", "ngram", "--speculative-config.num_speculative_tokens", "2"]
    assert expected == run.argv
    assert "" == replays_strictly(run)


def test_split_json_is_known_from_one_failed_launch(tmp_path: Path, small: Path, model: Path, port: int) -> None:
    """With the checks off the failing launch alone proves it, and the relaunch confirms it."""
    text = f"{small} serve {model} --port {port} --speculative-config {SPECULATIVE}"
    run = nostart(tmp_path, "triage", "--no-check", "--fix", "--", "bash", "-c", text)
    _up(run, 2)
    assert ("quoting/json-split", True) == (run.cause, run.document["cause"]["confirmed"])


def test_three_faults_are_mended_in_one_launch(tmp_path: Path, small: Path, model: Path, port: int) -> None:
    """Every fault that can be seen is mended together before anything is launched."""
    text = f"{small} serve {model} --port {port} --dtype float33 --speculative-config {SPECULATIVE} --enforce-eager true"
    run = nostart(tmp_path, "triage", "--fix", "--", "bash", "-c", text)
    _up(run, 1)
    assert ["config/invalid-choice", "quoting/boolean-value", "quoting/json-split"] == run.solved


def test_what_a_repair_uncovers_is_mended_in_the_same_launch(tmp_path: Path, small: Path, model: Path, port: int) -> None:
    """A misspelt option hides that its value is bad: the corrected argv is checked again before it is launched."""
    run = nostart(tmp_path, "triage", "--fix", "--", small, "serve", model, "--port", str(port), "--speculative-cfg", "{'method': 'ngram'}")
    _up(run, 1)
    assert "--speculative-config.method" in run.argv


FLAGS = [
    ("--speculative-cfg {}", "flag/misspelt"),
    ("--enable-reasoning", "flag/removed"),
    ("--mem-fraction-static 0.8", "flag/foreign"),
    ("-tensor-parallel-size 1", "flag/misspelt"),
    ("'--dtype float32'", "quoting/joined-arguments"),
    ("--enforce-eager true", "quoting/boolean-value"),
]


@pytest.mark.parametrize(("words", "cause"), FLAGS)
def test_a_faulty_script_needs_no_launch_to_be_known_and_one_to_be_mended(
    tmp_path: Path, small: Path, model: Path, port: int, words: str, cause: str
) -> None:
    """The launch is read from the script; `check` names the fault and the line, and `triage --fix` needs one launch."""
    script = _script(tmp_path, f"#!/bin/bash\nset -e\nMODEL={model}\nexport HF_HUB_OFFLINE=1\nexec {small} serve $MODEL --port {port} {words}\n")
    checked = nostart(tmp_path, "check", "--", script)
    assert (cause, 10, 0) == (checked.cause, checked.status, checked.document["launches"]), checked.document["ranking"][:3]
    assert any("start.sh" in step and "5" in step for step in checked.document["fix"]["steps"])
    assert "" == replays_strictly(checked)
    _up(nostart(tmp_path, "triage", "--fix", "--", script), 1)


def test_a_variable_expanded_into_a_shell_is_followed(tmp_path: Path, small: Path, model: Path, port: int) -> None:
    """JSON in a variable, right in the script and split by the second shell it is expanded into."""
    text = f"#!/bin/bash\nSPEC='{SPECULATIVE}'\nbash -c \"{small} serve {model} --port {port} --speculative-config $SPEC\"\n"
    script = _script(tmp_path, text)
    checked = nostart(tmp_path, "check", "--", script)
    assert ("quoting/json-split", 0) == (checked.cause, checked.document["launches"])
    _up(nostart(tmp_path, "triage", "--fix", "--", script), 1)


def test_a_python_list_is_followed(tmp_path: Path, small: Path, model: Path, port: int) -> None:
    """A list handed to `os.execv` in which two words are joined."""
    argv = json.dumps([str(small), "serve", str(model), "--port", str(port), "--dtype float32"])
    script = _script(tmp_path, f"import os\nARGV = {argv}\nos.execv(ARGV[0], ARGV)\n", "start.py")
    checked = nostart(tmp_path, "check", "--", "python3", script)
    assert ("quoting/joined-arguments", 0) == (checked.cause, checked.document["launches"])
    _up(nostart(tmp_path, "triage", "--fix", "--", "python3", script), 1)


def test_a_service_variable_from_an_env_file_is_taken_away(tmp_path: Path, small: Path, model: Path, port: int) -> None:
    """`VLLM_PORT` as a Kubernetes Service sets it, sourced from an env file, is seen before a launch and unset."""
    (tmp_path / "service.env").write_text("VLLM_PORT=tcp://10.0.0.12:8000\n")
    script = _script(tmp_path, f"#!/bin/bash\nset -a\nsource {tmp_path}/service.env\nset +a\n{small} serve {model} --port {port}\n")
    checked = nostart(tmp_path, "check", "--", script)
    assert ("environment/variable-collision", 0) == (checked.cause, checked.document["launches"])
    _up(nostart(tmp_path, "triage", "--fix", "--", script), 1)


def test_a_stale_install_first_on_path_is_seen(tmp_path: Path, small: Path, model: Path, port: int) -> None:
    """With an environment active, a program of another install that stands before it on PATH is the wrong one."""
    stale = install(tmp_path / "stale", "0.8.0")
    path = f"{stale.parent}:{small.parent}:{os.environ['PATH']}"
    active = {"PATH": path, "VIRTUAL_ENV": str(small.parents[1])}
    script = _script(tmp_path, f"#!/bin/bash\nvllm serve {model} --port {port}\n")
    checked = nostart(tmp_path, "check", "--", script, environment=active)
    assert ("version/wrong-interpreter", 0) == (checked.cause, checked.document["launches"])
    run = nostart(tmp_path, "triage", "--fix", "--", script, environment=active)
    _up(run, 1)


def test_a_taken_port_is_left_to_its_owner(tmp_path: Path, small: Path, model: Path) -> None:
    """A port that somebody holds is seen before a launch; the fix takes another one and ends nobody."""
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        taken = holder.getsockname()[1]
        run = nostart(tmp_path, "triage", "--fix", "--", small, "serve", model, "--port", str(taken))
        _up(run, 1)
    assert "process/port-in-use" == run.cause
    assert str(taken) not in run.argv


def test_a_launch_that_works_is_up(tmp_path: Path, small: Path, model: Path, port: int) -> None:
    """Nothing is wrong: it is launched as given, answers, and no cause is invented."""
    run = nostart(tmp_path, "triage", "--", small, "serve", model, "--port", str(port))
    _up(run, 1)
    assert "" == run.cause


def test_a_model_that_is_not_there_is_told(tmp_path: Path, small: Path, port: int) -> None:
    """A model folder that is absent is known without a launch; no argv can mend it."""
    run = nostart(tmp_path, "triage", "--", small, "serve", "/models/none", "--port", str(port))
    assert ("model/not-found", 10) == (run.cause, run.status)


def test_a_log_of_another_launch_is_stale(tmp_path: Path) -> None:
    """A value that this launch cannot have sent says that what was read is not its log."""
    log = b"vllm serve: error: argument --speculative-config/-sc: Value {method: cannot be converted to <function loads at 0x7f>.\n"
    run = nostart(tmp_path, "triage", "--log", "-", "--", "vllm", "serve", "m", "--speculative-config", "/root/spec.json", stdin=log)
    assert "process/stale-observation" == run.cause
    assert "" == replays_strictly(run)


def test_the_error_line_alone_proves_the_split(tmp_path: Path) -> None:
    """Nothing but the line of the story: no launch, no framework, no target."""
    run = nostart(tmp_path, "triage", "--log", "-", stdin=b"Value {method: cannot be converted to <function loads at 0x756a21e20ae0>\n")
    assert "quoting/json-split" == run.cause
    assert max((p for cause, p in run.probabilities.items() if cause.startswith("flag/")), default=0.0) <= 0.01
