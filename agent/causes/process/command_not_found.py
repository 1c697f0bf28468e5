"""There is no such program on PATH, or at the path given.

What happens
    The program is not installed, its environment is not active, or its name is misspelt.

How it shows
    command not found, exit status 127; or the caller's No such file or directory about the program itself.

How to tell
    PATH as the launch gets it, searched for the name. A flag as the name of the command is a line that was cut, not this.

Fix
    The absolute path of an install that was found, or the name that was meant.

Fix safety
    Changes the program word alone.

References
    https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_08_02
"""

from rapidfuzz import fuzz, process

from agent.causes.cause import Cause
from agent.causes.mending import in_words, parameter
from agent.causes.seen import meant_program
from probes.probe import Situation
from transcripts.records import Change, Hypothesis, Repair

PROGRAMS = ("vllm", "litellm", "sglang", "python", "python3")
_NEAR = 70.0


def near_program(command: str) -> str | None:
    """The serving program of nearly that name."""
    name = command.rpartition("/")[2]
    found = process.extractOne(name, PROGRAMS, scorer=fuzz.ratio, score_cutoff=_NEAR)
    return found[0] if found and found[0] != name else None


def mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """The install that was found, the near name, or words."""
    argv = situation.arrival.argv
    start = situation.entry.start if situation.entry else 0
    command = parameter(hypothesis, "command", argv[start] if argv else "")
    near = hypothesis.parameters.get("near") or meant_program(situation) or near_program(command)
    at = next((index for index, word in enumerate(argv) if word == command), start if argv else None)
    if near and at is not None and argv[at] != near:
        change = Change(start=at, stop=at + 1, words=(near,))
        return (Repair(summary=f"start {near}: there is no {command}", changes=(change,), predicts=f"{near} is executed"),)
    return in_words(f"there is no program {command}", f"install it, activate its environment, or give its absolute path: type -a {command}")


CAUSE = Cause(
    id="process/command-not-found",
    prior=0.06,
    table={
        "error": {"command-not-found": 0.84, "container-exec": 0.1, "no-such-file": 0.03, "exec-refused": 0.02},
        "command": {"absent": 0.96, "found": 0.02},
        "manifest": {"not-absolute": 0.9},
        "shape": {
            "word": 0.35,
            "path": 0.25,
            "intact": 0.38,
            "flag": 0.0005,
            "command": 0.0005,
            "single-dash": 0.0005,
            "whole-command": 0.0005,
            "joined": 0.0005,
            "dollar": 0.001,
            "empty": 0.001,
            "typographic": 0.001,
            "json-tail": 0.0005,
        },
        "exit": {"absent": 0.9},
        "phase": {"none": 0.95},
    },
    summary="There is no program {command}.",
    advice="Install it, activate its environment, or give its absolute path.",
    subject=("command",),
    parameters=("near",),
    mend=mend,
    related=("version/wrong-interpreter", "quoting/line-continuation"),
)
