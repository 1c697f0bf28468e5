"""Checklist: the questions in a fixed order, that in which they usually pay, whatever the failure looks like.

This is what a good runbook does: the words as they arrive, the program that runs, its flags, the values, the files, the machine; last what costs
the framework's imports. It stops asking as soon as one hypothesis passes the threshold.
"""

from agent.strategies.strategy import Action, Options, asking, order, out_of_questions, settled
from transcripts.records import Belief

ORDER = (
    "script",
    "argv-echo",
    "executable",
    "versions",
    "source-flags",
    "json-value",
    "config-file",
    "environment",
    "files",
    "model-folder",
    "model-weights",
    "port-owner",
    "kernel-log",
    "process-limits",
    "disk-space",
    "device-memory",
    "log-provenance",
    "parser-dry-run",
    "signature",
    "help-grep",
)
"""The names of the probes in the order in which they are asked; one that is not listed comes last."""


def choose(belief: Belief, options: Options) -> Action:
    """The next action."""
    done = settled(belief, options)
    if done is not None:
        return done
    if not options.candidates:
        return out_of_questions(belief, options)
    found = min(options.candidates, key=lambda c: (_place(c.probe.name), order(c)))
    return asking(found, f"number {_place(found.probe.name) + 1} of the checklist")


def _place(name: str) -> int:
    return ORDER.index(name) if name in ORDER else len(ORDER)
