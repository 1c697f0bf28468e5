"""Shell syntax where no shell reads it.

What happens
    ``ExecStart=cd /srv && vllm serve M``, ``command: vllm serve M > log`` or a list in YAML: systemd, compose and Kubernetes execute the words as
    they stand, so ``&&``, ``|``, ``>`` and ``NAME=value`` reach the program, or are looked up as one.
How it shows
    ``unrecognized arguments: && …``, a model called ``>``, or the program ``cd`` (or ``NAME=value``) not found.
How to tell
    The words of the file: an operator among them, and no ``sh -c`` before it.
Fix
    Leave redirections out (the log is kept anyway), put assignments behind ``env``, or have a shell read the line: ``/bin/sh -c '…'``.
Fix safety
    The same words, read by the shell that they were written for.
References
    systemd.service(5), "Command lines"; https://docs.docker.com/reference/dockerfile/#shell-and-exec-form
"""

import shlex

from agent.causes.cause import Cause
from agent.causes.mending import in_words
from probes.launches.manifests.faults import OPERATORS, REDIRECTIONS
from probes.launches.manifests.reading import read
from probes.probe import Situation
from transcripts.records import Change, Hypothesis, Repair


def _mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """Redirections left out, assignments behind ``env``, or the whole line for a shell."""
    origin, argv = situation.launch.origin, situation.arrival.argv
    if origin is None or not argv:
        return in_words("have a shell read the line: /bin/sh -c 'COMMAND'")
    if "=" in argv[0]:
        change = Change(start=0, stop=0, words=("/usr/bin/env",))
        return (Repair(summary=f"put env before {argv[0].partition('=')[0]}=…", changes=(change,), predicts="the program is started"),)
    without = _without_redirections(argv)
    if not OPERATORS & set(without) and argv[0] not in ("cd", "source", "export"):
        gone = shlex.join(argv[len(without) :])
        change = Change(start=len(without), stop=len(argv))
        where = " (StandardOutput=append:FILE in the unit writes the log to a file)" if origin.kind == "systemd" else ""
        return (Repair(summary=f"leave out {gone}: no shell reads it{where}", changes=(change,), predicts="the arguments are read"),)
    inside = read(origin).entrypoint
    if inside:
        return in_words("override the image's entrypoint with /bin/sh -c and the whole line, or leave the shell syntax out")
    line = " ".join(word if word in OPERATORS else shlex.quote(word) for word in argv)
    change = Change(start=0, stop=len(argv), words=("/bin/sh", "-c", line))
    return (Repair(summary="have a shell read the line: /bin/sh -c", changes=(change,), predicts="the shell starts the program"),)


def _without_redirections(argv: tuple[str, ...]) -> tuple[str, ...]:
    """The words up to where nothing but redirections (and a last ``&``) follows; all of them where something else does."""
    first = next((index for index, word in enumerate(argv) if word in OPERATORS), len(argv))
    at = first
    while at < len(argv):
        if argv[at] in REDIRECTIONS:
            at += 2
        elif argv[at] in ("2>&1", "1>&2") or (argv[at] == "&" and at == len(argv) - 1):
            at += 1
        else:
            return argv
    return argv[:first]


CAUSE = Cause(
    id="quoting/no-shell",
    prior=0.01,
    parameters=("value",),
    table={"manifest": {"no-shell": 0.95}},
    summary="{value} is shell syntax, and no shell reads this command.",
    advice="Have a shell read the line (/bin/sh -c 'COMMAND'), or write it without shell syntax.",
    mend=_mend,
    related=("process/command-not-found",),
)
