"""The repository is gated or private, and the launch shows no token that may read it.

What happens
    The hub answers 401 or 403; without a token a private repository reads like one that does not exist.

How it shows
    GatedRepoError, 401, 403, or repository not found.

How to tell
    Whether HF_TOKEN is set (by name), and what the model's page says.

Fix
    Ask for access, then set HF_TOKEN.

Fix safety
    The token is never written down.

References
    https://huggingface.co/docs/hub/models-gated
"""

from agent.causes.cause import Cause

CAUSE = Cause(
    id="model/gated",
    prior=0.025,
    table={
        "error": {"gated": 0.8, "repository-not-found": 0.15, "credentials-missing": 0.02},
        "credentials": {"unset": 0.7},
        "model": {"hub-id": 0.9},
    },
    summary="The model {model} is gated, and this launch has no right to it.",
    advice="Ask for access on the model's page and set HF_TOKEN.",
    related=("model/not-found",),
    subject=("model",),
)
