"""A layer rewrote an argument as a path of its own.

What happens
    Git Bash and MSYS turn an argument that starts with ``/`` into a Windows path before the program (often ``docker``) sees it.
How it shows
    ``C:/Program Files/Git/models/x`` where ``/models/x`` was typed: a repository id that is not valid, or a file that is not there.
How to tell
    A Windows path in a launch for Linux.
Fix
    The path as it was typed, and ``MSYS_NO_PATHCONV=1`` in the shell that starts it.
Fix safety
    The variable only stops the rewriting.
References
    MSYS2, "Filesystem Paths": automatic Unix to Windows path conversion.
"""

import re
from collections.abc import Iterator

from agent.causes.cause import Cause, Parameters
from agent.causes.mending import in_words
from agent.causes.spoken import ELSEWHERE
from probes.probe import Situation
from transcripts.records import Change, Hypothesis, Repair, Sign

_PREFIX = re.compile(r"^[A-Za-z]:[/\\](?:Program Files(?: \(x86\))?[/\\]Git|msys64|msys32|cygwin64|tools[/\\]msys64)(?=[/\\])", re.IGNORECASE)
_DRIVE = re.compile(r"[A-Za-z]:[/\\]")
_STEPS = ("in Git Bash, run it as: MSYS_NO_PATHCONV=1 MSYS2_ARG_CONV_EXCL='*' COMMAND", "or start it from PowerShell, or from a compose file")


def _mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """The Unix path again wherever the prefix of such a shell stands, and the variable that stops the rewriting."""
    changes = tuple(
        Change(start=index, stop=index + 1, words=(_plain(word),)) for index, word in enumerate(situation.arrival.argv) if _plain(word) != word
    )
    if not changes:
        return in_words("stop the shell from rewriting paths", *_STEPS)
    stopping = Change(env={"MSYS_NO_PATHCONV": "1"})
    return (
        Repair(
            summary=f"give the path as it was typed: {changes[0].words[0]}",
            changes=(*changes, stopping),
            steps=_STEPS,
            predicts="the path is looked for as it was typed",
        ),
    )


def _plain(word: str) -> str:
    head, equals, value = word.partition("=") if word.startswith("-") else ("", "", word)
    found = _PREFIX.match(value)
    return f"{head}{equals}{value[found.end() :].replace(chr(92), '/')}" if found else word


def _suggest(signs: tuple[Sign, ...]) -> Iterator[Parameters]:
    """A model or path that is no Windows path was not rewritten into one."""
    for sign in signs:
        about = {name: sign.parameters[name] for name in ("model", "path", "value", "flag", "index") if sign.parameters.get(name)}
        named = about.get("model") or about.get("path", "")
        if named and not _DRIVE.match(named):
            yield {"model": ELSEWHERE, "path": ELSEWHERE}
        elif about and (named or sign.variable in ("error", "shape")):
            yield {"value": named, **about}


CAUSE = Cause(
    id="quoting/path-mangled",
    prior=0.006,
    subject=("model", "path"),
    parameters=("value", "flag", "index"),
    table={
        "error": {
            "repository-invalid": 0.42,
            "no-such-file": 0.3,
            "repository-not-found": 0.1,
            "command-not-found": 0.06,
            "converter-refused": 0.05,
            "unrecognised": 0.03,
            "invalid-value": 0.03,
        },
        "shape": {"windows-path": 0.985},
        "delivery": {"altered": 0.8},
        "model": {"absent": 0.6, "hub-id": 0.2, "not-a-model": 0.1},
        "exit": {"failure": 0.7},
    },
    summary="A path was rewritten on its way into a Windows path: {value}.",
    advice="Run it with MSYS_NO_PATHCONV=1, from PowerShell, or from a compose file.",
    suggest=_suggest,
    mend=_mend,
    related=("model/not-found", "config/file-missing"),
)
