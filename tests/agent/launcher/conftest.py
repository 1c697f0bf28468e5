"""A launcher with a small real server to start: its framework, its folder, and a check that nothing of it is left."""

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from msgspec import Struct, structs

from agent.clock import SystemClock
from agent.launcher import Launcher
from agent.watching import Limits
from probes.frameworks.framework import Entry, Framework, ParserRules, Ready
from probes.targets.local import LocalTarget
from transcripts.records import Attempt, Excerpt, Fix, Launch, Piece
from transcripts.redact import Vault

QUICK = Limits(launch_seconds=20.0, grace=5.0, pause=0.02)
SERVER = Path(__file__).with_name("small_server.py")


def find_entry(argv: tuple[str, ...]) -> Entry | None:
    """The small server's command in an argv."""
    position = next((index for index, word in enumerate(argv) if word == str(SERVER)), None)
    return None if position is None else Entry(framework="small", command="small", start=position, options=position + 1)


SMALL = Framework(
    name="small",
    program="small_server.py",
    find_entry=find_entry,
    rules=ParserRules(kind="argparse", abbreviations=True, underscores=True, dotted_json=False),
    plain_help=("--help",),
    full_help=("--help",),
    control_flag="--port",
    distributions=(),
    package="",
    api_class="",
    parser_script="",
    phases=(("arguments", ("reading its arguments",)), ("weights", ("loading weights",)), ("up", ("running on",))),
    ready=(
        Ready(method="GET", path="/v1/models", names_model=True),
        Ready(method="POST", path="/v1/completions", body='{"model": "{model}", "prompt": "Hi", "max_tokens": 1}'),
    ),
    default_port=8000,
    port_flags=("--port",),
    host_flags=("--host",),
    key_flags=("--api-key",),
    key_variables=("SMALL_API_KEY",),
    environment_prefixes=("SMALL_",),
    file_flags=(),
    config_flag="--config",
    model_flags=("--model",),
)


def whole(file: BinaryIO, _framework: Framework | None) -> Excerpt:
    """A log as one piece."""
    data = file.read()
    return Excerpt(pieces=(Piece(line=1, offset=0, text=data.decode("utf-8", "replace")),), lines=data.count(b"\n"), size=len(data))


def _alive(pid: int) -> bool:
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return text[text.rindex(")") + 2] not in "ZX"


class Stage(Struct):
    """What a test starts the small server with, and what it sees of it."""

    folder: Path
    target: LocalTarget
    vault: Vault
    pids_file: Path
    phases: list[str]
    framework: Framework = SMALL

    def launcher(self, limits: Limits = QUICK, *, keep: bool = False) -> Launcher:
        """A launcher with the excerpt of a log as one piece."""
        return Launcher(self.target, SystemClock(), self.vault, self.folder, limits, scan=whole, keep=keep)

    def launch(self, *options: str, layers: tuple[str, ...] = (), **changes: Any) -> Launch:
        """A launch of the small server at a free port."""
        argv = (*layers, sys.executable, str(SERVER), "--port", "0", "--pids", str(self.pids_file), *options)
        return structs.replace(Launch(argv=argv), **changes)

    async def attempt(self, launch: Launch, fix: Fix | None = None, limits: Limits = QUICK) -> tuple[Attempt, str]:
        """One attempt by a launcher of its own, and the log it left."""
        attempt, excerpt = await self.launcher(limits).attempt(1, launch, SMALL, fix, self.note)
        return attempt, excerpt.pieces[0].text

    def note(self, phase: str, seconds: float) -> None:
        """Remember a phase that was reached."""
        self.phases.append(phase)

    def left(self) -> list[int]:
        """The processes of the server that still live."""
        return [pid for pid in self.started() if _alive(pid)]

    def started(self) -> list[int]:
        """The pids that the server wrote down."""
        return [int(line) for line in self.pids_file.read_text().split()] if self.pids_file.exists() else []

    async def until_started(self, count: int) -> None:
        """Wait until that many processes of the server have come."""
        while True:
            if len(self.started()) >= count:
                return
            await asyncio.sleep(0.01)


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    """A stage; after every test, however it ended, no process of the server and no file of ours on the target is left."""
    made = Stage(folder=tmp_path / "run", target=LocalTarget(), vault=Vault(), pids_file=tmp_path / "pids", phases=[])
    yield made
    left = made.left()
    await made.target.close()
    assert [] == left
