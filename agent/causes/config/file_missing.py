"""A file that the launch names is not there.

What happens
    An option names a file (a configuration, a certificate, a template) that does not exist where the server looks for it: a typing error, a path
    relative to another folder, a volume that is not mounted.

How it shows
    FileNotFoundError, or the framework's own words (Config file not found: …). Some libraries do not print the path.

How to tell
    The path stands in the command, and a look at it from the server's working folder says absent, while the folder above it can be listed.

Fix
    The path of the file that was meant, where one of nearly that name exists.

Fix safety
    Changes one path. No file is made.

References
    https://docs.python.org/3/library/exceptions.html#FileNotFoundError
"""

import posixpath

from agent.causes.cause import Cause
from agent.causes.mending import in_words, parameter, replaced
from agent.causes.seen import near_path
from probes.probe import Situation
from transcripts.records import Hypothesis, Repair


def mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """The near file that exists, or words."""
    path = parameter(hypothesis, "path", "")
    near = hypothesis.parameters.get("near") or near_path(situation, path)
    change = replaced(situation, path, near, hypothesis) if near and path else None
    if near and change:
        summary = f"use {near}: {path} does not exist"
        return (Repair(summary=summary, changes=(change,), predicts=f"{near} is read and the launch goes on"),)
    if not path:
        return in_words("look at every path in the command from the server's working folder: one of them does not exist")
    steps = [f"put the file at {path}, or correct the path in the command"]
    if not posixpath.isabs(path):
        folder = situation.arrival.cwd or situation.launch.cwd or "the folder the server runs in"
        steps.append(f"the path is relative: it is looked for in {folder}; an absolute path holds everywhere")
    return in_words(f"{path} does not exist", *steps)


CAUSE = Cause(
    id="config/file-missing",
    prior=0.06,
    table={
        "error": {"no-such-file": 0.95, "validation": 0.01, "other": 0.02},
        "file": {"absent": 0.97},
        "shape": {"path": 0.85, "intact": 0.12, "dollar": 0.001, "joined": 0.001},
        "sent": {"consistent": 0.9999},
        "phase": {"none": 0.07, "arguments": 0.45, "config": 0.2, "model": 0.03, "server": 0.2},
    },
    summary="A file that the launch names does not exist: {path}",
    advice="Correct the path, or put the file there; give it absolute, so that the working folder does not matter.",
    subject=("path",),
    parameters=("flag", "near"),
    mend=mend,
)
