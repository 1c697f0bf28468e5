"""The image's entrypoint already holds a part of the command, or a wrapper ignores it.

What happens
    docker run IMAGE serve MODEL becomes vllm serve serve MODEL.

How it shows
    A word of the command is taken for the model, or printed as unrecognised though it is innocent.

How to tell
    The entrypoint of the image (docker inspect) put before the words given.

Fix
    Leave out what the entrypoint already says.

Fix safety
    Only words: nothing is changed for you.

References
    https://docs.docker.com/reference/dockerfile/#entrypoint
"""

from agent.causes.cause import Cause

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
        "shape": {"command": 0.42, "path": 0.16, "word": 0.25, "intact": 0.06, "flag": 0.1},
    },
    summary="The image's entrypoint already holds a part of this command, or ignores it.",
    advice="Give the container only what follows its entrypoint, or set --entrypoint.",
    related=("flag/wrong-command",),
)
