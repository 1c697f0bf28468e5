"""``nostart runs``: the library of runs: list, filter, open, prune, count."""

import os
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import click
import msgspec
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from agent.cli.options import SETTINGS
from agent.cli.report import tell_report
from agent.cli.session import transcripts_folder
from agent.clock import SystemClock
from agent.library import Entry, Wanted, entries, find, prunable, remove
from agent.report import percent, printable
from agent.run_statistics import By, Group, statistics

EPILOG = """\b
Examples:
  nostart runs                                   the newest first
  nostart runs --cause quoting --since 2026-12
  nostart runs open last --html postmortem.html
  nostart runs prune --older-than 30 --keep 20   says what it would delete; --yes deletes
  nostart runs stats --by framework              needs DuckDB: pip install 'nostart[runs]'"""

_FOLDER = click.option("--transcripts", type=click.Path(path_type=Path), metavar="DIR", help="Where transcripts are kept.")
_JSON = click.option("--json", "as_json", is_flag=True, help="JSON on stdout.")
_WIDE = 200


class ListedFirst(click.Group):
    """A group that lists where no command is named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does it; anything but a command or a call for help belongs to ``list``."""
        if not args or (args[0] not in self.commands and args[0] not in ctx.help_option_names):
            args = ["list", *args]
        return super().parse_args(ctx, args)


def _wanted(function: Any) -> Any:
    for decorate in (
        click.option("--until", default="", metavar="TIME", help="Started then or before (2026-12-01, 2026-11)."),
        click.option("--since", default="", metavar="TIME", help="Started then or later."),
        click.option("--outcome", default="", metavar="NAME", help="up, diagnosed, undetermined, error, cut off, unreadable."),
        click.option("--release", default="", metavar="V", help="The framework's release (0.29 fits 0.29.0)."),
        click.option("--framework", default="", metavar="NAME", help="vllm, litellm or sglang."),
        click.option("--cause", default="", metavar="ID", help="A cause (quoting/json-split) or a family (quoting)."),
    ):
        function = decorate(function)
    return function


@click.group(cls=ListedFirst, context_settings=SETTINGS, epilog=EPILOG)
def command() -> None:
    """The recorded runs: list them (also without a command), open one, prune, count."""


@command.command("list")
@_wanted
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, metavar="N", help="At most so many.")
@_FOLDER
@_JSON
def listed(limit: int, transcripts: Path | None, as_json: bool, **wanted: str) -> int:
    """List the runs, newest first."""
    folder = transcripts_folder(transcripts, os.environ)
    found = list(entries(folder, Wanted(**wanted)))
    if as_json:
        click.echo(msgspec.json.encode(found[:limit]))
        return 0
    if not found:
        click.echo(f"no such run in {folder}", err=True)
        return 0
    _show(found[:limit])
    if len(found) > limit:
        click.echo(f"{len(found) - limit} older ones are not shown (--limit)", err=True)
    return 0


@command.command("open")
@click.argument("run")
@click.option("--html", type=click.Path(path_type=Path), metavar="FILE", help="Write the postmortem as one page.")
@_FOLDER
@_JSON
def opened(run: str, html: Path | None, transcripts: Path | None, as_json: bool) -> int:
    """Tell a run's postmortem. RUN is its id, the beginning of one, or: last."""
    tell_report(find(transcripts_folder(transcripts, os.environ), run), html, as_json)
    return 0


@command.command("prune")
@_wanted
@click.option("--older-than", type=click.FloatRange(0), metavar="DAYS", help="Only runs that started so long ago.")
@click.option("--keep", type=click.IntRange(0), default=0, metavar="N", help="Keep the N newest of those that fit.")
@click.option("--yes", is_flag=True, help="Delete them; without it they are only named.")
@_FOLDER
def pruned(older_than: float | None, keep: int, yes: bool, transcripts: Path | None, **wanted: str) -> int:
    """Delete runs. One that has no end stays for a day after its last event: it may be running."""
    if older_than is None and not keep and not any(wanted.values()):
        raise click.UsageError("say which: --older-than DAYS, --keep N, or a filter such as --outcome up")
    folder = transcripts_folder(transcripts, os.environ)
    going = prunable(folder, Wanted(**wanted), keep, _before(1).timestamp())
    if older_than is not None:
        limit = _before(older_than).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        going = [one for one in going if one.started and one.started < limit]
    for one in going:
        if yes:
            remove(folder, one.run)
        click.echo(f"{'deleted' if yes else 'would delete'} {one.run} ({one.outcome}, {_size(one.size)})")
    total = f"{len(going)} runs, {_size(sum(one.size for one in going))}"
    click.echo(f"{total} {'deleted' if yes else 'would be deleted; --yes deletes them'}", err=True)
    return 0


@command.command("stats")
@click.option("--by", type=click.Choice(["cause", "framework", "release", "outcome", "verb", "day"]), default="cause", show_default=True)
@_FOLDER
@_JSON
def counted(by: By, transcripts: Path | None, as_json: bool) -> int:
    """Count the runs: most frequent causes, seconds to a verdict, by framework and release."""
    found = statistics(transcripts_folder(transcripts, os.environ), by)
    if as_json:
        click.echo(msgspec.json.encode(found))
        return 0
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column(by)
    for name in ("runs", "up", "diagnosed", "median s", "90 % s", "launches", "probes"):
        table.add_column(name, justify="right")
    for group in found:
        table.add_row(Text(printable(group.name, _WIDE)), *_numbers(group))
    _console().print(table)
    return 0


def _numbers(group: Group) -> list[str]:
    times = ["" if value is None else f"{value:.1f}" for value in (group.seconds, group.slow)]
    return [str(group.runs), str(group.up), str(group.diagnosed), *times, f"{group.launches:.1f}", f"{group.probes:.1f}"]


def _show(found: list[Entry]) -> None:
    table = Table(box=box.SIMPLE_HEAD)
    for name in ("run", "framework", "outcome", "cause", "launches", "s", "command"):
        justify: Literal["left", "right"] = "right" if name in ("launches", "s") else "left"
        table.add_column(name, no_wrap=True, justify=justify, overflow="ellipsis", min_width=24 if name == "run" else None)
    for one in found:
        named = [part for part in (one.framework, one.release) if part]
        sure = "confirmed" if one.confirmed else percent(one.probability)
        cause = f"{one.cause} ({sure})" if one.cause else ""
        cells = [one.run, " ".join(named), one.outcome, cause, str(one.launches), f"{one.seconds:.1f}", one.command]
        table.add_row(*(Text(printable(" ".join(cell.split()), _WIDE)) for cell in cells))
    _console().print(table)


def _console() -> Console:
    """A terminal's own width; what is piped is not cut to a terminal's."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=_WIDE)


def _before(days: float) -> datetime:
    return datetime.fromisoformat(SystemClock().now()) - timedelta(days=days)


def _size(size: int) -> str:
    return f"{size / 1_000_000:.1f} MB" if size >= 100_000 else f"{size / 1000:.0f} kB"
