"""A started program on the far side, as the keeper holds it.

This module travels to other hosts: the standard library of Python 3.8 is enough for it.
"""

import signal
import subprocess
import time
from pathlib import Path
from typing import Any

from probes.targets.files import private
from probes.targets.processes import Family
from probes.targets.received import Sightings
from probes.targets.spawning import environment, failure, reason, spawn


class Launched:
    """One launch: its processes, wherever they moved, and its end. `told` is what it was started with."""

    def __init__(self, told: dict[str, Any], folder: Path) -> None:
        self._mark = told["mark"]
        self._log = str(folder / f"{self._mark}.log")
        self._family: Family | None = None
        self._told: set[int] = set()
        self._deadline: float | None = None
        self._failed: dict[str, Any] = {}
        argv, cwd = tuple(told["argv"]), told["cwd"]
        try:
            with open(self._log, "ab", opener=private) as file:
                env = environment({}, told["env"], told["unset"], self._mark)
                process = spawn(argv, env, cwd, subprocess.DEVNULL, file, subprocess.STDOUT)
        except (OSError, ValueError) as error:
            self._failed = {"failure": failure(error), "reason": reason(argv, cwd, error)}
            return
        self._family = Family(process.pid, self._mark, process.poll)
        self._sightings = Sightings(process.pid)
        self._sightings.look(self._family.members())

    @property
    def started(self) -> dict[str, Any]:
        """What is told of its start."""
        return {"pid": self._family.root if self._family else 0, "log": self._log, **self._failed}

    @property
    def ending(self) -> bool:
        """Whether it was asked to end and has not yet."""
        return self._deadline is not None

    def poll(self) -> dict[str, Any]:
        """How it is doing now (`probes.targets.target.Polled`)."""
        family = self._family
        if family is None:
            return {"status": 127}
        status = family.status()
        members = family.members() if status is not None else family.recent_members()
        self._sightings.look(members)
        return {
            "status": status,
            "received": self._sightings.received,
            "processes": [pid for pid, process in members.items() if process.alive],
            "cpu_seconds": family.cpu_seconds,
            "seen": self._sightings.seen,
            "server": self._sightings.server,
            "server_status": family.statuses.get(self._sightings.server),
        }

    def signal(self, number: int) -> None:
        """Send a signal to every process of it."""
        if self._family is not None:
            self._family.signal(number)

    def end(self, grace: float) -> None:
        """Begin to end it: SIGTERM, `grace` seconds, SIGKILL; see `ended`. Asked again, the shorter grace counts."""
        deadline = time.monotonic() + grace
        self._deadline = deadline if self._deadline is None else min(deadline, self._deadline)

    def ended(self) -> tuple[int, ...] | None:
        """Go on with ending it: the pids that would not die once it is over, None while it is not."""
        family = self._family
        if family is None:
            self._deadline = None
            return ()
        living = family.living(thorough=not self._told)
        if living and self._deadline is not None and time.monotonic() < self._deadline:
            if not self._told.issuperset(living):
                self._told.update(family.signal(signal.SIGTERM))
                family.signal(signal.SIGCONT)
            return None
        self._deadline, self._told = None, set()
        return family.kill()

    def forget(self) -> None:
        """Nothing can come of it any more."""
        if self._family is not None:
            self._family.forget()
