"""A host behind SSH: one connection for the whole run, by the person's own keys, agent, ``~/.ssh/config`` and ``known_hosts``.

A host key that is not in ``known_hosts`` is never trusted; the error says how a person accepts it. asyncssh is this module's and its helpers' alone.
"""

import asyncio
import socket
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import asyncssh

from probes.targets.remote.client import Patience
from probes.targets.remote.stream import Lost, Stream
from probes.targets.remote.target import RemoteTarget
from probes.targets.ssh_address import Address, parse
from transcripts.errors import TargetUnreachable, UsageError

_ALIVE = 5.0
_ALIVE_COUNT = 4
_CONNECT = 30.0
_STEP = 262_144
_WHY = 2.0
_HANDSHAKES = 8

_LATER = frozenset({socket.EAI_AGAIN})


_gates: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


def _gate() -> asyncio.Semaphore:
    """Lets few handshakes begin at once: an sshd drops some of more than ten (MaxStartups), and each costs both sides a while."""
    return _gates.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(_HANDSHAKES))


def made(url: str, run: str, patience: Patience | None = None) -> RemoteTarget:
    """The target of an ``ssh://`` URL.

    Raises:
        UsageError: it is none.
    """
    return RemoteTarget(SshTransport(parse(url)), run, patience)


class SshStream:
    """An SSH session's stdin and stdout."""

    def __init__(self, process: asyncssh.SSHClientProcess[bytes]) -> None:
        self._process = process

    async def read(self) -> bytes:
        """What has come; nothing at its end.

        Raises:
            Lost: the connection broke.
        """
        try:
            return await self._process.stdout.read(_STEP)
        except (OSError, asyncssh.Error) as error:
            raise Lost(str(error) or "the connection broke") from error

    def write(self, data: bytes) -> None:
        """Send, while there is a connection."""
        if not self._process.stdin.is_closing():
            self._process.stdin.write(data)

    async def why(self) -> str:
        """What the far side's shell said on stderr."""
        try:
            async with asyncio.timeout(_WHY):
                return (await self._process.stderr.read(_STEP)).decode("utf-8", "replace")
        except (OSError, asyncssh.Error, TimeoutError):
            return ""

    def close(self) -> None:
        """End the session, not the connection."""
        self._process.close()


class _HostKey(asyncssh.SSHClient):
    """Remembers the host key that was not trusted, to tell of it."""

    fingerprint = ""

    def validate_host_public_key(self, host: str, addr: str, port: int, key: asyncssh.SSHKey) -> bool:
        """Asked about a key that known_hosts does not have: never."""
        type(self).fingerprint = ""
        self.fingerprint = f"{key.get_algorithm()} {key.get_fingerprint()}"
        return False


class SshTransport:
    """One connection to an SSH host, made again when it is lost."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._connection: asyncssh.SSHClientConnection | None = None

    @property
    def name(self) -> str:
        """The target as the command line names it."""
        return self._address.url

    async def open(self, command: str) -> Stream:
        """A session that runs `command`, over the connection that there is, or a new one.

        Raises:
            Lost: not now.
            TargetUnreachable: not at the next try either.
        """
        if self._connection is None or self._connection.is_closed():
            self._connection = await self._connected()
        try:
            return SshStream(await self._connection.create_process(command, encoding=None))
        except (OSError, asyncssh.Error) as error:
            self._abandon()
            raise Lost(f"no session was opened: {_text(error)}") from error

    async def close(self) -> None:
        """Close the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
            await connection.wait_closed()

    def _abandon(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.abort()

    async def _connected(self) -> asyncssh.SSHClientConnection:
        key = _HostKey()
        try:
            async with _gate(), asyncio.timeout(_CONNECT):
                return await asyncssh.connect(self._address.host, client_factory=lambda: key, **self._options())
        except TimeoutError as error:
            raise Lost(f"no answer within {_CONNECT:.0f} s") from error
        except asyncssh.HostKeyNotVerifiable as error:
            raise TargetUnreachable(self._distrusted(key.fingerprint, error)) from error
        except asyncssh.PermissionDenied as error:
            told = "check the user, and that a key of yours is accepted"
            raise TargetUnreachable(f"{self.name}: permission denied ({error.reason}); {told}: {self._pasted()} true") from error
        except ValueError as error:
            raise UsageError(f"{self.name}: the ssh configuration cannot be used: {error}") from error
        except socket.gaierror as error:
            if error.errno in _LATER:
                raise Lost(f"the name {self._address.host} cannot be resolved now: {error.strerror}") from error
            raise TargetUnreachable(f"{self.name}: no host of this name: {error.strerror}; is it spelt as for: {self._pasted()}") from error
        except (OSError, asyncssh.Error) as error:
            raise Lost(_text(error)) from error

    def _options(self) -> dict[str, Any]:
        """What is given to asyncssh; what is not given comes from the configuration file."""
        address = self._address
        options: dict[str, Any] = {"keepalive_interval": _ALIVE, "keepalive_count_max": _ALIVE_COUNT, "connect_timeout": _CONNECT, "encoding": None}
        if address.port:
            options["port"] = address.port
        if address.user:
            options["username"] = address.user
        if address.identity:
            options["client_keys"] = [str(Path(address.identity).expanduser())]
        if address.config:
            options["config"] = [str(Path(address.config).expanduser())]
        if address.jump:
            options["tunnel"] = address.jump
        return options

    def _distrusted(self, fingerprint: str, error: asyncssh.HostKeyNotVerifiable) -> str:
        shown = f" ({fingerprint})" if fingerprint else ""
        how = f"compare the key with the host's, then accept it by connecting once yourself: {self._pasted()}"
        return f"{self.name}: the host key{shown} is not the one that known_hosts holds, or none is held: {error.reason}; {how}"

    def _pasted(self) -> str:
        return " ".join(self._address.words)


def _text(error: OSError | asyncssh.Error) -> str:
    if isinstance(error, asyncssh.Error):
        return error.reason or type(error).__name__
    return error.strerror or str(error) or type(error).__name__
