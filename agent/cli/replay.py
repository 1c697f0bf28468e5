"""``nostart replay``: a recorded triage fed through the same code again, or told as another strategy would have run it."""

import asyncio
from pathlib import Path

import click
import msgspec
from rich.console import Console

from agent.cli.options import SETTINGS
from agent.cli.session import Telling, tell
from agent.live import show
from agent.replay import Replay, replay, require_same
from agent.report import Line, percent, printable, verdict
from agent.request import Request
from agent.strategies.catalogue import STRATEGIES
from agent.what_if import Side, WhatIf, what_if
from transcripts.errors import ReplayDiverged, UsageError
from transcripts.events import RunStarted
from transcripts.journal import Transcript, load

EPILOG = """\b
Examples:
  nostart replay --strict ~/.local/state/nostart/20261201-162820-1a2b3c4d
  nostart replay --strategy information-gain RUN      both runs side by side

\b
Exit status: 0 replayed (with --strict: byte for byte), 2 bad input, 4 unreadable, or a strict replay differs."""

_WIDTH = 300


@click.command(context_settings={**SETTINGS, "allow_interspersed_args": True}, epilog=EPILOG)
@click.argument("transcript", type=click.Path(path_type=Path))
@click.option("--strict", is_flag=True, help="It must reproduce the transcript byte for byte.")
@click.option("--strategy", default="", metavar="NAME", help="What if the questions had been chosen by this strategy? Both runs side by side.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(transcript: Path, strict: bool, strategy: str, as_json: bool) -> int:
    """Feed the recorded answers of a triage through the same code again.

    TRANSCRIPT is a run's folder or the transcript.jsonl in it. Nothing is launched or asked. Where the verdict differs from the recorded
    one (another release of nostart, another strategy), both are shown. A question that nobody had asked stays without an answer.
    """
    if strict and strategy:
        raise UsageError("--strict asks for the same bytes, --strategy for another run: give one of them")
    if strategy and strategy not in STRATEGIES:
        raise UsageError(f"no strategy is called {strategy!r}; there are: {', '.join(sorted(STRATEGIES))}")
    recorded = load(transcript)
    result = asyncio.run(replay(recorded, strategy=strategy))
    if strategy:
        _tell_both(what_if(recorded, result, _strategy_of(recorded), strategy), as_json)
        return 0
    if strict:
        require_same(result)
    if result.diagnosis is None:
        raise ReplayDiverged(f"the replay came to no verdict: {result.diverged or 'the transcript ends before one'}")
    tell(result.diagnosis, Telling(as_json=as_json), str(recorded.folder or transcript))
    show(Console(stderr=True, highlight=False), _comparison(result, strict))
    return 0


def _comparison(result: Replay, strict: bool) -> tuple[Line, ...]:
    """How the replay compares to what was recorded."""
    if strict:
        return (Line("replayed strictly: every byte is as recorded", "good"),)
    if result.recorded is None or result.recorded == result.diagnosis:
        return ()
    return (Line("The recorded verdict was another:", "head"), *verdict(result.recorded))


def _strategy_of(recorded: Transcript) -> str:
    first = recorded.events[0]
    options = first.options if isinstance(first, RunStarted) else {}
    return msgspec.json.decode(options.get("request", ""), type=Request).strategy


def _tell_both(both: WhatIf, as_json: bool) -> None:
    if as_json:
        click.echo(msgspec.json.encode(both))
        return
    show(Console(highlight=False), side_by_side(both))


def side_by_side(both: WhatIf) -> tuple[Line, ...]:
    """The two runs as lines of a table, and what was not recorded."""
    rows = [("", f"recorded: {both.recorded.strategy}", f"what if: {both.other.strategy}")]
    rows += [(name, cell(both.recorded), cell(both.other)) for name, cell in _ROWS]
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    lines = [Line(f"{a:<{widths[0]}}  {b:<{widths[1]}}  {c}".rstrip(), "" if place else "head") for place, (a, b, c) in enumerate(rows)]
    for item in both.missing:
        named = f" ({printable(item.about, _WIDTH)})" if item.about else ""
        lines.append(Line(f"not recorded: {item.probe}{named}", "bad"))
        lines.append(Line(f"  nearest recording: {printable(item.nearest, _WIDTH)}" if item.nearest else "  nothing near it was recorded", "dim"))
    if both.stopped:
        lines.append(Line(f"The other run could not go on: {printable(both.stopped, _WIDTH)}", "bad"))
    if not both.comparable:
        lines.append(Line("The catalogue of causes and probes is another than the recorded run's: part of the difference may come from that.", "dim"))
    return tuple(lines)


def _verdict(side: Side) -> str:
    if not side.cause:
        return side.outcome
    sure = "confirmed" if side.confirmed else percent(side.probability)
    return f"{side.outcome}: {side.cause} ({sure})"


_ROWS = (
    ("verdict", _verdict),
    ("probes", lambda side: str(side.probes)),
    ("not recorded", lambda side: str(side.unrecorded)),
    ("launches", lambda side: str(side.launches)),
    ("seconds", lambda side: f"{side.seconds:.1f}"),
)
