"""One run of a verb from its request to its exit status: record, view, signals, result."""

import asyncio
import os
import secrets
import signal
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, TypeVar

import click
import msgspec
from rich.console import Console

from agent import resume
from agent.cli.hiding import hidden, learnt
from agent.cli.main import INTERRUPTED
from agent.cli.places import transcripts_folder as transcripts_folder
from agent.cli.reaching import by_its_login_shell
from agent.cli.sweeping import swept
from agent.clock import SystemClock
from agent.document import document, render
from agent.launcher import mark_of
from agent.live import LiveView, PlainView, View, show
from agent.loop import triage
from agent.ports import World
from agent.report import verdict
from agent.request import Request
from agent.world import LiveWorld
from probes.atlas.history import FRAMEWORKS, trouble
from probes.targets.choose import LOCAL, choose
from probes.targets.local import LocalTarget
from probes.targets.remote.target import RemoteTarget
from transcripts.errors import TargetUnreachable, TranscriptError, UsageError
from transcripts.events import AnyEvent, RunEnded
from transcripts.journal import FileSink, Journal
from transcripts.records import Diagnosis
from transcripts.redact import Vault

Result = TypeVar("Result")

GRACE = 5.0
"""Seconds that what a killed run left has to end by itself."""


class Telling(NamedTuple):
    """How a run is shown and where it is kept. `quiet` shows nothing of the way, only the result; `verdict_to_stderr` leaves stdout alone;
    `heard` takes the diagnosis and the place of its record instead of both."""

    as_json: bool = False
    plain: bool = False
    transcripts: Path | None = None
    quiet: bool = False
    verdict_to_stderr: bool = False
    heard: Callable[[Diagnosis, str], None] | None = None


class Waiting(NamedTuple):
    """What only the live world needs to know: another readiness URL, and the seconds after which silence is a hang."""

    ready_url: str = ""
    hang_seconds: float | None = None


class Ending:
    """A listener that keeps the exit status with which the run ended."""

    def __init__(self) -> None:
        self.status = 0

    def __call__(self, event: AnyEvent) -> None:
        """Take it from the run's last event."""
        if isinstance(event, RunEnded):
            self.status = event.exit_status


class _Noting:
    """Adds to whatever leaves the block where its record lies."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is not None and not isinstance(error, TranscriptError):
            error.add_note(f"What happened up to there is recorded in {self._folder}")


def run_id(now: str, random: str) -> str:
    """A run's name: sortable by its start `now` (RFC 3339), unique by `random`."""
    digits = "".join(c for c in now.partition(".")[0] if c.isdigit())
    return f"{digits[:8]}-{digits[8:14]}-{random}"


def carry_out(request: Request, telling: Telling, waiting: Waiting | None = None) -> int:
    """Run the request, tell its result on stdout and everything else on stderr; returns the exit status.

    Raises:
        NostartError: it cannot be carried out.
    """
    for told in filter(None, map(trouble, FRAMEWORKS)):
        click.echo(f"nostart: {told}; going on without it", err=True)
    for name, count in swept(transcripts_folder(telling.transcripts, os.environ), GRACE).items():
        click.echo(f"nostart: ended {count} processes that the run {name} left when it was killed", err=True)
    vault = learnt(request.launch, os.environ)
    return _carried_out(msgspec.structs.replace(request, launch=hidden(request.launch, vault)), telling, waiting, vault)


def carry_on(path: Path, telling: Telling, waiting: Waiting, budget: float | None) -> int:
    """Go on with the killed or interrupted run of the transcript at `path`, as a new run beside it; returns the exit status.

    Raises:
        NostartError: it is no such run, it still lives, or a secret of its launch is not in the environment.
    """
    past = resume.read(path)
    vault = resume.secrets_again(past, os.environ)
    left = asyncio.run(_left_by(past))
    request = resume.request(past, len(left), budget)
    place = telling if telling.transcripts is not None else telling._replace(transcripts=past.folder.parent)
    return _carried_out(request, place, waiting, vault, past)


async def _left_by(past: resume.Past) -> tuple[int, ...]:
    """End what a killed run left on its target; returns the pids that were found."""
    target = choose(past.request.launch.target if past.request.launch else LOCAL, past.run)
    if not isinstance(target, LocalTarget | RemoteTarget):
        return ()
    try:
        return await target.end_leftovers(past.run, mark_of(past.folder), GRACE)
    finally:
        await target.close()


def _carried_out(request: Request, telling: Telling, waiting: Waiting | None, vault: Vault, past: resume.Past | None = None) -> int:
    clock = SystemClock()
    folder = transcripts_folder(telling.transcripts, os.environ) / run_id(clock.now(), secrets.token_hex(4))
    sink = FileSink(folder)
    run = Run(request, telling, folder, clock, vault, Journal(sink, clock, vault), past)
    try:
        with _Noting(folder):
            return asyncio.run(interruptible(run.carried_out(waiting or Waiting())))
    except asyncio.CancelledError:
        run.end("interrupted", INTERRUPTED)
        click.echo(f"nostart: interrupted; everything it started is ended. Transcript: {folder}", err=True)
        return INTERRUPTED
    except (UsageError, TargetUnreachable) as error:
        run.end("error", error.exit_status)
        raise
    finally:
        sink.close()


class Run:
    """What a run is made of: its request, its record, the live world it meets."""

    def __init__(
        self,
        request: Request,
        telling: Telling,
        folder: Path,
        clock: SystemClock,
        vault: Vault,
        journal: Journal,
        past: resume.Past | None = None,
    ) -> None:
        self._past = past
        self._request = request
        self._telling = telling
        self._folder = folder
        self._clock = clock
        self._vault = vault
        self._journal = journal
        self._ending = Ending()
        journal.listen(self._ending)

    async def carried_out(self, waiting: Waiting) -> int:
        """Triage and tell; with ``--keep``, leave what came up serving. Whatever was started is ended on the way out."""
        request = self._request
        target = choose(request.launch.target if request.launch else LOCAL, self._folder.name)
        if request.launch is not None and self._past is None:
            request = msgspec.structs.replace(request, launch=await by_its_login_shell(request.launch, target))
        world = LiveWorld(folder=self._folder, clock=self._clock, vault=self._vault, keep=request.keep, target=target, **waiting._asdict())
        view = self._view()
        self._journal.listen(view)
        try:
            with view:
                diagnosis = await triage(request, self._through(world), self._journal)
            tell(diagnosis, self._telling, str(self._folder))
            if request.keep and diagnosis.outcome == "up":
                click.echo("nostart: serving; Ctrl-C stops it", err=True)
                await world.serve_until_interrupted(lambda line: click.echo(line, err=True))
        finally:
            await world.close()
        return self._ending.status

    def end(self, reason: str, status: int) -> None:
        """Record that the run ended before its verdict."""
        self._journal.emit(RunEnded(reason=reason, exit_status=status))

    def _through(self, world: LiveWorld) -> World:
        """The live world, behind what an earlier run has recorded."""
        if self._past is None:
            return world
        self._past.hand_over(self._folder)
        return resume.ResumedWorld(self._past, world)

    def _view(self) -> View:
        console = Console(stderr=True, highlight=False)
        if self._telling.quiet:
            return PlainView(None)
        if console.is_terminal and not self._telling.plain:
            return LiveView(console, self._clock.seconds, self._request.budget, self._request.max_launches)
        return PlainView(sys.stderr)


def tell(diagnosis: Diagnosis, telling: Telling, folder: str) -> None:
    """The result on stdout: one JSON document, or the short verdict."""
    if telling.heard is not None:
        telling.heard(diagnosis, folder)
    elif telling.as_json:
        click.echo(render(document(diagnosis, folder)), nl=False)
    else:
        show(Console(highlight=False, stderr=telling.verdict_to_stderr), verdict(diagnosis, folder))


async def interruptible(work: Coroutine[Any, Any, Result]) -> Result:
    """Await `work`, cancelled by the first of Ctrl-C, SIGTERM and SIGHUP; later ones find it ending already."""
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    asked: list[int] = []

    def interrupt(number: int) -> None:
        asked.append(number)
        if len(asked) == 1:
            task.cancel()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, interrupt, number)
    return await task
