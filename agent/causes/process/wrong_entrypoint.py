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
            "command-not-found": 0.12,
            "invalid-subcommand": 0.2,
            "unrecognised": 0.3,
            "repository-invalid": 0.04,
            "repository-not-found": 0.08,
            "exec-refused": 0.08,
            "no-such-file": 0.05,
            "other": 0.05,
        },
        "shape": {"word": 0.35, "path": 0.3, "intact": 0.25},
    },
    summary="The image's entrypoint already holds a part of this command, or ignores it.",
    advice="Give the container only what follows its entrypoint, or set --entrypoint.",
    related=("flag/wrong-command",),
)
