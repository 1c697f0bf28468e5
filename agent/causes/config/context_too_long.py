"""The launch asks for a longer context than the model, or the cache, can hold.

What happens
    --max-model-len (SGLang: --context-length) is larger than the positions that the model was made for.

How it shows
    A validation error that names max_model_len and the derived maximum; the advice it prints (an environment variable that allows it) leads
    to wrong output or a crash later.

How to tell
    max_position_embeddings in the model's config.json against --max-model-len.

Fix
    Lower --max-model-len, or leave it out: the model's own maximum is the default.

Fix safety
    Never set the variable that overrides the check: it starts and then answers wrongly or dies.

References
    https://docs.vllm.ai/en/latest/configuration/conserving_memory.html
"""

from agent.causes import spoken
from agent.causes.cause import Cause
from agent.causes.mending import in_words, options
from probes.probe import Situation
from transcripts.records import Hypothesis, Repair

_LENGTHS = ("--max-model-len", "--context-length")


def _mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """The launch without the option: the default is what the model was made for."""
    given = [option for flag in _LENGTHS for option in options(situation, flag, hypothesis)]
    if not given:
        return in_words(f"lower {' or '.join(_LENGTHS)} to what the model's config.json gives")
    changes = tuple(option.becomes() for option in given)
    return (
        Repair(summary=f"leave {given[0].name} out: the model's own maximum is the default", changes=changes, predicts="the length fits the model"),
    )


CAUSE = Cause(
    id="config/context-too-long",
    prior=0.025,
    table={
        "topic": {"context": 0.85, "incompatible": 0.02},
        "error": {"validation": 0.7, "cache-memory": 0.07, "other": 0.08},
        "phase": {"config": 0.36, "model": 0.32, "cache": 0.08},
    },
    summary="The launch asks for a longer context than the model has: {message}.",
    mend=_mend,
    advice="Lower --max-model-len (SGLang: --context-length) to what the model's config.json gives (max_position_embeddings), or leave it out.",
    subject=("message",),
    suggest=spoken.of(
        ("validation", "other"),
        r"max_model_len|max(?:imum)? (?:model|seq(?:uence)?|context) len|context.?length|max_position_embeddings|longer than",
        ("message",),
        topics=("context",),
    ),
)
