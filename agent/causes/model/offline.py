"""The model is to be fetched and the hub cannot be reached.

What happens
    No network, no proxy set, or HF_HUB_OFFLINE is set; the cache does not hold the model.

How it shows
    Couldn't connect to huggingface.co, or an offline-mode error.

How to tell
    Whether the name resolves from that machine; the cache folder.

Fix
    A local folder, or a filled cache.

Fix safety
    Only words: nothing is changed for you.

References
    https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables
"""

from agent.causes.cause import Cause

CAUSE = Cause(
    id="model/offline",
    prior=0.02,
    table={
        "error": {"offline": 0.93, "repository-not-found": 0.03},
        "model": {"hub-id": 0.95, "folder": 0.02},
        "phase": {"config": 0.48, "model": 0.24, "arguments": 0.04},
    },
    summary="The hub cannot be reached to fetch {model}.",
    advice="Give a local folder, fill the cache on a machine with network, or unset HF_HUB_OFFLINE.",
    subject=("model",),
)
