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


TARGETS: MappingProxyType[str, Maker] = MappingProxyType({"local": _local, "openssh": _openssh, "ssh": _ssh, "pod": _pod, "container": _container})
LIVE = frozenset({"openssh", "container"})


@pytest.fixture(params=[pytest.param(name, marks=[pytest.mark.live] if name in LIVE else []) for name in sorted(TARGETS)])
async def target(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Target]:
    """One target after another, closed after the test."""
    if "unprivileged" in request.fixturenames and request.param != "local" and os.getuid() == 0:
        pytest.skip("root is refused no file: the permission is the point")
    async with TARGETS[request.param](tmp_path_factory) as made:
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
def unprivileged() -> Iterator[None]:
    """Root's privileges dropped for the time of a test; without them already where the tests run as somebody else."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    yield
    os.seteuid(0)
