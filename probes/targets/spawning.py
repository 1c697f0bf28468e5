"""How a program is executed on this machine, and what is said when it cannot be.

This module travels to other hosts: the standard library of Python 3.8 is enough for it.
"""

import errno
import os
import subprocess
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import IO, Literal

from probes.targets.processes import MARK, become_subreaper

_DENIED = frozenset({errno.EACCES, errno.EPERM, errno.ENOEXEC, errno.EISDIR})
_ABSENT = frozenset({errno.ENOENT, errno.ENOTDIR})


def spawn(
    argv: tuple[str, ...], env: Mapping[str, str], cwd: str | None, stdin: int, stdout: int | IO[bytes], stderr: int
) -> subprocess.Popen[bytes]:
    """Execute a program in a session of its own.

    Raises:
        OSError, ValueError: it cannot be executed; see `failure` and `reason`.
    """
    if not argv or not argv[0]:
        raise FileNotFoundError(errno.ENOENT, "the command is empty")
    become_subreaper()
    return subprocess.Popen(argv, env=env, cwd=cwd, stdin=stdin, stdout=stdout, stderr=stderr, start_new_session=True)


def environment(base: Mapping[str, str], env: Mapping[str, str], unset: Collection[str], mark: str) -> dict[str, str]:
    """This process's environment with `base`, without `unset`, with `env` and the mark that every descendant will bear."""
    kept = {name: value for name, value in {**os.environ, **base}.items() if name not in unset}
    return {**kept, **env, MARK: mark}


def failure(error: OSError | ValueError) -> Literal["no-tool", "denied", "error"]:
    """The kind of failure to execute something (`probes.targets.target.Started.failure`)."""
    if not isinstance(error, OSError):
        return "error"
    if error.errno in _ABSENT:
        return "no-tool"
    return "denied" if error.errno in _DENIED else "error"


def reason(argv: tuple[str, ...], cwd: str | None, error: OSError | ValueError) -> str:
    """Why a program could not be executed, in the words that a shell uses."""
    program = argv[0] if argv else ""
    if cwd is not None and not Path(cwd).is_dir():
        return f"{cwd}: no such folder to run {program} in"
    if not isinstance(error, OSError) or not error.errno:
        return f"{program}: cannot execute: {error}"
    if error.errno != errno.ENOENT:
        return f"{program}: {os.strerror(error.errno)}"
    if "/" not in program:
        return f"{program}: command not found"
    if Path(cwd or "", program).exists():
        return f"{program}: cannot execute: required file not found (the interpreter that its first line names)"
    return f"{program}: No such file or directory"
