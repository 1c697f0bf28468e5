"""What a container runtime prints about an instance, and what is read from it. One TOML file a recorded answer."""

import asyncio
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from agent.cli.instance import found, questions
from probes.targets import instances
from probes.targets.choose import choose
from tests import running
from tests.containers import kubectl
from transcripts.errors import TargetUnreachable, UsageError
from transcripts.records import Command

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("*.toml"))
REFUSED = """usage: vllm serve [model_tag] [options]
vllm serve: error: argument --max-model-len: invalid human_readable_int_or_auto value: '4kk'
"""


def _read(file: dict[str, Any]) -> instances.Instance:
    text = file["output"]["text"]
    return instances.of_inspect(text) if file["runtime"] == "inspect" else instances.of_pod(text, file.get("container", ""))


def _load(name: str) -> dict[str, Any]:
    return tomllib.loads((HERE / f"{name}.toml").read_text())


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.stem))
def test_an_answer_is_read(path: Path) -> None:
    """Command, end, limits and probes are read as expected, and so is the evidence that they are."""
    file = tomllib.loads(path.read_text())
    expected = file["expect"]
    if "unreadable" in expected:
        with pytest.raises(instances.Unreadable, match=expected["unreadable"]):
            _read(file)
        return
    instance = _read(file)
    signs = [f"{sign.variable}={sign.value}" for sign in instances.signs_of(instance)]
    plain = json.loads(json.dumps({name: getattr(instance, name) for name in expected if name not in ("signs", "told")}))
    assert {name: value for name, value in expected.items() if name not in ("signs", "told")} == plain
    assert expected["signs"] == signs
    assert expected.get("told", instances.told(instance)) == instances.told(instance)


@pytest.mark.parametrize("url", ["docker://", "docker://-v", "docker://a b", "docker://a;b", "k8s://ns", "k8s://ns/p/c/d", "k8s://ns/-p", "k8s:///p"])
def test_a_name_that_cannot_be_meant_is_refused(url: str) -> None:
    """A URL without a name, or with one that a client could take for an option, is a person's mistake."""
    for asked in (choose, questions):
        with pytest.raises(UsageError, match="write it as"):
            asked(url)


def test_the_log_before_a_restart_is_the_one_that_is_read(tmp_path: Path) -> None:
    """Of a pod that is being restarted, the log of the instance that died counts, with its exit status as a signal and its whole command."""
    with kubectl(tmp_path, _load("pod_probed")["output"]["text"], "new\n", REFUSED):
        told = found("k8s://default/llm-0/server", tmp_path / "log")
    assert (REFUSED, -9) == ((tmp_path / "log").read_text(), told.exit_status)
    assert ("vllm", "serve", "--model", "m") == told.launch.argv
    assert "kubectl logs -n default llm-0 -c server --tail=200000 --previous" in told.asked[0]


def test_a_runtime_that_cannot_answer_is_out_of_reach(tmp_path: Path) -> None:
    """An answer that is no JSON, and a container that is not there, are no empty verdict."""
    with kubectl(tmp_path, "Unauthorized"), pytest.raises(TargetUnreachable, match="cannot be used: it is no JSON"):
        found("k8s://default/llm-0/server", tmp_path / "log")
    with kubectl(tmp_path, _load("pod_oom")["output"]["text"]), pytest.raises(TargetUnreachable, match="no container web"):
        found("k8s://default/llm-0/web", tmp_path / "log")


def test_what_a_client_says_of_its_failure_is_told(tmp_path: Path) -> None:
    """A client that cannot exec says why, and that is in the error."""

    async def ask() -> None:
        target = choose("k8s://default/llm-0")
        try:
            await target.run(Command(argv=("true",)))
        finally:
            await target.close()

    with kubectl(tmp_path):
        (tmp_path / "kubectl").write_text("#!/bin/sh\necho 'Error from server (NotFound): pods \"llm-0\" not found' >&2\nexit 1\n")
        with pytest.raises(TargetUnreachable, match="NotFound"):
            asyncio.run(ask())


@pytest.mark.parametrize(("name", "cause"), [("pod_oom", "memory/host"), ("pod_probed", "process/killed-by-supervisor")])
def test_the_end_is_weighed(tmp_path: Path, name: str, cause: str) -> None:
    """With an empty log, what the runtime says tells the kernel's kill from a probe's; the run replays strictly."""
    folder = tmp_path / "bin"
    folder.mkdir()
    with kubectl(folder, _load(name)["output"]["text"], "", "INFO: loading weights\n"):
        run = running.nostart(tmp_path, "triage", "--target", "k8s://default/llm-0/server")
    assert cause == max(run.probabilities, key=lambda one: run.probabilities[one])


def test_an_error_in_the_log_counts_for_more(tmp_path: Path) -> None:
    """A parser's error in the log of the instance that died is the cause, whatever the probes are."""
    folder = tmp_path / "bin"
    folder.mkdir()
    with kubectl(folder, _load("pod_ended")["output"]["text"], REFUSED):
        run = running.nostart(tmp_path, "triage", "--target", "k8s://default/llm-0/server")
    assert (10, "config/invalid-value") == (run.status, run.cause)
