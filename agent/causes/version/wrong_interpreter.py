"""Another install than the one meant runs: PATH, a shebang or an environment picks it.

What happens
    The command resolves to another copy of the program, or python to an interpreter without the framework: a venv that is not active in this
    shell, a script whose first line names an old interpreter, sudo with its own PATH.

How it shows
    No module named vllm although it is installed; or flags and models unknown that the installed release surely has.

How to tell
    Which executable PATH picks and which interpreter its first line names, against every other one there is.

Fix
    The absolute path of the executable that was meant.

Fix safety
    Changes the program word alone. Nothing is installed or removed.

References
    https://docs.python.org/3/library/venv.html
"""

from agent.causes import packages
from agent.causes.cause import Cause
from agent.causes.mending import in_words
from agent.causes.seen import meant_program
from probes.probe import Situation
from transcripts.records import Change, Hypothesis, Repair


def mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """The meant executable as the program word, or words."""
    start = situation.entry.start if situation.entry else 0
    meant = hypothesis.parameters.get("meant") or meant_program(situation)
    argv = situation.arrival.argv
    if not meant or not argv or argv[start] == meant:
        return in_words(
            "start the server with the absolute path of the executable that was meant",
            "find it: ls -l $(which -a vllm litellm); the first line of each names its interpreter",
        )
    change = Change(start=start, stop=start + 1, words=(meant,))
    return (Repair(summary=f"start {meant}, not the one that PATH picks", changes=(change,), predicts="the release that was meant runs"),)


CAUSE = Cause(
    id="version/wrong-interpreter",
    prior=0.03,
    table={
        "error": {
            "missing-module": 0.5,
            "python-too-old": 0.04,
            "unrecognised": 0.2,
            "import-name": 0.05,
            "attribute-missing": 0.04,
            "command-not-found": 0.03,
            "exec-refused": 0.02,
            "validation": 0.02,
            "invalid-subcommand": 0.02,
            "other": 0.05,
        },
        "command": {"another": 0.85, "found": 0.13},
        "install": {"no-framework": 0.6, "sound": 0.3},
        "shape": {"flag": 0.28},
        "registered": {"no": 0.25, "yes": 0.72},
        "phase": {"none": 0.7, "arguments": 0.25},
    },
    summary="Another install runs than the one meant: {path}",
    advice="Start it by the absolute path of the executable that was meant, or activate its environment in the shell that starts it.",
    subject=("module", "object"),
    parameters=("path", "meant"),
    suggest=packages.itself,
    mend=mend,
)
