"""The far side's memory: a small process that outlives the connection, holds the launches and answers one client, over a socket in its folder.

It ends all that it holds and removes its folder when it is told so, when no client came back in time after the connection was lost, or when a
client that seems connected has been silent for long. An answer is kept until the client no longer waits for its number: cut off, it asks again
by the same number, and nothing is carried out twice.

This module travels to other hosts: the standard library of Python 3.8 is enough for it.
"""

import os
import selectors
import shutil
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any

from probes.targets.files import read_part, remove_own, write_private
from probes.targets.processes import marked
from probes.targets.remote.commands import carried_out
from probes.targets.remote.frames import Frame, Unpacker, pack
from probes.targets.remote.launched import Launched

SILENT_LEASES = 5.0
"""After so many leases without a word, a client that seems connected is taken for lost."""
_GRACE = 5.0
_STEP = 65536


class Worker:
    """A command being carried out by a child of ours; its answer comes through a pipe."""

    def __init__(self, number: int, pid: int) -> None:
        self.number = number
        self.pid = pid
        self.data = bytearray()
        self.cancels: list[int] = []


class Keeper:
    """Serves the clients that `listener` accepts, the newest only. `lease` is the seconds for which launches outlive a lost connection."""

    def __init__(self, folder: Path, listener: socket.socket, lease: float) -> None:
        self._folder = folder
        self._listener = listener
        self._lease = lease
        self._selector = selectors.DefaultSelector()
        self._selector.register(listener, selectors.EVENT_READ, "listener")
        self._client: socket.socket | None = None
        self._unpacker = Unpacker()
        self._out = bytearray()
        self._heard = time.monotonic()
        self._launches: dict[str, Launched] = {}
        self._ends: dict[str, list[int]] = {}
        self._workers: dict[int, Worker] = {}
        self._answers: dict[int, bytes] = {}
        self._pending: set[int] = set()
        self._stopped = False

    def serve(self) -> None:
        """Answer until there is nothing more to keep, then leave nothing behind."""
        signal.signal(signal.SIGTERM, self._stop)
        try:
            while not self._stopped and not self._forsaken():
                self._turn()
        finally:
            self._listener.close()
            self._end_all()
            shutil.rmtree(str(self._folder), ignore_errors=True)

    def _stop(self, *_: object) -> None:
        self._stopped = True

    def _forsaken(self) -> bool:
        silent = time.monotonic() - self._heard
        return silent > self._lease * (1.0 if self._client is None else SILENT_LEASES)

    def _turn(self) -> None:
        for key, events in self._selector.select(0.02 if self._ends else 0.5):
            if key.data == "listener":
                self._accept()
            elif key.data == "client":
                self._talk(events)
            elif isinstance(key.fileobj, int):
                self._collect(key.fileobj)
        for mark in list(self._ends):
            survivors = self._launches[mark].ended()
            if survivors is not None:
                for number in self._ends.pop(mark):
                    self._answer(number, {"survivors": survivors})

    def _accept(self) -> None:
        connection, _ = self._listener.accept()
        connection.setblocking(False)
        self._drop()
        self._client, self._unpacker, self._heard = connection, Unpacker(), time.monotonic()
        self._selector.register(connection, selectors.EVENT_READ, "client")

    def _drop(self) -> None:
        if self._client is not None:
            self._selector.unregister(self._client)
            self._client.close()
        self._client, self._heard = None, time.monotonic()
        self._out.clear()

    def _talk(self, events: int) -> None:
        client = self._client
        if client is None:
            return
        try:
            if events & selectors.EVENT_WRITE:
                del self._out[: client.send(self._out[:_STEP])]
                self._select(client)
            if events & selectors.EVENT_READ:
                data = client.recv(_STEP)
                if not data:
                    self._drop()
                    return
                self._heard = time.monotonic()
                for frame in self._unpacker.feed(data):
                    self._take(frame)
        except BlockingIOError:
            return
        except OSError:
            self._drop()

    def _select(self, client: socket.socket) -> None:
        self._selector.modify(client, selectors.EVENT_READ | (selectors.EVENT_WRITE if self._out else 0), "client")

    def _send(self, frame: bytes) -> None:
        if self._client is not None:
            self._out += frame
            self._select(self._client)

    def _answer(self, number: int, header: dict[str, Any], body: bytes = b"") -> None:
        frame = pack({"number": number, **header}, body)
        self._pending.discard(number)
        self._answers[number] = frame
        self._send(frame)

    def _take(self, frame: Frame) -> None:
        told, body = frame
        number, operation = told["number"], told["op"]
        for answered in [other for other in self._answers if other < told["waiting"]]:
            del self._answers[answered]
        if number in self._answers:
            self._send(self._answers[number])
        elif number not in self._pending:
            self._pending.add(number)
            getattr(self, "_do_" + operation)(number, told, body)

    def _do_hello(self, number: int, told: dict[str, Any], _body: bytes) -> None:
        # Every connection begins with it, so its answer is not kept, and what the client has seen need not be either.
        self._pending.discard(number)
        self._lease = told["lease"]
        version = ".".join(map(str, sys.version_info[:3]))
        self._send(pack({"number": number, "pid": os.getpid(), "python": version, "launches": list(self._launches)}))

    def _do_ping(self, number: int, _told: dict[str, Any], _body: bytes) -> None:
        self._pending.discard(number)

    def _do_run(self, number: int, told: dict[str, Any], body: bytes) -> None:
        reading, writing = os.pipe()
        pid = os.fork()
        if not pid:
            self._work(told, body, writing)
        os.close(writing)
        self._workers[reading] = Worker(number, pid)
        self._selector.register(reading, selectors.EVENT_READ, "worker")

    def _work(self, told: dict[str, Any], body: bytes, writing: int) -> None:
        """In the child: carry a command out, hand its answer over, and be gone. Nothing of the parent's may be used up here."""
        status = 1
        try:
            self._listener.close()
            if self._client is not None:
                self._client.close()
            header, output = carried_out(told, body, told["mark"], lambda: self._stopped)
            data = memoryview(pack({"number": told["number"], **header}, output))
            while data:
                data = data[os.write(writing, data) :]
            status = 0
        finally:
            os._exit(status)

    def _collect(self, descriptor: int) -> None:
        worker = self._workers[descriptor]
        data = os.read(descriptor, _STEP)
        if data:
            worker.data += data
            return
        self._selector.unregister(descriptor)
        os.close(descriptor)
        del self._workers[descriptor]
        os.waitpid(worker.pid, 0)
        header, body = next(Unpacker().feed(bytes(worker.data)), ({"failure": "unreachable"}, b""))
        self._answer(worker.number, {**header, "number": worker.number}, body)
        for number in worker.cancels:
            self._answer(number, {})

    def _do_cancel(self, number: int, told: dict[str, Any], _body: bytes) -> None:
        for worker in self._workers.values():
            if worker.number == told["target"]:
                worker.cancels.append(number)
                os.kill(worker.pid, signal.SIGTERM)
                return
        self._answer(number, {})

    def _do_start(self, number: int, told: dict[str, Any], _body: bytes) -> None:
        mark = told["mark"]
        if mark not in self._launches:
            self._launches[mark] = Launched(told, self._folder)
        self._answer(number, self._launches[mark].started)

    def _do_poll(self, number: int, told: dict[str, Any], _body: bytes) -> None:
        launch = self._launches.get(told["mark"])
        self._answer(number, launch.poll() if launch else {"unknown": True})

    def _do_signal(self, number: int, told: dict[str, Any], _body: bytes) -> None:
        launch = self._launches.get(told["mark"])
        if launch is not None:
            launch.signal(told["signal"])
        self._answer(number, {})

    def _do_end(self, number: int, told: dict[str, Any], _body: bytes) -> None:
        launch = self._launches.get(told["mark"])
        if launch is None:
            self._answer(number, {"survivors": _killed(told["mark"])})
            return
        launch.end(told["grace"])
        self._ends.setdefault(told["mark"], []).append(number)

    def _do_read(self, number: int, told: dict[str, Any], _body: bytes) -> None:
        part = read_part(told["path"], told["offset"], told["limit"])
        self._answer(number, {"size": part.size, "failure": part.failure}, part.data)

    def _do_place(self, number: int, told: dict[str, Any], body: bytes) -> None:
        try:
            self._answer(number, {"path": write_private(self._folder, told["name"], body)})
        except OSError as error:
            self._answer(number, {"failure": str(error)})

    def _do_remove(self, number: int, told: dict[str, Any], _body: bytes) -> None:
        remove_own(self._folder, told["path"])
        self._answer(number, {})

    def _do_leftovers(self, number: int, told: dict[str, Any], _body: bytes) -> None:
        self._answer(number, {"found": _killed(told["prefix"])})

    def _do_bye(self, number: int, _told: dict[str, Any], _body: bytes) -> None:
        self._end_all()
        shutil.rmtree(str(self._folder), ignore_errors=True)
        self._answer(number, {})
        if self._client is not None:
            self._client.setblocking(True)
            self._client.sendall(self._out)
        self._stopped = True

    def _end_all(self) -> None:
        for worker in self._workers.values():
            os.kill(worker.pid, signal.SIGTERM)
        for launch in self._launches.values():
            launch.end(0.0 if launch.ending else _GRACE)
        left = list(self._launches.values())
        while left:
            left = [launch for launch in left if launch.ended() is None]
            time.sleep(0.02 if left else 0)
        for launch in self._launches.values():
            launch.forget()
        for worker in self._workers.values():
            os.waitpid(worker.pid, 0)
        self._workers.clear()
        self._launches.clear()


def _killed(prefix: str) -> tuple[int, ...]:
    """End the processes whose mark begins with `prefix`, which another keeper left; returns their pids."""
    found = marked(prefix)
    for pid in found:
        try:
            os.kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue
    return found
