"""Small files on this machine: read in parts without ever blocking, written for their owner alone.

This module travels to other hosts: the standard library of Python 3.8 is enough for it.
"""

import errno
import os
import tempfile
from pathlib import Path
from typing import Literal, NamedTuple

LookFailure = Literal["", "absent", "denied", "directory", "unreachable", "error"]


class Part(NamedTuple):
    """A part of a file and the file's size now; `failure` says why there is none."""

    data: bytes = b""
    size: int = 0
    failure: LookFailure = ""


def read_part(path: str, offset: int, limit: int) -> Part:
    """Up to `limit` bytes of a file from `offset`; a named pipe without a writer reads as empty."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb", buffering=0) as file:
            if offset:
                file.seek(offset)
            return Part(data=file.read(limit) or b"", size=os.fstat(descriptor).st_size)
    except (OSError, ValueError) as error:
        return Part(failure=_look_failure(error))


def write_private(folder: Path, name: str, data: bytes) -> str:
    """Write a new file called `name` in a new folder under `folder`; returns its path."""
    path = Path(tempfile.mkdtemp(dir=folder)) / Path(name).name
    with open(path, "xb", opener=private) as file:
        file.write(data)
    return str(path)


def remove_own(folder: Path, path: str) -> None:
    """Remove `path` if it lies under `folder`."""
    if folder in Path(path).parents and ".." not in Path(path).parts:
        Path(path).unlink(missing_ok=True)


def private(path: str, flags: int) -> int:
    """An opener for files that only their owner may read."""
    return os.open(path, flags, 0o600)


def _look_failure(error: OSError | ValueError) -> LookFailure:
    if not isinstance(error, OSError):
        return "absent"
    named: dict[int | None, LookFailure] = {
        errno.ENOENT: "absent",
        errno.ENOTDIR: "absent",
        errno.EISDIR: "directory",
        errno.EACCES: "denied",
        errno.EPERM: "denied",
    }
    return named.get(error.errno, "error")
