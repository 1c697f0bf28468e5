"""nostart on a host behind SSH, as a person uses it: one host and several."""

import asyncio
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from agent.fleet import json_schema
from tests.running import PROGRAM
from tests.ssh.sshd import Keys, free_port, in_process

SPECULATIVE = '{"method": "ngram", "num_speculative_tokens": 2}'
STAND_IN = """#!/bin/sh
echo 'usage: vllm serve [model_tag] [options]' >&2
echo 'vllm serve: error: argument --speculative-config/-sc: Value {method: cannot be converted to <function loads at 0x7f0000000000>.' >&2
exit 2
"""


async def _nostart(folder: Path, *words: str) -> tuple[int, str, str]:
    """nostart's exit status, stdout and stderr; the test's own loop goes on serving meanwhile."""
    pipe = asyncio.subprocess.PIPE
    command = [str(PROGRAM), *words[:1], "--transcripts", str(folder / "runs"), *words[1:]] if words[0] != "replay" else [str(PROGRAM), *words]
    process = await asyncio.create_subprocess_exec(*command, cwd=folder, stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe)
    out, err = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A ``vllm`` that refuses what a shell has split."""
    path = tmp_path / "vllm"
    path.write_text(STAND_IN)
    path.chmod(0o755)
    return path


async def test_a_launch_typed_behind_ssh_is_run_on_its_host(tmp_path: Path, host: tuple[Keys, int], program: Path) -> None:
    """`ssh HOST '… {…}'` is read by the shell there; the split value is the cause, the fix is an ssh line again, and the record replays."""
    keys, port = host
    ssh = f"ssh -F {keys.config} -p {port} {keys.user}@127.0.0.1"
    line = f"{ssh} '{program} serve m --speculative-config {SPECULATIVE}'"
    status, out, err = await _nostart(tmp_path, "triage", "--json", "--no-check", "--target", keys.url(port), "--shell", line)
    document: dict[str, Any] = json.loads(out)
    assert (10, "quoting/json-split", 1) == (status, document["cause"]["id"], document["launches"]), err
    assert f"{ssh} '{program} serve m --speculative-config.method ngram --speculative-config.num_speculative_tokens 2'" == document["fix"]["shell"]
    replayed = await _nostart(tmp_path, "replay", "--strict", document["transcript"])
    assert (0, True) == (replayed[0], "every byte is as recorded" in replayed[1] + replayed[2]), replayed


async def test_an_unreachable_host_is_exit_status_3(tmp_path: Path) -> None:
    """Nobody listens there: a sentence that names the target, and 3."""
    keys, port = Keys.made(tmp_path / "keys"), free_port()
    keys.known()
    status, out, err = await _nostart(tmp_path, "check", "--plain", "--target", keys.url(port), "--", "vllm", "serve", "m")
    assert (3, "") == (status, out)
    assert f"nostart: {keys.url(port)}: no connection in" in err


async def test_a_secret_of_the_host_is_not_recorded(tmp_path: Path, program: Path) -> None:
    """A token in the host's environment is learnt before its environment is written down."""
    shell = tmp_path / "with-token"
    shell.write_text('#!/bin/sh\nexport HOST_SECRET_TOKEN=correct-horse-battery\nexec sh "$@"\n')
    shell.chmod(0o755)
    async with in_process(tmp_path / "keys", str(shell)) as (keys, port):
        await _nostart(tmp_path, "check", "--json", "--target", keys.url(port), "--", str(program), "serve", "m")
    recorded = b"".join(path.read_bytes() for path in (tmp_path / "runs").rglob("*") if path.is_file())
    assert (True, False) == (b"HOST_SECRET_TOKEN" in recorded, b"correct-horse-battery" in recorded)


async def test_several_hosts_are_one_table(tmp_path: Path, host: tuple[Keys, int], program: Path) -> None:
    """Hosts from an inventory are triaged at once: grouped by cause, in their order in the document, the unreachable one told."""
    keys, port = host
    keys.known()
    one, two = keys.url(port), keys.url(port).replace("127.0.0.1", "localhost")
    nobody = keys.url(free_port())
    (tmp_path / "hosts").write_text(f"# ours\n{one}\n\n{nobody}  # switched off\n{two}\n{one}\n")
    words = ("--no-check", "--targets", "hosts", "--", "bash", "-c", f"{program} serve m --speculative-config {SPECULATIVE}")
    status, out, _ = await _nostart(tmp_path, "triage", "--json", *words)
    document = json.loads(out)
    jsonschema.validate(document, json_schema())
    assert (3, [one, nobody, two]) == (status, [member["target"] for member in document["targets"]])
    assert [10, 3, 10] == [member["status"] for member in document["targets"]]
    groups = [(group["outcome"], group["cause"], group["targets"]) for group in document["groups"]]
    assert [("diagnosed", "quoting/json-split", [one, two]), ("unreachable", None, [nobody])] == groups
    status, out, _ = await _nostart(tmp_path, "triage", *words)
    assert (3, True, True) == (status, "   2  quoting/json-split" in out, f"{program} serve m --speculative-config.method ngram" in out)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--target", "telnet://host"), "known are local, ssh://"),
        (("--target", "ssh://"), "it names no host"),
        (("--target", "ssh://user:secret@host"), "no password in a URL"),
        (("--target", "ssh://host/path"), "nothing follows the host"),
        (("--target", "ssh://host?colour=blue"), "unknown colour"),
        (("--target", "ssh://host:99999"), "ssh://USER@HOST:PORT"),
        (("--target", "ssh://-oProxyCommand=id"), "it names no host"),
        (("--targets", "/no/such/file"), "cannot be read: No such file"),
        (("--targets", "/dev/null"), "it lists no target"),
    ],
)
async def test_a_target_that_cannot_be_meant_is_refused(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    """A sentence that says how a target is written, and 2; nothing is connected to."""
    status, out, err = await _nostart(tmp_path, "check", *words, "--", "vllm", "serve", "m")
    assert (2, "", True) == (status, out, said in err), err
