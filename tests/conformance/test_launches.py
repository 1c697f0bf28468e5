"""What every target must do with a program that is started: find everything that came of it, and end it."""

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from probes.targets.target import Start, Started, Target

Written = Callable[[Path, int], Awaitable[list[int]]]
Alive = Callable[[int], bool]

WAYS_TO_STAY = {
    "child": "sleep 600 & echo $! >> {pids}; wait",
    "own-session": "setsid sh -c 'echo $$ >> {pids}; exec sleep 600' & wait",
    "daemon": "(setsid sh -c '(sh -c \"echo \\$\\$ >> {pids}; exec sleep 600\" &) ; exit' &) ; sleep 600",
    "daemon-without-environment": "(setsid env -i sh -c '(sh -c \"echo \\$\\$ >> {pids}; exec /bin/sleep 600\" &) ; exit' &) ; sleep 600",
    "parent-gone": "(sleep 600 & echo $! >> {pids}) ; exit 0",
    "deaf": "trap '' TERM INT HUP; echo $$ >> {pids}; while :; do sleep 600; done",
    "stopped": "sleep 600 & echo $! >> {pids}; kill -STOP $!; wait",
}


@pytest.mark.parametrize("way", sorted(WAYS_TO_STAY))
async def test_end_leaves_nothing(target: Target, tmp_path: Path, written: Written, alive: Alive, way: str) -> None:
    """However a descendant tries to stay, it is ended, and nobody survives."""
    pids = tmp_path / "pids"
    started = await _shell(target, WAYS_TO_STAY[way].format(pids=pids), f"stay-{way}")
    [pid] = await written(pids, 1)
    was = alive(pid)
    survivors = await target.end(started, 0.1)
    assert (True, (), False, False) == (was, survivors, alive(pid), alive(started.pid))


async def test_a_parent_killed_alone_leaves_its_grandchild_to_us(target: Target, tmp_path: Path, written: Written, alive: Alive) -> None:
    """When only the first process is killed, the rest is still seen as this launch's, and is ended with it."""
    pids = tmp_path / "pids"
    started = await _shell(target, f"setsid sh -c 'sleep 600 & echo $! >> {pids}; wait' & wait", "parent-killed")
    [pid] = await written(pids, 1)
    os.kill(started.pid, signal.SIGKILL)
    await _status(target, started)
    polled = await target.poll(started)
    survivors = await target.end(started, 0.1)
    assert (-9, True, (), False) == (polled.status, pid in polled.processes, survivors, alive(pid))


async def test_a_polite_program_ends_by_itself(target: Target, tmp_path: Path, written: Written) -> None:
    """A program that obeys SIGTERM has its grace to say goodbye."""
    started = await _shell(target, f"trap 'echo goodbye; exit 3' TERM; echo $$ >> {tmp_path}/pids; while :; do sleep 0.01; done", "polite")
    await written(tmp_path / "pids", 1)
    await target.end(started, 60.0)
    assert (3, True) == ((await target.poll(started)).status, (await target.read(started.log)).data.endswith(b"goodbye\n"))


async def test_a_cancelled_end_still_ends_all(target: Target, tmp_path: Path, written: Written, alive: Alive) -> None:
    """Being interrupted while it waits for a deaf program, `end` kills at once instead of leaving it."""
    pids = tmp_path / "pids"
    started = await _shell(target, WAYS_TO_STAY["deaf"].format(pids=pids), "cancelled")
    [pid] = await written(pids, 1)
    task = asyncio.create_task(target.end(started, 600.0))
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not alive(pid)


async def test_close_ends_what_still_runs(target: Target, tmp_path: Path, written: Written, alive: Alive) -> None:
    """Closing a target ends the launches that nobody ended."""
    await _shell(target, WAYS_TO_STAY["own-session"].format(pids=tmp_path / "pids"), "closing")
    [pid] = await written(tmp_path / "pids", 1)
    await target.close()
    assert not alive(pid)


async def test_launches_do_not_end_one_another(target: Target, tmp_path: Path, written: Written, alive: Alive) -> None:
    """Ending one launch leaves another one's orphans alone."""
    first = await _shell(target, WAYS_TO_STAY["daemon"].format(pids=tmp_path / "first"), "one")
    second = await _shell(target, WAYS_TO_STAY["daemon"].format(pids=tmp_path / "second"), "two")
    [one], [two] = await written(tmp_path / "first", 1), await written(tmp_path / "second", 1)
    await target.end(first, 0.1)
    between = (alive(one), alive(two))
    await target.end(second, 0.1)
    assert ((False, True), False) == (between, alive(two))


async def test_the_log_holds_both_streams_in_order(target: Target) -> None:
    """stdout and stderr go to one log that only its owner may read, and stdin is empty."""
    started = await _shell(target, "echo one; echo two >&2; cat; echo three", "streams")
    assert 0 == await _status(target, started)
    assert (b"one\ntwo\nthree\n", 0o600) == ((await target.read(started.log)).data, os.stat(started.log).st_mode & 0o777)  # noqa: PTH116


@pytest.mark.parametrize(("script", "status"), [("exit 5", 5), ("kill -9 $$", -9), ("exit 0", 0)])
async def test_the_status_is_the_programs_own(target: Target, script: str, status: int) -> None:
    """An exit status is reported as it is, a signal as a negative number."""
    assert status == await _status(target, await _shell(target, script, "status"))


async def test_environment_and_folder(target: Target, tmp_path: Path) -> None:
    """A launch has its environment changed as asked, runs in its folder, and no locale is forced on it."""
    locale = os.environ.get("LC_ALL", "unset")
    script = 'echo "$A ${HOME-unset} ${LC_ALL-unset}"; pwd'
    start = Start(argv=("sh", "-c", script), env={"A": "b c"}, unset=("HOME",), cwd=str(tmp_path), mark="environment")
    started = await target.start(start)
    await _status(target, started)
    assert f"b c unset {locale}\n{tmp_path}\n".encode() == (await target.read(started.log)).data


@pytest.mark.parametrize("layers", [(), ("sh", "-c", 'exec "$@"', "sh"), ("env", "A=1"), ("sh", "-c", '"$@"; true', "sh"), ("nohup",)])
async def test_received_is_the_servers_own_argv(target: Target, layers: tuple[str, ...]) -> None:
    """Behind execs and shells that stay, the argv reported is what the server program itself got, empty and odd words included."""
    server = (sys.executable, "-c", "import time; print('ready', flush=True); time.sleep(600)", "--json", '{"a": 1}', "", "é $X")
    started = await target.start(Start(argv=(*layers, *server), mark="received"))
    await _says(target, started, b"ready")
    polled = await target.poll(started)
    await target.end(started, 0.1)
    assert server == polled.received


_TITLE = """
import ctypes, sys, time
sys.stdin.read()
print("first", flush=True)
while not open(sys.argv[1]).read():
    time.sleep(0.01)
start = int(open("/proc/self/stat").read().rpartition(")")[2].split()[45])
ctypes.memmove(start, b"SMALL::Engine\\0", 14)
print("ready", flush=True)
time.sleep(600)
"""


async def test_a_rewritten_title_is_no_argv(target: Target, tmp_path: Path) -> None:
    """A server that overwrites its process title keeps the argv that it was started with."""
    (tmp_path / "go").touch()
    server = (sys.executable, "-c", _TITLE, str(tmp_path / "go"), "--flag", "value")
    started = await target.start(Start(argv=server, mark="title"))
    await _says(target, started, b"first")
    await target.poll(started)
    (tmp_path / "go").write_text("go")
    await _says(target, started, b"ready")
    title = Path(f"/proc/{started.pid}/cmdline").read_bytes()  # noqa: ASYNC240 - /proc does not block
    polled = await target.poll(started)
    await target.end(started, 0.1)
    assert (True, server) == (title.startswith(b"SMALL::Engine"), polled.received)


@pytest.mark.parametrize(
    ("program", "failure", "reason"),
    [
        ("no-such-program", "no-tool", "no-such-program: command not found"),
        ("{folder}/absent", "no-tool", "{folder}/absent: No such file or directory"),
        ("{folder}/plain", "denied", "{folder}/plain: Permission denied"),
        ("{folder}/text", "denied", "{folder}/text: Exec format error"),
        ("{folder}/orphan", "no-tool", "{folder}/orphan: cannot execute: required file not found (the interpreter that its first line names)"),
    ],
)
async def test_a_program_that_cannot_start_says_why(target: Target, tmp_path: Path, program: str, failure: str, reason: str) -> None:
    """Not there, not permitted, no program and a first line that names a missing interpreter are different answers."""
    for name, text in {"plain": "#!/bin/sh\n", "text": "no program", "orphan": "#!/no/such/python\n"}.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o644 if name == "plain" else 0o755)
    started = await target.start(Start(argv=(program.format(folder=tmp_path),), mark="cannot"))
    assert (0, failure, reason.format(folder=tmp_path)) == (started.pid, started.failure, started.reason)


async def _shell(target: Target, script: str, mark: str) -> Started:
    return await target.start(Start(argv=("sh", "-c", script), mark=f"test-{os.getpid()}-{mark}"))


async def _status(target: Target, started: Started) -> int:
    while True:
        if (status := (await target.poll(started)).status) is not None:
            return status
        await asyncio.sleep(0.01)


async def _says(target: Target, started: Started, word: bytes) -> None:
    while True:
        if word in (await target.read(started.log)).data:
            return
        await asyncio.sleep(0.01)
