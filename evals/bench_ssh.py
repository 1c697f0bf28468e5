"""What one probe costs on a host behind SSH: over the kept connection, and by a new ``ssh`` each, through a line that delays every byte.

A real sshd on loopback, as this user; the line is a relay, since delays in the kernel need rights that few have.
"""

import asyncio
import os
import shutil
import statistics
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from pathlib import Path

import asyncssh

from probes.targets.local import LocalTarget
from probes.targets.ssh import made
from probes.targets.target import Target
from transcripts.records import Command

DELAY = 0.05
"""Seconds that each byte needs in one direction: a host on another continent."""
TIMES = 9
PROBE = Command(argv=("python3", "-I", "-S", "-c", "import sys; print(sys.version_info[:2])"))


def kept_against_new(folder: Path) -> str:
    """The line of the benchmark."""
    sshd = shutil.which("sshd", path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin")
    if sshd is None or shutil.which("ssh") is None:
        return "skipped: there is no sshd or no ssh here (Debian's openssh-server)"
    folder.mkdir()
    with _server(folder, sshd) as port:
        return asyncio.run(_measured(folder, port))


async def _measured(folder: Path, server: int) -> str:
    async with _line(server) as port:
        config = folder / "config"
        target = made(f"ssh://127.0.0.1:{port}?config={config}", "bench")
        here = await _seconds(partial(_asked, LocalTarget()))
        await target.run(PROBE)
        kept = await _seconds(partial(_asked, target))
        await target.close()
        new = await _seconds(partial(_by_ssh, config, port))
    allowed = 1.5 * here + 2 * 2 * DELAY
    took = f"{here * 1000:.0f} ms here, {kept * 1000:.0f} ms over the kept connection, {new * 1000:.0f} ms by a new ssh"
    return f"{took} ({2 * DELAY * 1000:.0f} ms a round trip): {kept / allowed:.2f} of 1.5 × local + 2 round trips, {new / kept:.1f} times faster"


async def _asked(target: Target) -> None:
    output = await target.run(PROBE)
    if output.status != 0:
        raise RuntimeError(output.stderr or output.failure)


async def _by_ssh(config: Path, port: int) -> None:
    words = ("ssh", "-F", str(config), "-p", str(port), "127.0.0.1", "python3 -I -S -c 'import sys; print(sys.version_info[:2])'")
    process = await asyncio.create_subprocess_exec(*words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    if await process.wait():
        raise RuntimeError("ssh failed")


async def _seconds(work: Callable[[], Awaitable[None]]) -> float:
    """The median of several."""
    taken = []
    for _ in range(TIMES):
        began = time.perf_counter()
        await work()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


@contextmanager
def _server(folder: Path, program: str) -> Iterator[int]:
    """A real sshd with keys of its own; its port. The client's configuration lies beside them."""
    for name in ("host", "user"):
        key = asyncssh.generate_private_key("ssh-ed25519")
        key.write_private_key(folder / name)
        (folder / name).chmod(0o600)
        key.write_public_key(folder / f"{name}.pub")
    (folder / "known_hosts").write_text(f"* {(folder / 'host.pub').read_text(encoding='utf-8')}", encoding="utf-8")
    client = f"Host *\n  UserKnownHostsFile {folder}/known_hosts\n  IdentityFile {folder}/user\n  IdentitiesOnly yes\n"
    (folder / "config").write_text(client, encoding="utf-8")
    port = 20000 + os.getpid() % 20000
    lines = [f"ListenAddress 127.0.0.1:{port}", f"HostKey {folder}/host", f"AuthorizedKeysFile {folder}/user.pub", "PidFile none", "UsePAM no"]
    (folder / "sshd").write_text("\n".join([*lines, "StrictModes no", "PermitRootLogin yes", ""]), encoding="utf-8")
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    log = folder / "log"
    with log.open("wb") as errors:
        server = subprocess.Popen([program, "-D", "-e", "-f", str(folder / "sshd")], stdin=subprocess.DEVNULL, stderr=errors)
    try:
        while b"Server listening" not in log.read_bytes() and server.poll() is None:
            time.sleep(0.01)
        yield port
    finally:
        server.terminate()
        server.wait()


@asynccontextmanager
async def _line(server: int) -> AsyncIterator[int]:
    """A relay that delays every byte by `DELAY` in each direction; its port."""

    async def relayed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            asyncio.get_running_loop().call_later(DELAY, writer.write, data)
        asyncio.get_running_loop().call_later(DELAY * 2, writer.close)

    async def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.CancelledError):
            back, other = await asyncio.open_connection("127.0.0.1", server)
            await asyncio.gather(relayed(reader, other), relayed(back, writer), return_exceptions=True)

    listening = await asyncio.start_server(accepted, "127.0.0.1", 0)
    async with listening:
        yield listening.sockets[0].getsockname()[1]
