"""A flag of later releases than the one installed.

What happens
    The documentation ("latest") describes a flag that this release does not have yet; or an older release runs than the one that was meant.
How it shows
    ``unrecognized arguments: --enable-logging-iteration-details``.
How to tell
    A later release has the flag, this one has not. If it surprises: look which install runs.
Fix
    Install that release or a later one; to start now, leave the flag out.
Fix safety
    Without the flag the launch lacks the feature it asks for.
References
    The flag tables of the releases.
"""

from agent.causes.cause import Cause
from agent.causes.mending import in_words, option_of, parameter
from probes.probe import Situation
from transcripts.records import Hypothesis, Repair


def _mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """The launch without the flag, and the words that say which release has it."""
    flag = parameter(hypothesis, "flag", "--FLAG")
    first = parameter(hypothesis, "first", "a later release")
    upgrade = f"to keep {flag}, install {first} or later"
    option = option_of(hypothesis, situation)
    if option is None:
        return in_words(upgrade, upgrade, f"to start with the installed release, leave {flag} out")
    change = option.becomes()
    return (
        Repair(
            summary=f"leave {flag} out: it comes with {first}", changes=(change,), steps=(upgrade,), predicts=f"nothing is said of {flag} any more"
        ),
    )


CAUSE = Cause(
    id="flag/not-yet",
    prior=0.02,
    subject=("flag",),
    parameters=("first", "value", "tokens", "index", "length"),
    table={
        # Together all but one in a million: a converter runs for a registered flag only, so no other error of an argument can come of it.
        "error": {"unrecognised": 0.997, "ambiguous-option": 0.002999},
        "shape": {"flag": 0.97},
        "registered": {"no": 0.999},
        "kin": {"later": 0.75, "nowhere": 0.05, "once": 0.06, "once-replaced": 0.06, "before": 0.06},
        "delivery": {"as-meant": 0.98},
        "sent": {"consistent": 0.9999},
        "exit": {"usage": 0.95},
    },
    summary="The installed release does not have {flag} yet; it comes with {first}.",
    advice="Install the release that has it, or leave the flag out.",
    mend=_mend,
    related=("version/framework-too-old", "version/wrong-interpreter"),
)
