"""nostart on hosts behind a real OpenSSH server: cut connections, signals, many hosts, and the real vLLM."""

import asyncio
import json
import os
import random
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.golden.small import install
from tests.live.conftest import SERVING
from tests.resume.conftest import faulty
from tests.running import PROGRAM, Run
from tests.ssh import cases
from tests.ssh.sshd import Sshd, openssh
from transcripts.journal import FILE_NAME

pytestmark = pytest.mark.live

SPECULATIVE = '{"method": "ngram", "num_speculative_tokens": 2, "prompt_lookup_max": 3}'
REFUSING = """#!/bin/sh
echo 'vllm serve: error: argument --speculative-config/-sc: Value {method: cannot be converted to <function loads at 0x7f0000000000>.' >&2
exit 2
"""
EVENTS = 13
"""The events of a triage of two launches, without checks."""
LEASE = 75.0
"""Seconds after which a host has ended what nobody came back for, with some to spare."""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ``vllm`` of an environment that holds the small forking server."""
    return install(tmp_path_factory.mktemp("small") / "venv")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    """A real sshd."""
    with openssh(tmp_path_factory.mktemp("sshd")) as made:
        yield made


@contextmanager
def elsewhere(folder: Path) -> Iterator[tuple[Sshd, str, Callable[[str], None]]]:
    """A real sshd in a network namespace of its own, its address, and its firewall: ``DROP`` or ``ACCEPT`` for all that comes and goes."""
    if os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("iptables"):
        pytest.skip("network namespaces need root, iproute2 and iptables")
    name = f"ns{random.randrange(16**6):06x}"
    number = random.randrange(1, 250)
    near, far = f"10.213.{number}.1", f"10.213.{number}.2"
    inside = ("ip", "netns", "exec", name)
    steps = [
        ("ip", "netns", "add", name),
        ("ip", "link", "add", f"{name}a", "type", "veth", "peer", "name", f"{name}b", "netns", name),
        ("ip", "address", "add", f"{near}/24", "dev", f"{name}a"),
        ("ip", "link", "set", f"{name}a", "up"),
        (*inside, "ip", "address", "add", f"{far}/24", "dev", f"{name}b"),
        (*inside, "ip", "link", "set", f"{name}b", "up"),
        (*inside, "ip", "link", "set", "lo", "up"),
    ]

    def firewall(policy: str) -> None:
        for chain in ("INPUT", "OUTPUT"):
            subprocess.run([*inside, "iptables", "-F", chain], check=True)
            for device in ["-i"] if chain == "INPUT" else ["-o"]:
                subprocess.run([*inside, "iptables", "-A", chain, device, f"{name}b", "-j", policy], check=True)

    try:
        for step in steps:
            if subprocess.run(step, capture_output=True, check=False).returncode:
                pytest.skip(f"no network namespace can be made here: {' '.join(step)}")
        with openssh(folder, address=far, prefix=inside) as made:
            yield made, far, firewall
    finally:
        subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)


def _events(folder: Path) -> int:
    return sum(file.read_bytes().count(b"\n") for file in (folder / "runs").glob(f"*/{FILE_NAME}"))


async def _at_a_moment(folder: Path, process: asyncio.subprocess.Process, dice: random.Random) -> None:
    """Wait until some event of the run, and a little longer."""
    wanted, more = dice.randint(1, EVENTS - 1), dice.random()
    await _until(process, lambda: _events(folder) >= wanted)
    await asyncio.sleep(more)


async def _until(process: asyncio.subprocess.Process, happens: Callable[[], bool]) -> None:
    """Wait until it happens, or the process has ended."""
    for _ in iter(lambda: process.returncode is None and not happens(), False):
        await asyncio.sleep(0.02)


@pytest.mark.parametrize("seed", range(40))
async def test_a_killed_session_changes_no_verdict(tmp_path: Path, server: Sshd, small: Path, seed: int) -> None:
    """The host's end of the connection is killed at a random moment: the verdict is right, each launch was made once, and nothing is left."""
    url = server.keys.url(server.port)
    process = await cases.begun(tmp_path, url, faulty(cases.counting(tmp_path, small), tmp_path), "--no-check")
    await _at_a_moment(tmp_path, process, random.Random(seed))
    cases.kill_sessions(server.pid)
    told = await cases.told(tmp_path, process)
    assert told.right or told.unreachable, told
    assert [] == await cases.nothing_lives(tmp_path, 10 if told.right else LEASE)


@pytest.mark.parametrize("seed", range(10))
async def test_dropped_packets_change_no_verdict(tmp_path: Path, small: Path, seed: int) -> None:
    """A firewall drops every packet from a random moment on, for a while or for good: the right verdict or a clear "unreachable", nothing left."""
    dice = random.Random(seed)
    with elsewhere(tmp_path / "sshd") as (server, address, firewall):
        url = server.keys.url(server.port, address)
        process = await cases.begun(tmp_path, url, faulty(cases.counting(tmp_path, small), tmp_path), "--no-check")
        await _at_a_moment(tmp_path, process, dice)
        firewall("DROP")
        if seed % 5:
            await asyncio.sleep(dice.uniform(5, 25))
            firewall("ACCEPT")
        told = await cases.told(tmp_path, process)
        firewall("ACCEPT")
        assert told.right or told.unreachable, told
        assert [] == await cases.nothing_lives(tmp_path, 10 if told.right else 5 * LEASE)


@pytest.mark.parametrize("seed", range(16))
async def test_a_signal_leaves_nothing_on_the_host(tmp_path: Path, server: Sshd, small: Path, seed: int) -> None:
    """SIGTERM, SIGINT, SIGHUP or SIGKILL to nostart at a random moment: nothing is left on the host, after the lease for SIGKILL."""
    number = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL)[seed % 4]
    process = await cases.begun(tmp_path, server.keys.url(server.port), faulty(cases.counting(tmp_path, small), tmp_path), "--no-check")
    await _at_a_moment(tmp_path, process, random.Random(seed))
    if process.returncode is None:
        process.send_signal(number)
    told = await cases.told(tmp_path, process)
    assert told.status in ((-number,) if number == signal.SIGKILL else (130,)) or told.right, told
    assert [] == await cases.nothing_lives(tmp_path, LEASE if number == signal.SIGKILL else 10)


def test_two_hundred_hosts_at_once(tmp_path: Path) -> None:
    """200 hosts on loopback are all served, in their order, by a nostart of less than 300 MB."""
    with openssh(tmp_path / "sshd", address="0.0.0.0") as server:
        urls = [server.keys.url(server.port, f"127.0.0.{number}") for number in range(2, 202)]
        (tmp_path / "hosts").write_text("\n".join(urls))
        words = [PROGRAM, "triage", "--json", "--no-check", "--transcripts", tmp_path / "runs", "--targets", tmp_path / "hosts"]
        program = tmp_path / "vllm"
        program.write_text(REFUSING)
        program.chmod(0o755)
        launch = ["bash", "-c", f"{program} serve m --speculative-config {SPECULATIVE}"]
        with (tmp_path / "out").open("wb") as out, (tmp_path / "err").open("wb") as err:
            process = subprocess.Popen([*map(str, words), "--", *launch], stdout=out, stderr=err)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
    members = json.loads((tmp_path / "out").read_bytes())["targets"]
    assert urls == [member["target"] for member in members]
    assert {10} == {member["status"] for member in members}, [member["error"] for member in members if member["error"]][:3]
    assert usage.ru_maxrss < 300_000


@pytest.mark.usefixtures("nothing_left")
def test_case_zero_over_ssh(nostart: Callable[..., Run], server: Sshd, vllm: Path, model: Path, port: int) -> None:
    """The JSON that a person's own ``ssh HOST '…'`` has split: one failing launch of the real vLLM names it, the fixed one answers over SSH."""
    ssh = f"ssh -F {server.keys.config} -p {server.port} {server.keys.user}@127.0.0.1"
    environment = "VLLM_CPU_KVCACHE_SPACE=1 HF_HUB_OFFLINE=1"
    line = f"{ssh} '{environment} {vllm}/bin/vllm serve {model} --port {port} {' '.join(SERVING)} --speculative-config {SPECULATIVE}'"
    run = nostart("triage", "--fix", "--no-check", "--target", server.keys.url(server.port), "--shell", line)
    assert ("up", 0, 2) == (run.document["outcome"], run.status, run.document["launches"]), run.stderr[-3000:]
    assert ("quoting/json-split", True) == (run.document["cause"]["id"], run.document["cause"]["confirmed"])
    assert run.document["fix"]["shell"].startswith(f"{ssh} '")


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize("delay", [1.0, 6.0, 11.0, 16.0, 22.0])
async def test_a_killed_session_while_vllm_starts(
    tmp_path: Path, server: Sshd, vllm: Path, model: Path, port: int, environment: dict[str, str], delay: float
) -> None:
    """The connection is cut while vLLM parses, builds its engine or loads: it comes up all the same, launched once, and no engine is left."""
    program = cases.counting(tmp_path, vllm / "bin" / "vllm")
    line = f"VLLM_CPU_KVCACHE_SPACE=1 HF_HUB_OFFLINE=1 {program} serve {model} --port {port} {' '.join(SERVING)}"
    process = await cases.begun(tmp_path, server.keys.url(server.port), line, "--no-check")
    await _until(process, (tmp_path / "starts").exists)
    await asyncio.sleep(delay)
    cases.kill_sessions(server.pid)
    told = await cases.told(tmp_path, process)
    assert told.right, told
    assert [] == await cases.nothing_lives(tmp_path, 10)


def test_the_terminal_is_as_before(tmp_path: Path, server: Sshd, small: Path) -> None:
    """Interrupted at a terminal, nostart leaves its settings as they were."""
    if shutil.which("script") is None:
        pytest.skip("there is no script(1) here")
    command = f"{PROGRAM} triage --no-check --transcripts {tmp_path}/runs --target '{server.keys.url(server.port)}' -- {small} serve m"
    text = f"stty -a > {tmp_path}/before; timeout --foreground -s INT 3 {command}; stty -a > {tmp_path}/after"
    subprocess.run(["script", "-qec", text, "/dev/null"], capture_output=True, check=False, timeout=120)
    assert (tmp_path / "before").read_text() == (tmp_path / "after").read_text()
