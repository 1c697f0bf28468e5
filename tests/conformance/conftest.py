"""The targets that the suite holds to the contract, and how a test looks at processes behind a target's back."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from types import MappingProxyType

import pytest

from probes.targets.choose import choose
from probes.targets.local import LocalTarget
from probes.targets.target import Target
from tests.containers import container, kubectl, podman
from tests.ssh.sshd import in_process, openssh

NOBODY = 65534
AS_NOBODY = f"setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups "
"""What a far place's commands run behind where the tests run as root and a permission is the point."""

Maker = Callable[[pytest.TempPathFactory], AbstractAsyncContextManager[Target]]


@asynccontextmanager
async def _local(_folders: pytest.TempPathFactory) -> AsyncIterator[Target]:
    yield LocalTarget()


@asynccontextmanager
async def _ssh(folders: pytest.TempPathFactory) -> AsyncIterator[Target]:
    """By a server inside this process."""
    async with in_process(folders.mktemp("far")) as (keys, port):
        yield choose(keys.url(port))


@asynccontextmanager
async def _openssh(folders: pytest.TempPathFactory) -> AsyncIterator[Target]:
    with openssh(folders.mktemp("far")) as server:
        yield choose(server.keys.url(server.port))


@asynccontextmanager
async def _pod(folders: pytest.TempPathFactory) -> AsyncIterator[Target]:
    """By a stand-in for kubectl, which executes here."""
    with kubectl(folders.mktemp("kubectl")):
        yield choose("k8s://default/llm-0/server")


_SHARED = ("--pid=host", "-v", "/tmp:/tmp")


@asynccontextmanager
async def _container(folders: pytest.TempPathFactory) -> AsyncIterator[Target]:
    """A real container that shares this machine's processes and temporary files, so that a test sees what happens in it."""
    name = f"nostart-conformance-{os.getpid()}"
    with podman(folders.mktemp("podman")), container(name, "sleep", "infinity", options=_SHARED, detach=True):
        yield choose(f"docker://{name}")


@asynccontextmanager
async def _ssh_as_nobody(folders: pytest.TempPathFactory) -> AsyncIterator[Target]:
    """The server inside this process, its login shell somebody else's."""
    shell = folders.mktemp("shell") / "sh"
    shell.write_text(f'#!/bin/sh\nexec {AS_NOBODY}sh "$@"\n')
    shell.chmod(0o755)
    async with in_process(folders.mktemp("far"), str(shell)) as (keys, port):
        yield choose(keys.url(port))


@asynccontextmanager
async def _pod_as_nobody(folders: pytest.TempPathFactory) -> AsyncIterator[Target]:
    with kubectl(folders.mktemp("kubectl"), runner=AS_NOBODY):
        yield choose("k8s://default/llm-0/server")


TARGETS: MappingProxyType[str, Maker] = MappingProxyType({"local": _local, "openssh": _openssh, "ssh": _ssh, "pod": _pod, "container": _container})
UNPRIVILEGED: MappingProxyType[str, Maker] = MappingProxyType({"local": _local, "ssh": _ssh_as_nobody, "pod": _pod_as_nobody})
"""The same for tests where root must not be root: here the test itself drops its privileges, elsewhere the far end has none."""
LIVE = frozenset({"openssh", "container"})


@pytest.fixture(params=[pytest.param(name, marks=[pytest.mark.live] if name in LIVE else []) for name in sorted(TARGETS)])
async def target(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Target]:
    """One target after another, closed after the test."""
    makers = UNPRIVILEGED if "unprivileged" in request.fixturenames and os.getuid() == 0 else TARGETS
    if request.param not in makers:
        pytest.skip(f"what runs on {request.param} is root's here, who is refused no file")
    async with makers[request.param](tmp_path_factory) as made:
        yield made
        await made.close()


@pytest.fixture
def alive() -> Callable[[int], bool]:
    """Whether a process exists and is no zombie."""

    def is_alive(pid: int) -> bool:
        try:
            text = Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            return False
        return text[text.rindex(")") + 2] not in "ZX"

    return is_alive


@pytest.fixture
def written() -> Callable[[Path, int], Awaitable[list[int]]]:
    """Waits until a file holds that many lines, each a pid, and returns them."""

    async def wait(path: Path, count: int) -> list[int]:
        while True:
            if len(lines := _lines(path)) >= count:
                return [int(line) for line in lines]
            await asyncio.sleep(0.01)

    return wait


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")] if path.exists() else []


@pytest.fixture
def unprivileged(request: pytest.FixtureRequest) -> Iterator[None]:
    """Root's privileges dropped for the time of a test; nothing to drop where the tests, or the far end, are somebody else's."""
    if os.geteuid() != 0 or request.node.callspec.params["target"] != "local":
        yield
        return
    os.seteuid(NOBODY)
    yield
    os.seteuid(0)
