"""``nostart replay``: a recorded triage fed through the same code again."""

import asyncio
from pathlib import Path

import click
from rich.console import Console

from agent.cli.options import SETTINGS
from agent.cli.session import Telling, tell
from agent.live import show
from agent.replay import Replay, replay, require_same
from agent.report import Line, verdict
from transcripts.errors import ReplayDiverged
from transcripts.journal import load

EPILOG = """\b
Examples:
  nostart replay --strict ~/.local/state/nostart/20261201-162820-1a2b3c4d
  nostart replay --strategy checklist RUN

\b
Exit status: 0 replayed (with --strict: byte for byte), 2 bad input, 4 unreadable, or a strict replay differs."""


@click.command(context_settings={**SETTINGS, "allow_interspersed_args": True}, epilog=EPILOG)
@click.argument("transcript", type=click.Path(path_type=Path))
@click.option("--strict", is_flag=True, help="It must reproduce the transcript byte for byte.")
@click.option("--strategy", default="", metavar="NAME", help="Choose the questions by another strategy.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(transcript: Path, strict: bool, strategy: str, as_json: bool) -> int:
    """Feed the recorded answers of a triage through the same code again.

    TRANSCRIPT is a run's folder or the transcript.jsonl in it. Nothing is launched or asked. Where the verdict differs from the recorded
    one (another release of nostart, another strategy), both are shown.
    """
    recorded = load(transcript)
    result = asyncio.run(replay(recorded, strategy=strategy))
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
    lines = [Line(f"not recorded: {question.probe} {' '.join(question.parameters.values())}", "dim") for question in result.missing]
    if result.recorded is None or result.recorded == result.diagnosis:
        return tuple(lines)
    return (*lines, Line("The recorded verdict was another:", "head"), *verdict(result.recorded))
