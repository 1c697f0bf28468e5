"""Real containers by podman, and a stand-in for kubectl: what the tests of container targets share."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

SETTINGS = """[containers]
netns = "host"
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
runtime = "runc"
"""
"""What makes plain ``podman run`` work where cgroups are of version 1 and there is no bridge."""

KUBECTL = """#!/bin/sh
# exec: everything behind -- is run here; anything else is answered from a file.
if [ "$1" = exec ]; then
    while [ "$1" != -- ]; do shift; done
    shift
    exec RUNNER"$@"
fi
for word in "$@"; do [ "$word" = --previous ] && exec cat "$0.previous"; done
[ "$1" = logs ] && exec cat "$0.logs"
exec cat "$0.json"
"""


@contextmanager
def kubectl(folder: Path, pod: str = "{}", logs: str = "", previous: str = "", runner: str = "") -> Iterator[None]:
    """A program called kubectl first on PATH: it answers with these texts, and executes here, behind the words of `runner`."""
    program = folder / "kubectl"
    program.write_text(KUBECTL.replace("RUNNER", runner))
    program.chmod(0o755)
    for name, text in {"json": pod, "logs": logs, "previous": previous}.items():
        (folder / f"kubectl.{name}").write_text(text)
    before = os.environ["PATH"]
    os.environ["PATH"] = f"{folder}:{before}"
    try:
        yield
    finally:
        os.environ["PATH"] = before


@contextmanager
def podman(folder: Path) -> Iterator[None]:
    """Podman's settings for containers here; skips the test where containers cannot run."""
    if shutil.which("podman") is None or shutil.which("runc") is None:
        pytest.skip("podman and runc are not installed: apt-get install --no-install-recommends podman runc catatonit")
    settings = folder / "containers.conf"
    settings.write_text(SETTINGS)
    before = os.environ.get("CONTAINERS_CONF")
    os.environ["CONTAINERS_CONF"] = str(settings)
    try:
        tried = subprocess.run(["podman", "run", "--rm", "--rootfs", "/:O", "true"], capture_output=True, text=True, timeout=120)
        if tried.returncode:
            pytest.skip(f"no container can run here: {tried.stderr.strip()[-200:]}")
        yield
    finally:
        if before is None:
            del os.environ["CONTAINERS_CONF"]
        else:
            os.environ["CONTAINERS_CONF"] = before


@contextmanager
def container(name: str, *words: str, options: tuple[str, ...] = (), detach: bool = False) -> Iterator[None]:
    """A container on this machine's own files (a copy that is thrown away): run to its end, or left running."""
    how = ("-d",) if detach else ()
    subprocess.run(["podman", "run", *how, "--name", name, *options, "--rootfs", "/:O", *words], capture_output=True, timeout=120)
    try:
        yield
    finally:
        subprocess.run(["podman", "rm", "-f", "-t", "0", name], capture_output=True, timeout=120)
