"""A flag of earlier releases that is gone for good.

What happens
    A recipe, a catalogue default or a habit passes a flag that this release no longer has; its setting is implied now, or there is none.
How it shows
    ``unrecognized arguments: --enable-reasoning``.
How to tell
    An earlier release had the flag, this one has not, and no other flag or key carries its setting.
Fix
    Leave it out, with its value.
Fix safety
    The setting it made is not made any more: read what the release notes say of it.
References
    vLLM release notes; the flag tables of the releases.
"""

from agent.causes.cause import Cause
from agent.causes.mending import in_words, option_of, parameter
from agent.causes.suggesting import by_flag, is_whole_word
from probes.probe import Situation
from transcripts.records import Hypothesis, Repair


def _mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """The launch without the flag and its value."""
    flag = parameter(hypothesis, "flag", "--FLAG")
    last = hypothesis.parameters.get("last")
    summary = f"leave {flag} out: {f'{last} was the last release that had it' if last else 'this release no longer has it'}"
    option = option_of(hypothesis, situation)
    if option is None:
        return in_words(summary)
    return (Repair(summary=summary, changes=(option.becomes(),), predicts=f"nothing is said of {flag} any more"),)


CAUSE = Cause(
    id="flag/removed",
    prior=0.03,
    subject=("flag",),
    parameters=("last", "value", "tokens", "index", "length"),
    table={
        # Together all but one in a million: a converter runs for a registered flag only, so no other error of an argument can come of it.
        "error": {"unrecognised": 0.975, "ambiguous-option": 0.024999},
        "shape": {"flag": 0.97},
        "registered": {"no": 0.999},
        "kin": {"earlier": 0.6, "successor": 0.025, "once": 0.3, "once-replaced": 0.03},
        "delivery": {"as-meant": 0.98},
        "sent": {"consistent": 0.9999},
        "exit": {"usage": 0.95},
    },
    summary="{flag} was removed; {last} was the last release that had it.",
    advice="Leave the flag out, or install a release that has it.",
    suggest=by_flag(
        (("kin", "earlier"), ("kin", "once"), ("error", "unrecognised"), ("error", "ambiguous-option")),
        ("last", "matches", "value", "tokens", "index", "length"),
        lambda about: "matches" not in about or is_whole_word(about),
    ),
    mend=_mend,
    related=("flag/renamed", "version/framework-too-new"),
)
