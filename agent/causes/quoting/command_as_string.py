"""The whole command arrived as one word.

What happens
    Something that takes a list of words was given one string: ``command: ["vllm serve M --port 8000"]``, ``subprocess.run("vllm serve M")``, a
    quoted ``"$CMD"``.
How it shows
    Command not found, or no such file, where the "file" contains spaces and looks like a command line.
How to tell
    The name that was not found is the whole command.
Fix
    One word each.
Fix safety
    The words are split as a shell would; nothing is expanded.
References
    execve(2); Python ``subprocess``: a string without ``shell=True`` is the program's name.
"""

import shlex

from agent.causes.cause import Cause
from agent.causes.mending import in_words
from probes.probe import Situation
from transcripts.records import Change, Hypothesis, Repair


def _mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """The first word that is a command line, split as a shell would."""
    for index, word in enumerate(situation.arrival.argv):
        words = _words(word)
        if len(words) > 1 and not word.startswith("-"):
            return (
                Repair(
                    summary="split the command, which is one single word, into its words",
                    changes=(Change(start=index, stop=index + 1, words=words),),
                    predicts=f"{words[0]} is found and started",
                ),
            )
    return in_words(
        "give the command as a list of words, not as one string", 'for example ["vllm", "serve", "MODEL"] instead of ["vllm serve MODEL"]'
    )


def _words(text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError:
        return tuple(text.split())


CAUSE = Cause(
    id="quoting/command-as-string",
    prior=0.01,
    parameters=("command", "path", "value", "index"),
    table={
        "error": {"command-not-found": 0.42, "container-exec": 0.2, "no-such-file": 0.34, "exec-refused": 0.02, "invalid-subcommand": 0.01},
        "shape": {"whole-command": 0.985},
        "delivery": {"joined": 0.9, "as-meant": 0.08},
        "command": {"absent": 0.98},
        "manifest": {"not-a-list": 0.3},
        "sent": {"consistent": 0.9999},
        "exit": {"absent": 0.85, "denied": 0.05},
    },
    summary="The whole command arrived as one single word, which is looked up as a program's name.",
    advice="Give the command as a list of words, or have a shell read it (bash -c 'COMMAND').",
    mend=_mend,
    related=("process/command-not-found", "quoting/joined-arguments"),
)
