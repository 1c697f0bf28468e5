"""Real vLLM: case zero on 0.20.1, every kind of flag fault on 0.29.0, and a launch brought up until it answers."""

import asyncio
import json
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from agent.checking import situate
from probes import help_grep
from probes.probe import read_answer
from probes.targets.local import LocalTarget
from tests.live.conftest import SERVING
from tests.running import PROGRAM, Run
from transcripts.records import Finding, Launch, Outcome, Question

pytestmark = pytest.mark.live

SPECULATIVE = '{"method": "ngram", "num_speculative_tokens": 2, "prompt_lookup_max": 3}'


def _accepted(venv: Path, argv: list[str]) -> bool:
    """Whether the real parser of that release takes the words behind ``vllm serve``."""
    parser = Path(__file__).with_name("vllm_parser.py")
    done = subprocess.run([venv / "bin" / "python", parser], input=json.dumps([argv[2:]]), capture_output=True, text=True, check=True)
    return bool([None] == json.loads(done.stdout.strip().splitlines()[-1]))


def _case_zero(venv: Path) -> tuple[str, ...]:
    text = f'{venv}/bin/vllm serve Qwen/Qwen3.6-27B --speculative-config {{"method": "dflash", "num_speculative_tokens": 15}}'
    return ("bash", "-c", text)


@pytest.mark.quick
def test_case_zero_is_known_before_any_launch(nostart: Callable[..., Run], old_vllm: Path) -> None:
    """JSON through an unquoted `bash -c` is seen without launching, no flag hypothesis is in question, and the real parser takes the fix."""
    run = nostart("triage", "--", *_case_zero(old_vllm))
    assert ("quoting/json-split", 0) == (run.document["cause"]["id"], run.document["launches"])
    assert run.document["cause"]["probability"] >= 0.9
    assert max((p for cause, p in run.probabilities.items() if cause.startswith("flag/")), default=0.0) <= 0.01
    assert _accepted(old_vllm, run.document["fix"]["argv"])


@pytest.mark.quick
def test_case_zero_is_known_from_one_failed_launch(nostart: Callable[..., Run], old_vllm: Path) -> None:
    """With the checks off, the first failing launch alone proves the split."""
    run = nostart("triage", "--no-check", "--", *_case_zero(old_vllm))
    assert ("quoting/json-split", 1) == (run.document["cause"]["id"], run.document["launches"])
    assert run.document["cause"]["probability"] >= 0.9
    assert max((p for cause, p in run.probabilities.items() if cause.startswith("flag/")), default=0.0) <= 0.01
    assert _accepted(old_vllm, run.document["fix"]["argv"])


FLAGS = [
    (("--speculative-cfg", SPECULATIVE), "flag/misspelt", "--speculative-config"),
    (("--enable-reasoning",), "flag/removed", ""),
    (("--mem-fraction-static", "0.8"), "flag/foreign", "--gpu-memory-utilization"),
    (("-tensor-parallel-size", "1"), "flag/misspelt", "--tensor-parallel-size"),
    (("--dtype float32",), "quoting/joined-arguments", "--dtype"),
    (("--enforce-eager", "true"), "quoting/boolean-value", "--enforce-eager"),
]


@pytest.mark.parametrize(("words", "cause", "mended"), FLAGS, ids=[words[0] for words, _, _ in FLAGS])
def test_every_flag_fault_has_its_own_cause(
    nostart: Callable[..., Run], vllm: Path, model: Path, words: tuple[str, ...], cause: str, mended: str
) -> None:
    """Each kind of wrong flag is named, before a launch and from a failed one, with a fix that the real parser takes."""
    command = (vllm / "bin" / "vllm", "serve", model, *words)
    for options in ((), ("--no-check",)):
        run = nostart("triage", *options, "--", *command)
        assert cause == run.document["cause"]["id"], run.document["ranking"][:4]
        argv = run.document["fix"]["argv"]
        assert not mended or any(word.split(".")[0].split("=")[0] == mended for word in argv), argv
        assert _accepted(vllm, argv), argv


@pytest.mark.quick
@pytest.mark.usefixtures("nothing_left")
def test_split_json_is_fixed_and_the_launch_answers(nostart: Callable[..., Run], vllm: Path, model: Path, port: int) -> None:
    """`triage --fix` brings a launch with split JSON up in one launch: it answers a completion, and nothing of it is left afterwards."""
    text = f"{vllm}/bin/vllm serve {model} {' '.join(SERVING)} --port {port} --speculative-config {SPECULATIVE}"
    run = nostart("triage", "--fix", "--", "bash", "-c", text)
    assert ("up", 0, 1) == (run.document["outcome"], run.status, run.document["launches"]), run.stderr[-3000:]
    assert ("quoting/json-split", True) == (run.document["cause"]["id"], run.document["cause"]["confirmed"])


@pytest.mark.usefixtures("nothing_left")
def test_a_server_that_dies_on_its_first_completion_is_not_up(nostart: Callable[..., Run], vllm: Path, narrow_model: Path, port: int) -> None:
    """A model of head size 16 says 200 on /health and dies on the first completion: that is not up."""
    run = nostart("triage", "--", vllm / "bin" / "vllm", "serve", narrow_model, *SERVING, "--port", str(port))
    assert "up" != run.document["outcome"]
    assert 1 == run.document["launches"]


def _asked(venv: Path, mode: str, **environment: str) -> Finding:
    launch = Launch(argv=(str(venv / "bin" / "vllm"), "serve", "m", "--speculative-config", "{method:"), env=environment)
    situation = situate(launch, "vllm", "", {"executable": {"path": launch.argv[0]}}, can_ask=True)
    question = Question(probe="help-grep", parameters={"flag": "--speculative-config", "mode": mode, "framework": "vllm"})
    output = asyncio.run(LocalTarget().run(help_grep.PROBE.command(question, situation)))
    return read_answer(help_grep.PROBE, question, output)


def test_plain_help_is_void_and_full_help_is_not(old_vllm: Path) -> None:
    """The grep of the plain help of 0.20.1 fails its control and says nothing; the full help shows the flag."""
    assert (Outcome.VOID, ()) == (_asked(old_vllm, "plain").outcome, _asked(old_vllm, "plain").signs)
    full = _asked(old_vllm, "full")
    assert (Outcome.OBSERVED, [("registered", "yes")]) == (full.outcome, [(sign.variable, sign.value) for sign in full.signs])


def test_help_that_crashes_is_void_and_the_crash_is_told(old_vllm: Path) -> None:
    """On a host where `vllm serve --help` crashes, the grep says nothing of the flag, and the crash is there to be read as a symptom."""
    for mode in ("plain", "full"):
        finding = _asked(old_vllm, mode, VLLM_LOGGING_LEVEL="verbose")
        assert (Outcome.VOID, ()) == (finding.outcome, finding.signs)
        assert "Traceback" in finding.data["crash"]


@pytest.mark.usefixtures("nothing_left")
def test_an_engine_does_not_outlive_its_killed_server(tmp_path: Path, environment: dict[str, str], vllm: Path, model: Path, port: int) -> None:
    """The API process alone is killed while the engine starts: the launch is over, and its engine and workers are ended too."""
    command = (PROGRAM, "triage", "--plain", "--transcripts", tmp_path, "--", vllm / "bin" / "vllm", "serve", model, *SERVING, "--port", str(port))
    triage = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment)
    server = _wait_for_engine(triage.pid)
    server.kill()
    output, _ = triage.communicate()
    assert triage.returncode in (10, 11), output.decode()[-2000:]


def _wait_for_engine(pid: int) -> psutil.Process:
    """The API process, once its engine runs."""
    while True:
        for child in psutil.Process(pid).children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                words = child.cmdline()
                if any("EngineCore" in word for word in (*words, child.name())):
                    return next(p for p in psutil.Process(pid).children(recursive=True) if "serve" in p.cmdline())
        time.sleep(0.5)


FAULTS = ("--max-modle-len 128", "--enable-reasoning", "--mem-fraction-static 0.8", "'--dtype float32'", "--enforce-eager true")


@pytest.mark.usefixtures("nothing_left")
def test_a_script_with_every_fault_needs_one_launch(nostart: Callable[..., Run], tmp_path: Path, vllm: Path, model: Path, port: int) -> None:
    """Joined, misspelt, removed, foreign and switched-on-with-a-value options, split JSON and a Service's `VLLM_PORT`: one launch, and it answers."""
    (tmp_path / "service.env").write_text("VLLM_PORT=tcp://10.0.0.12:8000\n")
    script = tmp_path / "start.sh"
    words = f"{vllm}/bin/vllm serve {model} --port {port} {' '.join(FAULTS)}".replace("'", "'\\''")
    script.write_text(
        f"#!/bin/bash\nset -a\n. {tmp_path}/service.env\nset +a\nSPEC='{SPECULATIVE}'\nbash -c '{words} --speculative-config '\"$SPEC\"\n"
    )
    script.chmod(0o755)
    checked = nostart("check", "--", script)
    assert 0 == checked.document["launches"]
    expected = ["environment/variable-collision", "flag/foreign", "flag/misspelt", "flag/removed"]
    expected += ["quoting/boolean-value", "quoting/joined-arguments", "quoting/json-split"]
    assert expected == sorted({checked.cause, *checked.also})
    run = nostart("triage", "--fix", "--", script)
    assert ("up", 1) == (run.document["outcome"], run.document["launches"]), run.stderr[-3000:]
