"""What runs behind the byte stream on the far side: finds or starts the keeper of this run, and passes bytes between it and the stream.

This module travels to other hosts: the standard library of Python 3.8 is enough for it.
"""

import contextlib
import os
import selectors
import signal
import socket
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from probes.targets.remote.frames import READY, Frame, Unpacker
from probes.targets.remote.keeper import Keeper

_STEP = 65536
_SOCKET = "socket"


def main() -> None:
    """Serve one connection. A place where it cannot work is told on stderr, with exit status 4."""
    if not Path("/proc/self/stat").exists():
        _give_up("this host has no /proc: only Linux can be asked")
    data, (hello, _) = _first_frame()
    try:
        connection = _joined(Path(tempfile.gettempdir()) / Path(hello["folder"]).name, hello["lease"])
    except OSError as error:
        _give_up(f"cannot work in the folder for temporary files: {error}")
    os.write(1, READY)
    connection.sendall(data)
    _pass_on(connection)


def _give_up(text: str) -> None:
    sys.stderr.write(f"nostart: {text}\n")
    sys.stderr.flush()
    os._exit(4)


def _first_frame() -> tuple[bytes, Frame]:
    data, unpacker = b"", Unpacker()
    while True:
        piece = os.read(0, _STEP)
        if not piece:
            os._exit(0)
        data += piece
        for frame in unpacker.feed(piece):
            return data, frame


def _joined(folder: Path, lease: float) -> socket.socket:
    """A connection to the keeper in `folder`, which is started where there is none. The folder is ours alone, or it is not used."""
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise PermissionError(f"{folder} is not ours alone")
    for _ in range(50):
        with contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
            return _connected(folder)
        with contextlib.suppress(FileExistsError):
            _start_keeper(folder, lease)
        time.sleep(0.02)
    raise ConnectionRefusedError("the keeper does not answer")


def _connected(folder: Path) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX)
    try:
        with _inside(folder):
            connection.connect(_SOCKET)
    except OSError:
        connection.close()
        raise
    return connection


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    """Stand in `folder`: the address of a socket may be no longer than 107 bytes, its path may."""
    home = os.open(".", os.O_RDONLY)
    os.chdir(str(folder))
    try:
        yield
    finally:
        os.fchdir(home)
        os.close(home)


def _start_keeper(folder: Path, lease: float) -> None:
    """Listen in `folder` and leave a keeper there, in a session of its own and deaf to the end of ours."""
    listener = socket.socket(socket.AF_UNIX)
    with _inside(folder):
        with contextlib.suppress(FileNotFoundError):
            Path(_SOCKET).unlink()
        listener.bind(_SOCKET)
    listener.listen(4)
    if os.fork():
        listener.close()
        return
    os.setsid()
    # A handler, since what is ignored would be ignored by every program that is started here, too.
    signal.signal(signal.SIGHUP, _not_now)
    signal.signal(signal.SIGINT, _not_now)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)
    try:
        Keeper(folder, listener, lease).serve()
    finally:
        os._exit(0)


def _not_now(*_: object) -> None:
    return None


def _pass_on(connection: socket.socket) -> None:
    """Pass bytes both ways until one side is gone."""
    selector = selectors.DefaultSelector()
    selector.register(0, selectors.EVENT_READ)
    selector.register(connection, selectors.EVENT_READ)
    with contextlib.suppress(OSError):
        while True:
            for key, _ in selector.select():
                data = os.read(0, _STEP) if key.fileobj == 0 else connection.recv(_STEP)
                if not data:
                    return
                if key.fileobj == 0:
                    connection.sendall(data)
                else:
                    _written(data)


def _written(data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(1, view) :]
