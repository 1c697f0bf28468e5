"""The processes of one launch, found again wherever they moved: Linux, through ``/proc``.

A process group is not enough: children in sessions of their own survive it. A process belongs to the launch when it descends from its root, when it
lies in a session that one of them made, when it was orphaned and came to us (we are a child subreaper, prctl(2)), or when it bears
the launch's mark in its environment. This module travels to other hosts: the standard library of Python 3.8 is enough for it.
"""

import ctypes
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import ClassVar, NamedTuple

MARK = "NOSTART_MARK"
"""The environment variable by which every descendant of a launch is known."""

_PR_SET_CHILD_SUBREAPER = 36
_TICKS = os.sysconf("SC_CLK_TCK")
_DEAD = frozenset("ZX")
_RESTLESS_SECONDS = 3.0
_RECENT_SECONDS = 0.5


class Process(NamedTuple):
    """One process as ``/proc/PID/stat`` shows it. `born` is its start in clock ticks since boot: with the pid, its identity.

    `image` is the address of its arguments (0: not readable); an exec changes it, a rewritten process title does not.
    """

    pid: int
    state: str
    parent: int
    session: int
    cpu_seconds: float
    born: int
    image: int

    @property
    def alive(self) -> bool:
        """False for a zombie: it only waits to be reaped."""
        return self.state not in _DEAD


def become_subreaper() -> bool:
    """Have orphaned descendants come to this process instead of to init; False where the kernel has no such thing."""
    return bool(ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)


def look_at(pid: int) -> Process | None:
    """The process `pid`, or None where there is none."""
    try:
        text = Path(f"/proc/{pid}/stat").read_bytes().decode(errors="replace")
    except OSError:
        return None
    fields = text[text.rindex(")") + 2 :].split()
    image = int(fields[45]) if len(fields) > 45 else 0
    cpu_seconds = (int(fields[11]) + int(fields[12])) / _TICKS
    return Process(pid, fields[0], int(fields[1]), int(fields[3]), cpu_seconds, int(fields[19]), image)


def snapshot() -> dict[int, Process]:
    """Every process that can be seen now."""
    pids = (int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit())
    return {process.pid: process for pid in pids if (process := look_at(pid))}


def arguments_of(pid: int) -> tuple[str, ...]:
    """The raw argv of a process, empty where it cannot be read (a zombie, another user's)."""
    try:
        data = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return ()
    data = data[:-1] if data.endswith(b"\0") else data
    return tuple(word.decode("utf-8", "replace") for word in data.split(b"\0")) if data else ()


def mark_of(pid: int) -> str:
    """The mark that a process bears, empty for none or where its environment cannot be read."""
    try:
        data = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return ""
    prefix = f"{MARK}=".encode()
    return next((item[len(prefix) :].decode("utf-8", "replace") for item in data.split(b"\0") if item.startswith(prefix)), "")


def marked(prefix: str) -> tuple[int, ...]:
    """The living processes whose mark begins with `prefix`: how a later run finds what a killed one left."""
    return tuple(p.pid for p in snapshot().values() if p.alive and p.pid != os.getpid() and mark_of(p.pid).startswith(prefix))


class Family:
    """A started program and everything that came of it.

    `status` reaps the root and tells how it ended. Orphans come to this whole process, so the families of one process know of each other;
    `forget` takes one out that is gone.
    """

    _roots: ClassVar[dict[str, int]] = {}

    def __init__(self, root: int, mark: str, status: Callable[[], int | None]) -> None:
        self.root = root
        self.mark = mark
        self.status = status
        self._roots[mark] = root
        process = look_at(root)
        self._born = process.born if process else 0
        self._known: dict[int, int] = {root: self._born}
        self._foreign: set[tuple[int, int]] = set()
        self._cpu: dict[tuple[int, int], float] = {}
        # An orphan seen in the middle of its exec shows neither argv nor environment: whose it is must be asked again.
        self._unsettled = False
        self.statuses: dict[int, int] = {}
        self._began = self._looked = time.monotonic()
        self._members: dict[int, Process] = {}

    def members(self, *, thorough: bool = False) -> dict[int, Process]:
        """Its processes now, zombies that are ours reaped. `thorough` reads the environment of every process for the mark."""
        self._unsettled = False
        everyone = snapshot()
        everyone.pop(os.getpid(), None)
        found = {pid for pid, born in self._known.items() if pid in everyone and everyone[pid].born == born}
        found |= {p.pid for p in everyone.values() if p.pid not in found and self._claims(p, everyone, thorough)}
        found = _with_descendants(found, everyone.values())
        self._known.update({pid: everyone[pid].born for pid in found})
        self._cpu.update({(pid, everyone[pid].born): everyone[pid].cpu_seconds for pid in found})
        return dict(self._reaped(everyone[pid] for pid in sorted(found)))

    def recent_members(self) -> dict[int, Process]:
        """Its processes now or a moment ago: looking at every process of a machine is not cheap, and a family settles soon."""
        now = time.monotonic()
        if now - self._began > _RESTLESS_SECONDS and now - self._looked < _RECENT_SECONDS:
            return self._members
        self._members, self._looked = self.members(), now
        return self._members

    @property
    def cpu_seconds(self) -> float:
        """What its processes, the dead ones too, had used when last looked at."""
        return sum(self._cpu.values())

    def living(self, *, thorough: bool = False) -> tuple[int, ...]:
        """The pids of its processes that are no zombies."""
        return tuple(pid for pid, process in self.members(thorough=thorough).items() if process.alive)

    def signal(self, number: int, *, thorough: bool = False) -> tuple[int, ...]:
        """Send a signal to every living member; returns their pids."""
        living = self.living(thorough=thorough)
        for pid in living:
            self._send(pid, number)
        return living

    def kill(self, patience: float = 5.0) -> tuple[int, ...]:
        """End every member by SIGKILL and wait until they are gone; returns those that would not die in `patience` seconds."""
        deadline = time.monotonic() + patience
        pause = 0.002
        while (survivors := self.signal(signal.SIGKILL, thorough=True)) or self._unsettled:
            if time.monotonic() > deadline:
                return survivors
            time.sleep(pause)
            pause = min(pause * 2, 0.05)
        self.status()
        return ()

    def forget(self) -> None:
        """Nothing can come of this family any more."""
        self._roots.pop(self.mark, None)

    def _send(self, pid: int, number: int) -> None:
        process = look_at(pid)
        if process is None or process.born != self._known.get(pid):
            return
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):
            return

    def _claims(self, process: Process, everyone: dict[int, Process], thorough: bool) -> bool:
        if process.born < self._born:
            return False
        leader = self._known.get(process.session)
        if leader is not None and (process.session not in everyone or everyone[process.session].born == leader):
            return True
        identity = (process.pid, process.born)
        adopted = process.parent == os.getpid() and process.session != os.getsid(0)
        if not process.alive or (not adopted and (not thorough or identity in self._foreign)):
            return False
        executed = arguments_of(process.pid)
        mark = mark_of(process.pid)
        if mark == self.mark:
            return True
        if not adopted:
            self._foreign.add(identity)
            return False
        if not executed:
            self._unsettled = True
            return False
        return mark not in self._roots and process.pid not in self._roots.values()

    def _reaped(self, processes: Iterable[Process]) -> Iterator[tuple[int, Process]]:
        """The processes without those zombies that were waiting for us."""
        for process in processes:
            if process.alive or process.parent != os.getpid():
                yield process.pid, process
            elif process.pid == self.root:
                self.status()
            else:
                self._wait(process.pid)

    def _wait(self, pid: int) -> None:
        try:
            reaped, raw = os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            return
        if reaped:
            self.statuses[pid] = -os.WTERMSIG(raw) if os.WIFSIGNALED(raw) else os.WEXITSTATUS(raw)


def _with_descendants(found: set[int], processes: Iterable[Process]) -> set[int]:
    children: dict[int, list[int]] = {}
    for process in processes:
        children.setdefault(process.parent, []).append(process.pid)
    todo = list(found)
    while todo:
        for child in children.get(todo.pop(), ()):
            if child not in found:
                found.add(child)
                todo.append(child)
    return found
