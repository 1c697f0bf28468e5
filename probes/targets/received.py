"""Which argv a launch's server program really received: what was seen of its processes, and which of them is the server.

This module travels to other hosts: the standard library of Python 3.8 is enough for it.
"""

from pathlib import Path

from probes.targets.processes import Process, arguments_of

_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash", "busybox"})
_WRAPPERS = frozenset({"env", "nohup", "setsid", "timeout", "numactl", "nice", "ionice", "stdbuf", "taskset", "chrt", "time", "script", "xvfb-run"})
_USERS = frozenset({"sudo", "su", "runuser", "setpriv", "gosu"})
_RUNNERS = frozenset({"tini", "dumb-init", "catatonit", "uv", "uvx", "poetry", "pipenv", "conda", "mamba", "micromamba", "docker", "podman", "ssh"})
_LAYERS = _SHELLS | _WRAPPERS | _USERS | _RUNNERS
_MOST = 64


class Sightings:
    """The argv of every exec seen in one family of processes.

    The first argv of an exec counts: servers rewrite their process titles later (``VLLM::EngineCore``).
    """

    def __init__(self, root: int) -> None:
        self._root = root
        self._execs: dict[tuple[int, int], tuple[int, tuple[str, ...]]] = {}
        self.seen: tuple[tuple[str, ...], ...] = ()
        self.received: tuple[str, ...] = ()
        self.server = 0
        # What came while the server lived is its own: it outlives the server at times, and is no other server.
        self._below: set[int] = set()

    def look(self, members: dict[int, Process]) -> None:
        """Take in the family's processes as they are now."""
        for process in members.values():
            if process.alive:
                self._sight(process)
        pid, words = self._deepest(members)
        found = bool(self.received) and not is_layer(self.received)
        if words and not (found and (is_layer(words) or pid in self._below or (self.server == self._root != pid))):
            self.server, self.received = pid, words
        server = members.get(self.server)
        if server is not None and server.alive and not is_layer(self.received):
            self._below |= {p.pid for p in members.values() if p.born >= server.born and p.pid != server.pid}

    def _sight(self, process: Process) -> None:
        identity = (process.pid, process.born)
        image, known = self._execs.get(identity, (-1, ()))
        if known and process.image == image and image:
            return
        words = arguments_of(process.pid)
        if not words or (known and not image and len(words) == 1):
            return
        self._execs[identity] = (process.image, words)
        if words not in self.seen and len(self.seen) < _MOST:
            self.seen = (*self.seen, words)

    def _deepest(self, members: dict[int, Process]) -> tuple[int, tuple[str, ...]]:
        """The first process on the way down from the root that is no layer, with its argv; of a pipeline, its first command.

        Without its root, a family hangs from its eldest orphan.
        """
        at = self._root if self._root in members else _eldest(members, {p.pid for p in members.values() if p.parent not in members})
        found: tuple[int, tuple[str, ...]] = (0, ())
        while at:
            process = members[at]
            found = at, self._execs.get((process.pid, process.born), found)[1]
            if not is_layer(found[1]):
                break
            at = _eldest(members, {p.pid for p in members.values() if p.parent == at})
        return found


def is_layer(argv: tuple[str, ...]) -> bool:
    """Whether this is a shell or a wrapper that only leads to another program."""
    return bool(argv) and Path(argv[0]).name.lstrip("-") in _LAYERS


def _eldest(members: dict[int, Process], pids: set[int]) -> int:
    return min((pid for pid in pids if members[pid].alive), key=lambda pid: (members[pid].born, pid), default=0)
