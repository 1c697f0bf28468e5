"""Triages over a real SSH server while something happens to the connection, to the server's processes or to nostart itself."""

import asyncio
import json
import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import psutil

from tests.running import PROGRAM

LENGTH = 4.0
"""Seconds of such a triage, about."""


class Told(msgspec.Struct, frozen=True):
    """How a triage ended: its exit status, its JSON document (None: none was printed), stderr, and how often the server was started."""

    status: int
    document: dict[str, Any] | None
    stderr: str
    starts: int

    @property
    def right(self) -> bool:
        """Whether the launch was mended and came up, and each launch that is told of was made once."""
        document = self.document
        return document is not None and (self.status, document["outcome"], document["launches"]) == (0, "up", self.starts)

    @property
    def unreachable(self) -> bool:
        """Whether it says clearly that the host could not be reached."""
        return self.status == 3 and self.document is None and "ssh://" in self.stderr


def counting(folder: Path, program: Path) -> Path:
    """A ``vllm`` in `folder` that writes a line to ``starts`` there and becomes `program`."""
    script = folder / "vllm"
    script.write_text(f'#!/bin/sh\necho $$ >> {folder}/starts\nexec {program} "$@"\n')
    script.chmod(0o755)
    return script


async def begun(folder: Path, url: str, line: str, *options: str, environment: Mapping[str, str] | None = None) -> asyncio.subprocess.Process:
    """``nostart triage --fix`` of `line` on the host."""
    words = ["triage", "--json", "--fix", *options, "--transcripts", str(folder / "runs"), "--target", url, "--", "bash", "-c", line]
    pipe = asyncio.subprocess.PIPE
    variables = {**os.environ, **(environment or {})}
    return await asyncio.create_subprocess_exec(
        str(PROGRAM), *words, cwd=folder, stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe, env=variables
    )


async def told(folder: Path, process: asyncio.subprocess.Process) -> Told:
    """What it said in the end."""
    out, err = await process.communicate()
    starts = folder / "starts"
    document = json.loads(out) if out.strip() else None
    assert process.returncode is not None
    return Told(process.returncode, document, err.decode(errors="replace"), len(starts.read_text().splitlines()) if starts.exists() else 0)


def living(folder: Path) -> list[list[str]]:
    """The command lines of the living processes that name the folder, and the helpers of its runs."""
    runs = [run.name for run in (folder / "runs").glob("*")]
    found = []
    for process in psutil.process_iter(["cmdline", "status", "environ"]):
        words = process.info["cmdline"] or []
        mark = (process.info["environ"] or {}).get("NOSTART_MARK", "")
        if process.info["status"] != psutil.STATUS_ZOMBIE and (str(folder) in " ".join(words) or any(run in mark for run in runs)):
            found.append(words)
    return found


async def nothing_lives(folder: Path, seconds: float) -> list[list[str]]:
    """What still lives after so many seconds, or as soon as nothing does (an empty list)."""
    for _ in range(int(seconds * 5)):
        if not living(folder):
            return []
        await asyncio.sleep(0.2)
    return living(folder)


def kill_sessions(server: int) -> None:
    """SIGKILL to the processes by which sshd (its pid is `server`) serves its connections."""
    for process in psutil.Process(server).children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if process.name().startswith("sshd"):
                process.send_signal(signal.SIGKILL)
