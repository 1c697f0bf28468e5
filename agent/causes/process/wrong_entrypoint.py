"""The image's entrypoint already holds a part of the command, or a wrapper ignores it.

What happens
    docker run IMAGE serve MODEL becomes vllm serve serve MODEL.

How it shows
    A word of the command is taken for the model, or printed as unrecognised though it is innocent.

How to tell
    The entrypoint of the image (docker inspect) put before the words given. An ENTRYPOINT in shell form throws a CMD away.

Fix
    Leave out what the entrypoint already says; where the words begin with a shell, have them replace the entrypoint instead of following it.

Fix safety
    Only words that stand there twice are left out. Where the image is not known, only words are given.

References
    https://docs.docker.com/reference/dockerfile/#entrypoint
"""

import json

from agent.causes.cause import Cause
from agent.causes.mending import in_words
from probes.launches.manifests.reading import read
from probes.probe import Situation
from transcripts.records import Change, Hypothesis, Repair


def _mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """The command without the words that the image has already, or with those that an entrypoint in shell form throws away."""
    origin, told, argv = situation.launch.origin, hypothesis.parameters, situation.arrival.argv
    if origin is None or not argv:
        return ()
    own = read(origin).entrypoint
    if told.get("words"):
        words = tuple(str(word) for word in json.loads(told["words"]))
        start, stop = (int(told["index"]), int(told["index"]) + int(told["length"])) if told.get("index") else (len(argv), len(argv))
        return (
            Repair(
                summary="write ENTRYPOINT and CMD as lists, so that the words of CMD reach the program",
                changes=(Change(start=start, stop=stop, words=words),),
                predicts="the program receives the words of CMD",
            ),
        )
    count = int(told.get("length") or 0)
    again = told.get("value", "")
    if told.get("index") != str(own) or own + count > len(argv):
        return in_words(f"give the image only what follows its entrypoint: not {again} once more")
    if not count:
        change = Change(start=0, stop=own, words=())
        return (
            Repair(summary=f"have {again} replace the image's entrypoint instead of following it", changes=(change,), predicts="the shell is run"),
        )
    behind = argv[own + count : own + count + 1]
    model = ("--model",) if argv[own - 1 : own] != ("serve",) and behind and not behind[0].startswith("-") else ()
    summary = f"leave out {again}: the image's entrypoint says it already" + (", and takes the model as --model" if model else "")
    return (Repair(summary=summary, changes=(Change(start=own, stop=own + count, words=model),), predicts="the arguments are read"),)


CAUSE = Cause(
    id="process/wrong-entrypoint",
    prior=0.02,
    table={
        "error": {
            "unrecognised": 0.3,
            "container-exec": 0.22,
            "invalid-subcommand": 0.08,
            "command-not-found": 0.05,
            "repository-not-found": 0.08,
            "repository-invalid": 0.05,
            "exec-refused": 0.07,
            "no-such-file": 0.05,
            "other": 0.03,
        },
        "manifest": {"entrypoint-repeated": 0.55, "entrypoint-ignores": 0.4},
        "shape": {"command": 0.42, "path": 0.16, "word": 0.25, "intact": 0.06, "flag": 0.1},
    },
    summary="The image's entrypoint already holds a part of this command, or ignores it.",
    advice="Give the container only what follows its entrypoint, or set --entrypoint.",
    parameters=("value", "words", "index", "length"),
    mend=_mend,
    related=("flag/wrong-command",),
)
