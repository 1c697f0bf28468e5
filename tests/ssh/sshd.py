"""Real SSH servers on loopback: OpenSSH's, started by the tests with keys and settings of its own, and asyncssh's, inside the test's process."""

import asyncio
import os
import shutil
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol
from urllib.parse import quote

import asyncssh
import pytest

SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/usr/local/sbin")


@dataclass
class Keys:
    """A host key, a user's key, and the client configuration that knows both, in one folder. `url` names a server on `port` by them."""

    folder: Path
    user: str

    @classmethod
    def made(cls, folder: Path) -> "Keys":
        """Fresh keys in `folder`."""
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("host", "user"):
            key = asyncssh.generate_private_key("ssh-ed25519")
            key.write_private_key(folder / name)
            (folder / name).chmod(0o600)
            key.write_public_key(folder / f"{name}.pub")
        (folder / "authorized").write_bytes((folder / "user.pub").read_bytes())
        user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
        return cls(folder, user)

    def known(self) -> None:
        """Write the client's configuration: the host key is known for every address and port."""
        (self.folder / "known_hosts").write_text(f"* {(self.folder / 'host.pub').read_text()}")
        self.config.write_text(f"Host *\n  UserKnownHostsFile {self.folder}/known_hosts\n  IdentityFile {self.folder}/user\n  IdentitiesOnly yes\n")

    @property
    def config(self) -> Path:
        """The client's configuration file."""
        return self.folder / "config"

    def url(self, port: int, address: str = "127.0.0.1") -> str:
        """The target's URL."""
        return f"ssh://{self.user}@{address}:{port}?config={quote(str(self.config))}"


class Sshd(NamedTuple):
    """A running server: its keys, its port, its process."""

    keys: Keys
    port: int
    pid: int


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number: int = free.getsockname()[1]
        return number


@contextmanager
def openssh(folder: Path, *settings: str, address: str = "127.0.0.1", prefix: tuple[str, ...] = ()) -> Iterator[Sshd]:
    """OpenSSH's server, as this user, on a free port of `address`; `settings` are further lines of its configuration."""
    if SSHD is None:
        pytest.skip("there is no sshd here: install Debian's openssh-server")
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    keys, port = Keys.made(folder), free_port()
    keys.known()
    lines = [
        f"ListenAddress {address}:{port}",
        f"HostKey {folder}/host",
        f"AuthorizedKeysFile {folder}/authorized",
        "PidFile none",
        "UsePAM no",
        "StrictModes no",
        "PermitRootLogin yes",
        "PasswordAuthentication no",
        "KbdInteractiveAuthentication no",
        *settings,
    ]
    (folder / "sshd_config").write_text("\n".join(lines) + "\n")
    with (folder / "sshd.log").open("wb") as log:
        server = subprocess.Popen([*prefix, SSHD, "-D", "-e", "-f", str(folder / "sshd_config")], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        _wait_for(server, folder / "sshd.log")
        yield Sshd(keys, port, server.pid)
    finally:
        server.terminate()
        server.wait()


def _wait_for(server: subprocess.Popen[bytes], log: Path) -> None:
    while b"Server listening" not in log.read_bytes():
        if server.poll() is not None:
            raise RuntimeError(log.read_text(errors="replace"))
        time.sleep(0.01)


class _Sink(Protocol):
    def write(self, data: bytes) -> None: ...

    async def drain(self) -> None: ...


async def _copied(read: Callable[[int], Awaitable[bytes]], sink: _Sink) -> None:
    """Bytes from one stream to another, to the end, which the other is not told; a broken stream is an end."""
    with suppress(OSError, asyncssh.Error):
        while data := await read(65536):
            sink.write(data)
            await sink.drain()


class _Login(asyncssh.SSHServer):
    """Remembers the connections, so that none outlives its server."""

    def __init__(self, connections: list[asyncssh.SSHServerConnection]) -> None:
        self._connections = connections

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        """One more."""
        self._connections.append(conn)


@asynccontextmanager
async def in_process(folder: Path, shell: str = "sh") -> AsyncIterator[tuple[Keys, int]]:
    """asyncssh's server in this very loop; each session's command is run by `shell`, as sshd does it."""
    keys = Keys.made(folder)
    connections: list[asyncssh.SSHServerConnection] = []

    async def session(process: asyncssh.SSHServerProcess[bytes]) -> None:
        pipe = subprocess.PIPE
        words = (shell, "-c", process.command or "true")
        child = await asyncio.create_subprocess_exec(*words, stdin=pipe, stdout=pipe, stderr=pipe)
        assert child.stdin and child.stdout and child.stderr
        feeding = asyncio.create_task(_copied(process.stdin.read, child.stdin))
        stdin = child.stdin
        feeding.add_done_callback(lambda _: stdin.close())
        try:
            await asyncio.gather(_copied(child.stdout.read, process.stdout), _copied(child.stderr.read, process.stderr))
            process.exit(await child.wait())
        finally:
            feeding.cancel()
            if child.returncode is None:
                child.kill()
                await child.wait()

    server = await asyncssh.listen(
        "127.0.0.1",
        0,
        server_factory=lambda: _Login(connections),
        server_host_keys=[str(folder / "host")],
        authorized_client_keys=str(folder / "authorized"),
        process_factory=session,
        encoding=None,
    )
    port: int = server.get_port()
    keys.known()
    try:
        yield keys, port
    finally:
        server.close()
        for connection in connections:
            connection.abort()
            await connection.wait_closed()
        await server.wait_closed()
        # What the other end has aborted is closed in the loop's next turns.
        await asyncio.sleep(0.01)
