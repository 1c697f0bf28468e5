"""A host behind SSH for one test, and what is left of the helper there."""

import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from tests.ssh.sshd import Keys, in_process


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[tuple[Keys, int]]:
    """The keys to a server in this process, and its port."""
    async with in_process(tmp_path / "keys") as made:
        yield made


@pytest.fixture
def placed() -> Callable[[str], list[str]]:
    """The helper's folders of a run that are there now."""
    return lambda run: [path.name for path in Path(tempfile.gettempdir()).glob(f"nostart-{run}-*")]
