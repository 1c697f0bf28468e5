"""A missing or spaced backslash cut the command, and the rest ran as another command.

What happens
    A line of a long command lacks its ``\\`` at the end, or has a space after it. The command ends there; the next line runs on its own.
How it shows
    ``--port: command not found`` after the server's own output or before it; ``unrecognized arguments: \\ `` for the spaced one; a server
    that runs with defaults for all that stood below.
How to tell
    The argv that arrives ends early, and a command that starts with a dash follows it.
Fix
    Join the lines again.
Fix safety
    The words are those that stand in the lines below.
References
    POSIX shell, "Escape Character (Backslash)": only a newline right after it continues the line.
"""

from collections.abc import Iterator

from agent.causes.cause import Cause, Parameters
from agent.causes.mending import in_words
from agent.causes.spoken import ELSEWHERE
from probes.probe import Situation
from transcripts.records import Change, Hypothesis, Repair, Sign


def _mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """The commands that begin with a dash belong to the argv; a word that is only a space goes."""
    argv = situation.arrival.argv
    trailing = tuple(word for command in situation.arrival.trailing if command and command[0].startswith("-") for word in command if word.strip())
    blanks = tuple(Change(start=index, stop=index + 1) for index, word in enumerate(argv) if word and not word.strip(" \t\\"))
    changes = (*blanks, *((Change(start=len(argv), stop=len(argv), words=trailing),) if trailing else ()))
    origin = situation.launch.origin
    if origin is not None and origin.kind == "compose" and not changes:
        return (
            Repair(summary="take the backslashes at the line ends away: the lines of this block are joined anyway", predicts="every word arrives"),
        )
    if not changes or not argv:
        return in_words(
            "end every line of the command but the last with a backslash, and nothing after it",
            "look for a line without its backslash, or with a space behind it (grep -nE '\\\\ +$' SCRIPT)",
        )
    summary = f"join the lines again: {' '.join(trailing)} belongs to the command" if trailing else "take away the space behind the backslash"
    return (Repair(summary=summary, changes=changes, predicts="the server receives all its arguments"),)


def _suggest(signs: tuple[Sign, ...]) -> Iterator[Parameters]:
    """What the parser did not recognise comes of a broken line only where it is a blank; a command that was not found, where it is a flag."""
    for sign in signs:
        if sign.variable != "error":
            continue
        other = sign.value == "unrecognised" and sign.parameters.get("value", "").strip(" \t\\")
        yield {"flag": ELSEWHERE} if other else {name: sign.parameters[name] for name in ("command", "flag", "value") if name in sign.parameters}


CAUSE = Cause(
    id="quoting/line-continuation",
    prior=0.015,
    subject=("flag",),
    parameters=("command", "value"),
    table={
        "error": {
            "command-not-found": 0.6,
            "unrecognised": 0.14,
            "required-missing": 0.05,
            "repository-invalid": 0.05,
            "expected-argument": 0.05,
            "no-such-file": 0.03,
            "repository-not-found": 0.03,
            "up": 0.01,
        },
        "shape": {"flag": 0.6, "backslash": 0.39},
        "delivery": {"cut": 0.97},
        "sent": {"consistent": 0.9999},
        "exit": {"absent": 0.5, "usage": 0.35},
    },
    summary="A line of the command is not continued (a missing backslash, or a space behind it): what follows ran as another command.",
    advice="End every line of the command but the last with a backslash and nothing after it.",
    suggest=_suggest,
    mend=_mend,
    related=("process/command-not-found", "flag/missing"),
)
