"""``nostart report``: a recorded triage told again."""

from pathlib import Path

import click
from rich.console import Console

from agent.cli.options import SETTINGS
from agent.live import show
from agent.report import Line, story
from transcripts.journal import load


@click.command(context_settings=SETTINGS, epilog="\b\nExample:\n  nostart report ~/.local/state/nostart/20261201-162820-1a2b3c4d")
@click.argument("transcript", type=click.Path(path_type=Path))
def command(transcript: Path) -> int:
    """Tell what a recorded triage saw, in order, and what it concluded.

    TRANSCRIPT is a run's folder or the transcript.jsonl in it.
    """
    recorded = load(transcript)
    lines = story(recorded.events, str(recorded.folder or ""))
    if recorded.torn:
        lines = (*lines, Line("The last line of the transcript is torn: the run died while writing it.", "bad"))
    show(Console(highlight=False), lines)
    return 0
