"""A running container as a target: ``docker://NAME``, through ``docker exec`` (``podman exec`` where there is no docker)."""

import os
import re
import shutil
from pathlib import Path
from typing import Literal

from probes.targets.exec_stream import ExecTransport
from probes.targets.remote.client import Patience
from probes.targets.remote.target import RemoteTarget
from transcripts.errors import UsageError

_SOCKET = Path("/var/run/docker.sock")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


def made(url: str, run: str, patience: Patience | None = None) -> RemoteTarget:
    """The target of a ``docker://`` URL.

    Raises:
        UsageError: it is none.
    """
    name = name_in(url)
    return RemoteTarget(ExecTransport(f"docker://{name}", (client(), "exec", "-i", name)), run, patience)


def name_in(url: str) -> str:
    """The container's name or id in a URL.

    Raises:
        UsageError: there is none; a name that could be taken for an option is none.
    """
    name = url.partition("://")[2]
    if not _NAME.fullmatch(name):
        raise UsageError(f"--target {url}: write it as docker://NAME, with the container's name or id")
    return name


def client() -> Literal["docker", "podman"]:
    """The program that reaches containers here: docker, but podman where it is there and docker is not, or has no daemon to talk to."""
    daemon = bool(os.environ.get("DOCKER_HOST") or os.environ.get("DOCKER_CONTEXT")) or _SOCKET.exists()
    docker = shutil.which("docker") is not None and daemon
    return "podman" if not docker and shutil.which("podman") is not None else "docker"
