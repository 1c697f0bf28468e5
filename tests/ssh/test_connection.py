"""What a target behind SSH does when the connection, the host's shell or its Python are not as one would wish."""

import ast
import asyncio
import os
import secrets
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from probes.targets.remote.bundle import _MODULES
from probes.targets.remote.client import Patience
from probes.targets.remote.frames import READY, pack
from probes.targets.remote.target import RemoteTarget
from probes.targets.ssh import SshTransport, made
from probes.targets.ssh_address import parse
from probes.targets.target import Start
from tests.ssh.cutting import Line, line_to
from tests.ssh.sshd import Keys, free_port, in_process
from transcripts.errors import TargetUnreachable
from transcripts.records import Command

Placed = Callable[[str], list[str]]
ROOT = Path(__file__).parents[2]
SHORT = Patience(first=1.0, again=1.0, lease=1.5)


async def _through(keys: Keys, line: Line, patience: Patience | None = None, run: str = "") -> RemoteTarget:
    return RemoteTarget(SshTransport(parse(keys.url(line.port))), run or secrets.token_hex(4), patience)


async def _true(happens: Callable[[], object]) -> bool:
    """Whether it happens within a time that is long on any machine."""
    for _ in range(900):
        if happens():
            return True
        await asyncio.sleep(0.05)
    return False


def _alive(pid: int) -> bool:
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return text[text.rindex(")") + 2] not in "ZX"


async def test_a_command_outlives_a_cut_connection(host: tuple[Keys, int], tmp_path: Path) -> None:
    """Cut off while a command runs, its answer comes over a new connection, and it was run once."""
    keys, port = host
    async with line_to(port) as line:
        target = await _through(keys, line)
        script = f"echo run >> {tmp_path}/runs; while [ ! -e {tmp_path}/go ]; do sleep 0.02; done; echo done"
        task = asyncio.create_task(target.run(Command(argv=("sh", "-c", script))))
        await _true((tmp_path / "runs").exists)
        line.cut()
        (tmp_path / "go").touch()
        output = await task
        await target.close()
    assert (0, "done\n", "run\n", 2) == (output.status, output.stdout, (tmp_path / "runs").read_text(), line.connections)


async def test_a_launch_outlives_a_cut_connection(host: tuple[Keys, int], tmp_path: Path, placed: Placed) -> None:
    """Cut off twice, a launch is found again with its log and its descendants, and is ended whole; nothing of ours stays."""
    keys, port = host
    async with line_to(port) as line:
        target = await _through(keys, line, run="outlives")
        started = await target.start(Start(argv=("sh", "-c", "setsid sleep 600 & echo one; sleep 600; wait"), mark="nostart-outlives-1"))
        line.cut()
        polled = await target.poll(started)
        line.cut()
        await _true(Path(started.log).read_bytes)
        log = (await target.read(started.log)).data
        living = [_alive(pid) for pid in polled.processes]
        survivors = await target.end(started, 0.2)
        after = [_alive(pid) for pid in polled.processes]
        await target.close()
    assert (None, b"one\n", (), True, False) == (polled.status, log, survivors, all(living), any(after))
    assert [] == placed("outlives")


async def test_a_launch_is_not_made_twice(host: tuple[Keys, int], tmp_path: Path) -> None:
    """Cut off right behind the question, a launch is asked for again and made once."""
    keys, port = host
    async with line_to(port) as line:
        target = await _through(keys, line)
        await target.run(Command(argv=("true",)))
        task = asyncio.create_task(target.start(Start(argv=("sh", "-c", f"echo run >> {tmp_path}/runs; sleep 600"), mark="nostart-once-1")))
        await asyncio.sleep(0)
        line.cut()
        started = await task
        await _true((tmp_path / "runs").exists)
        await target.end(started, 0.0)
        await target.close()
    assert "run\n" == (tmp_path / "runs").read_text()


@pytest.mark.live
async def test_what_nobody_comes_back_for_is_ended(host: tuple[Keys, int], placed: Placed) -> None:
    """When the connection does not come back, we say so, and the host ends the launch and removes the helper's folder by itself."""
    keys, port = host
    async with line_to(port) as line:
        target = await _through(keys, line, SHORT, run="forsaken")
        started = await target.start(Start(argv=("sh", "-c", "trap '' TERM HUP; setsid sleep 600 & sleep 600"), mark="nostart-forsaken-1"))
        pids = (await target.poll(started)).processes
        line.drop()
        line.cut()
        with pytest.raises(TargetUnreachable, match="lost, and not to be had again"):
            await target.poll(started)
        with pytest.raises(TargetUnreachable):
            await target.read(started.log)
        await target.close()
    assert await _true(lambda: not any(map(_alive, pids)))
    assert await _true(lambda: not placed("forsaken"))


@pytest.mark.live
async def test_a_killed_client_leaves_nothing(host: tuple[Keys, int], placed: Placed) -> None:
    """When the client is gone without a word, its host ends what it had launched there when the lease is over."""
    keys, port = host
    async with line_to(port) as line:
        target = await _through(keys, line, SHORT, run="silent")
        started = await target.start(Start(argv=("sleep", "600"), mark="nostart-silent-1"))
        line.drop()
        line.cut()
        assert await _true(lambda: not _alive(started.pid))
        assert await _true(lambda: not placed("silent"))
        await target.close()


async def test_a_killed_helper_is_told_and_its_launch_ended(host: tuple[Keys, int]) -> None:
    """When the helper itself is killed, the launch is not taken for a healthy one, is not made again, and is ended by the next helper."""
    keys, port = host
    async with line_to(port) as line:
        target = await _through(keys, line, run="killed")
        started = await target.start(Start(argv=("sleep", "600"), mark="nostart-killed-1"))
        keeper = int(Path(f"/proc/{started.pid}/stat").read_text().rpartition(")")[2].split()[1])  # noqa: ASYNC240 - /proc does not block
        os.kill(keeper, 9)
        with pytest.raises(TargetUnreachable, match="has lost the launch"):
            await target.poll(started)
        await target.close()
    assert await _true(lambda: not _alive(started.pid))


@pytest.mark.parametrize("shell", ["bash", "dash", "zsh", "fish", "tcsh", "ksh"])
async def test_any_login_shell_will_do(tmp_path: Path, shell: str) -> None:
    """Whatever shell reads our command line there, arguments arrive as they are."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    async with in_process(tmp_path / "keys", shell) as (keys, port):
        target = made(keys.url(port), "shells")
        output = await target.run(Command(argv=("printf", "%s|", "a b", '{"k": "v"}', "$HOME", "it's", "`id`", "!!")))
        await target.close()
    assert 'a b|{"k": "v"}|$HOME|it\'s|`id`|!!|' == output.stdout


async def test_a_chatty_shell_is_heard_out(tmp_path: Path) -> None:
    """What a profile prints before the command runs is dropped."""
    shell = tmp_path / "chatty"
    shell.write_text('#!/bin/sh\necho "Welcome to the machine"; printf "\\0\\1 no newline"\nexec sh "$@"\n')
    shell.chmod(0o755)
    async with in_process(tmp_path / "keys", str(shell)) as (keys, port):
        target = made(keys.url(port), "chatty")
        output = await target.run(Command(argv=("echo", "hello")))
        await target.close()
    assert "hello\n" == output.stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("#!/bin/sh\necho This account is not available.\nexit 1\n", "This account is not available"),
        (
            "#!/bin/sh\nPATH=/nowhere\nfor p in /usr/bin/python3 /usr/local/bin/python3; do :; done\necho no shell for you >&2; exit 1\n",
            "no shell for you",
        ),
    ],
)
async def test_a_host_that_cannot_be_asked_says_why(tmp_path: Path, text: str, said: str) -> None:
    """A refusal of the login shell is told in its own words, at once."""
    shell = tmp_path / "refusing"
    shell.write_text(text)
    shell.chmod(0o755)
    async with in_process(tmp_path / "keys", str(shell)) as (keys, port):
        target = made(keys.url(port), "refusing")
        with pytest.raises(TargetUnreachable, match=said):
            await target.run(Command(argv=("true",)))
        await target.close()


async def test_an_unknown_host_key_is_not_trusted(host: tuple[Keys, int]) -> None:
    """A key that known_hosts does not hold is refused, its fingerprint shown with the command that accepts it."""
    keys, port = host
    (keys.folder / "known_hosts").write_text("")
    target = made(keys.url(port), "untrusted")
    with pytest.raises(TargetUnreachable, match=r"ssh-ed25519 SHA256:.*accept it by connecting once yourself: ssh -F"):
        await target.run(Command(argv=("true",)))
    await target.close()


async def test_a_changed_host_key_is_not_trusted(host: tuple[Keys, int], tmp_path: Path) -> None:
    """A host that shows another key than the one known is refused, too."""
    keys, port = host
    other = Keys.made(tmp_path / "other")
    (keys.folder / "known_hosts").write_text(f"[127.0.0.1]:{port} {(other.folder / 'host.pub').read_text()}")
    target = made(keys.url(port), "changed")
    with pytest.raises(TargetUnreachable, match="host key"):
        await target.run(Command(argv=("true",)))
    await target.close()


async def test_a_refused_key_is_told(host: tuple[Keys, int], tmp_path: Path) -> None:
    """Without a key that the host accepts, the user is told to check just that, without further tries."""
    keys, port = host
    other = Keys.made(tmp_path / "other")
    for name in ("user", "user.pub"):
        (keys.folder / name).write_bytes((other.folder / name).read_bytes())
    target = made(keys.url(port), "refused")
    with pytest.raises(TargetUnreachable, match="permission denied"):
        await target.run(Command(argv=("true",)))
    await target.close()


async def test_a_closed_port_is_told_after_some_tries(tmp_path: Path) -> None:
    """A refused connection is tried again for a while, then told."""
    keys, port = Keys.made(tmp_path / "keys"), free_port()
    keys.known()
    target = made(keys.url(port), "closed", SHORT)
    with pytest.raises(TargetUnreachable, match=r"no connection in \d+ tries: .*(refused|Connect call failed)"):
        await target.run(Command(argv=("true",)))
    await target.close()


@pytest.mark.parametrize("module", _MODULES)
def test_what_travels_needs_no_more_than_python_3_8(module: str) -> None:
    """Every module of the helper parses as Python 3.8 and imports the standard library and the helper alone."""
    tree = ast.parse((ROOT / (module.replace(".", "/") + ".py")).read_text(), feature_version=(3, 8))
    ours = {
        node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(("probes", "agent", "transcripts"))
    }
    foreign = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names} & {"msgspec", "psutil", "asyncssh"}
    assert (set(), set()) == (ours - set(_MODULES), foreign)


async def test_an_old_python_will_do(tmp_path: Path) -> None:
    """On a host whose only Python is a 3.8, commands and launches work."""
    found = sorted(Path.home().glob(".pyenv/versions/3.8.*/bin/python3.8")) or [Path(path) for path in [shutil.which("python3.8")] if path]
    if not found:
        pytest.skip("there is no Python 3.8 here")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").symlink_to(found[0])
    shell = tmp_path / "old"
    shell.write_text(f'#!/bin/sh\nPATH={tmp_path}/bin:$PATH\nexport PATH\nexec sh "$@"\n')
    shell.chmod(0o755)
    async with in_process(tmp_path / "keys", str(shell)) as (keys, port):
        target = made(keys.url(port), "old")
        output = await target.run(Command(argv=("python3", "-c", "import sys; print(sys.version_info[:2])")))
        started = await target.start(Start(argv=("sh", "-c", "setsid sleep 600 & echo up; wait"), mark="nostart-old-1"))
        polled = await target.poll(started)
        survivors = await target.end(started, 0.2)
        await target.close()
    assert ("(3, 8)\n", None, ()) == (output.stdout, polled.status, survivors)


@pytest.mark.live
@pytest.mark.parametrize(
    "answer",
    [
        b"\xff" * 64,
        pack({"number": 0, "pid": 1})[:8] + b"no json at all, is it? " * 4,
        pack({"number": 1, "status": "ok", "stdout": 1, "stderr": 0}, b"x"),
        pack({"number": 1, "status": 0, "stdout": -5, "stderr": 0}, b"x"),
        pack({"nothing": 1}),
    ],
    ids=["no-frame", "no-json", "another-type", "negative", "no-number"],
)
async def test_a_host_that_lies_is_not_believed(tmp_path: Path, answer: bytes) -> None:
    """What is no answer of the helper ends the run with a sentence, whatever the host made of it."""
    shell = tmp_path / "liar"
    shell.write_text(f"#!{sys.executable} -IS\nimport os, time\nos.write(1, {READY + answer!r})\ntime.sleep(600)\n")
    shell.chmod(0o755)
    async with in_process(tmp_path / "keys", str(shell)) as (keys, port):
        target = RemoteTarget(SshTransport(parse(keys.url(port))), "liar", SHORT)
        with pytest.raises(TargetUnreachable, match="no answer of the helper"):
            await target.run(Command(argv=("true",)))
        await target.close()
