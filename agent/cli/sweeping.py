"""What runs that were killed themselves left on this machine, ended at the start of the next one."""

import asyncio
from pathlib import Path

from agent.launcher import MARK_PREFIX, mark_of
from probes.targets.local import LocalTarget
from probes.targets.processes import mark_of as marked_as
from probes.targets.processes import marked
from transcripts.errors import TranscriptError
from transcripts.journal import is_being_written


def swept(transcripts: Path, grace: float) -> dict[str, int]:
    """End the launches of runs in the folder `transcripts` whose nostart is gone; returns how many processes of each were found.

    Only what bears the mark of a run that lies there, and that nobody writes any more, is touched.
    """
    marks = {marked_as(pid) for pid in marked(MARK_PREFIX)}
    runs = {mark.removeprefix(MARK_PREFIX).rpartition("-")[0].rpartition("-")[0] for mark in marks}
    found = {}
    for name in sorted(runs):
        folder = transcripts / name
        if name and "/" not in name and folder.is_dir() and not _lives(folder):
            found[name] = len(asyncio.run(LocalTarget().end_leftovers(name, mark_of(folder), grace)))
    return {name: count for name, count in found.items() if count}


def _lives(folder: Path) -> bool:
    try:
        return is_being_written(folder)
    except (OSError, TranscriptError):
        return True
