"""A flag of another framework, or of a wrapper around this one.

What happens
    SGLang's ``--mem-fraction-static`` was given to vLLM, vLLM's ``--max-model-len`` to SGLang, a launcher's own option to the server.
How it shows
    ``unrecognized arguments: --mem-fraction-static 0.8``.
How to tell
    Another framework's parser has the flag, no release of this one has.
Fix
    This framework's own counterpart, with the value; where there is none, leave it out.
Fix safety
    Counterparts mean the same to within each framework's own accounting (a share of memory is counted differently).
References
    The flag tables of the frameworks.
"""

from agent.causes.cause import Cause
from agent.causes.counterparts import counterpart
from agent.causes.mending import in_words, option_of, parameter
from probes.probe import Situation
from transcripts.records import Hypothesis, Repair


def _mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """The counterpart in the flag's place, else the launch without it."""
    flag = parameter(hypothesis, "flag", "--FLAG")
    other = parameter(hypothesis, "framework", "another framework")
    here = situation.framework.name if situation.framework else ""
    option = option_of(hypothesis, situation)
    words = _taken(counterpart(here, flag, option.value if option else "VALUE"), situation)
    drop = f"leave {flag} out: it is a flag of {other}"
    summary = f"write {' '.join(words)} instead of {flag}, which is a flag of {other}" if words else drop
    if option is None:
        return in_words(summary)
    predicts = f"nothing is said of {flag} any more"
    dropped = Repair(summary=drop, changes=(option.becomes(),), predicts=predicts)
    return (Repair(summary=summary, changes=(option.becomes(*words),), predicts=predicts), dropped) if words else (dropped,)


def _taken(words: tuple[str, ...], situation: Situation) -> tuple[str, ...]:
    """The words where this release has the flag and takes the value; none where it does not."""
    if situation.table is None or not words or not words[0].startswith("-"):
        return words
    known = situation.table.find(words[0])
    refused = known is None or (known.choices is not None and words[1:] and words[1] not in known.choices)
    return () if refused else words


CAUSE = Cause(
    id="flag/foreign",
    prior=0.02,
    subject=("flag",),
    parameters=("framework", "value", "tokens", "index", "length"),
    table={
        # Together all but one in a million: a converter runs for a registered flag only, so no other error of an argument can come of it.
        "error": {"unrecognised": 0.997, "ambiguous-option": 0.002999},
        "shape": {"flag": 0.97},
        "registered": {"no": 0.999},
        "kin": {"foreign": 0.93, "nowhere": 0.05},
        "delivery": {"as-meant": 0.98},
        "sent": {"consistent": 0.9999},
        "exit": {"usage": 0.95},
    },
    summary="{flag} is a flag of {framework}, not of this framework.",
    advice="Write this framework's own flag for it, or leave it out.",
    mend=_mend,
    related=("flag/misspelt", "process/wrong-entrypoint"),
)
