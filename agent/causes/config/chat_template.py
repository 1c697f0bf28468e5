"""The chat template that was given does not exist or is no template.

What happens
    --chat-template takes a path or the template's text; what looks like a path must exist, and the text must be valid Jinja.

How it shows
    An error that speaks of the chat template, usually after the engine's configuration was read.

How to tell
    Whether the path exists from the server's working folder.

Fix
    Name an existing file, with its absolute path.

Fix safety
    Only words: nothing is changed for you.

References
    https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html#chat-template
"""

from agent.causes import spoken
from agent.causes.cause import Cause

CAUSE = Cause(
    id="config/chat-template",
    prior=0.015,
    table={
        "topic": {"chat-template": 0.94},
        "error": {"validation": 0.35, "no-such-file": 0.12, "other": 0.3},
        "file": {"absent": 0.6, "malformed": 0.1},
        "shape": {"path": 0.8},
    },
    summary="The chat template cannot be used: {message}.",
    advice="Give --chat-template an existing file (or the template itself); check the path from the folder the server runs in.",
    subject=("message",),
    parameters=("path",),
    suggest=spoken.of(("validation", "no-such-file", "other"), r"chat.?template|jinja", ("message", "path"), topics=("chat-template",)),
    related=("config/file-missing",),
)
