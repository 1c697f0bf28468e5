"""What every target must do with files."""

import os
import stat
from pathlib import Path

import pytest

from probes.targets.target import Look, LookFailure, Target


async def test_a_part_of_a_file(target: Target, tmp_path: Path) -> None:
    """A file is read from an offset, up to a limit, and its whole size is told; past its end there is nothing."""
    path = tmp_path / "log"
    path.write_bytes(b"0123\xff56789")
    looks = [await target.read(str(path), 4, 3), await target.read(str(path), 10)]
    assert [Look(data=b"\xff56", size=10), Look(size=10)] == looks


@pytest.mark.parametrize(("name", "failure"), [("absent", "absent"), ("file/below", "absent"), (".", "directory"), ("nul\0", "absent")])
async def test_a_look_that_fails_says_why(target: Target, tmp_path: Path, name: str, failure: LookFailure) -> None:
    """Absent and directory are different answers, and none is an empty file."""
    (tmp_path / "file").touch()
    assert Look(failure=failure) == await target.read(f"{tmp_path}/{name}")


@pytest.mark.usefixtures("unprivileged")
async def test_a_file_that_may_not_be_read_is_denied(target: Target) -> None:
    """A file without permission to read is told from an absent one."""
    path = await target.place("secret", b"")
    Path(path).chmod(0o000)  # noqa: ASYNC240 - a local file
    assert Look(failure="denied") == await target.read(path)


async def test_an_empty_file_is_no_failure(target: Target, tmp_path: Path) -> None:
    """A file that is empty is seen as one."""
    (tmp_path / "empty").touch()
    assert Look() == await target.read(str(tmp_path / "empty"))


async def test_a_named_pipe_does_not_block(target: Target, tmp_path: Path) -> None:
    """Reading a pipe that nobody writes to returns at once."""
    os.mkfifo(tmp_path / "pipe")
    assert b"" == (await target.read(str(tmp_path / "pipe"))).data


async def test_what_is_placed_is_private_and_removed(target: Target) -> None:
    """A placed file keeps its name and content, only its owner may read it, two of one name do not meet, and `remove` takes one away."""
    paths = [await target.place("config.yaml", data) for data in (b"one", b"two")]
    found = [(Path(path).name, stat.S_IMODE(os.stat(path).st_mode), (await target.read(path)).data) for path in paths]  # noqa: PTH116
    await target.remove(paths[0])
    left = [(await target.read(path)).failure for path in paths]
    assert ([("config.yaml", 0o600, b"one"), ("config.yaml", 0o600, b"two")], ["absent", ""]) == (found, left)


async def test_only_our_own_files_are_removed(target: Target, tmp_path: Path) -> None:
    """A file that the target did not make stays, whatever is asked."""
    path = tmp_path / "theirs"
    path.touch()
    await target.remove(str(path))
    assert [path] == list(tmp_path.iterdir())  # noqa: ASYNC240 - a local folder


async def test_close_removes_what_was_placed(target: Target) -> None:
    """Nothing of ours stays on the target."""
    path = await target.place("name", b"")
    await target.close()
    assert Look(failure="absent") == await target.read(path)
