"""One launch on many targets at once: each is a run of its own with its own record; the result is one table, or one document."""

import asyncio
import os
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path

import click
import msgspec
from rich.console import Console

from agent.cli.hiding import hidden, learnt
from agent.cli.main import INTERRUPTED
from agent.cli.session import Run, Telling, Waiting, interruptible, run_id, transcripts_folder
from agent.clock import SystemClock
from agent.document import Document, document
from agent.fleet import Member, fleet, inventory, render, status, table
from agent.live import show
from agent.request import Request
from probes.targets.choose import choose
from transcripts.errors import NostartError, TargetUnreachable, UsageError
from transcripts.journal import FileSink, Journal
from transcripts.records import Diagnosis

Asked = Callable[[str], Request]
"""The request for one target."""

_AT_ONCE = 256


def targets_of(given: Sequence[str], file: Path | None) -> tuple[str, ...]:
    """The targets of the command line and of the inventory, each once, in order.

    Raises:
        UsageError: the inventory cannot be read or lists none, or a target is of a kind that is not known.
    """
    listed: tuple[str, ...] = ()
    if file is not None:
        try:
            listed = inventory(file.read_text(encoding="utf-8"), str(file))
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"--targets {file}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if file is None and len(given) < 2:
        return tuple(given)
    return tuple(dict.fromkeys(choose(url).name for url in (*given, *listed)))


def carry_out_all(targets: Sequence[str], asked: Asked, telling: Telling, waiting: Waiting) -> int:
    """Run the request on every target at once, tell all results on stdout; returns the exit status of all.

    Raises:
        NostartError: it cannot be carried out anywhere.
    """
    requests = [asked(target) for target in targets]
    try:
        members = asyncio.run(interruptible(_all(targets, requests, telling, waiting)))
    except asyncio.CancelledError:
        click.echo("nostart: interrupted; everything it started is ended", err=True)
        return INTERRUPTED
    whole = fleet(members)
    if telling.as_json:
        click.echo(render(whole), nl=False)
    else:
        show(Console(highlight=False), table(whole))
    return status(members)


async def _all(targets: Sequence[str], requests: Sequence[Request], telling: Telling, waiting: Waiting) -> list[Member]:
    gate = asyncio.Semaphore(_AT_ONCE)

    async def one(target: str, request: Request) -> Member:
        async with gate:
            member = await _one(target, request, telling, waiting)
        click.echo(f"nostart: {target}: {member.document.outcome if member.document else 'no result'}", err=True)
        return member

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(target, request)) for target, request in zip(targets, requests, strict=True)]
    return [task.result() for task in tasks]


async def _one(target: str, request: Request, telling: Telling, waiting: Waiting) -> Member:
    clock, found = SystemClock(), dict[str, Document]()
    vault = learnt(request.launch, os.environ)
    request = msgspec.structs.replace(request, launch=hidden(request.launch, vault))
    folder = transcripts_folder(telling.transcripts, os.environ) / run_id(clock.now(), secrets.token_hex(4))

    def heard(diagnosis: Diagnosis, place: str) -> None:
        found["it"] = document(diagnosis, place)

    sink = FileSink(folder)
    run = Run(request, telling._replace(quiet=True, heard=heard), folder, clock, vault, Journal(sink, clock, vault))
    try:
        exit_status = await run.carried_out(waiting)
    except asyncio.CancelledError:
        run.end("interrupted", INTERRUPTED)
        raise
    except (UsageError, TargetUnreachable) as error:
        run.end("error", error.exit_status)
        return _failed(target, error)
    except NostartError as error:
        return _failed(target, error)
    finally:
        sink.close()
    return Member(target=target, status=exit_status, error="", document=found["it"])


def _failed(target: str, error: NostartError) -> Member:
    return Member(target=target, status=error.exit_status, error=str(error), document=None)
