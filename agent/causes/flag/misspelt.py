"""A near miss of a flag that exists.

What happens
    A letter too many or too few, one dash for two, an underscore where this parser wants a dash, or an abbreviation that fits several flags.
How it shows
    ``unrecognized arguments: --max-modellen 128``; ``ambiguous option: --max- could match …``; click: ``No such option '--prot'``. One dash can
    read as a short option with its value: ``argument --nnodes/-n: invalid int value: 'o-such'``.
How to tell
    The flag is not in the parser of this release, no other release or framework has it, and one that is there is spelled nearly so.
Fix
    The flag that was meant.
Fix safety
    A near name is a guess: the flag's help tells whether it is the one that was meant.
References
    Python ``argparse``: ``allow_abbrev``; click: close matches.
"""

import json

from agent.causes.cause import Cause
from agent.causes.mending import in_words, option_of, parameter
from probes.probe import Situation
from transcripts.records import Change, Hypothesis, Repair


def _mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """The near flag in the place of the misspelt one, its value as it was."""
    flag = parameter(hypothesis, "flag", "--FLAG")
    near = _near(hypothesis)
    option = option_of(hypothesis, situation)
    if not near:
        return in_words(f"look {flag} up among the flags of this release", "nostart flags FRAMEWORK FLAG lists the nearest ones")
    summary = f"write {near} instead of {flag}"
    if option is None:
        return in_words(summary)
    word = situation.arrival.argv[option.start]
    change = Change(start=option.start, stop=option.start + 1, words=(near + word[len(option.name) :],))
    return (Repair(summary=summary, changes=(change,), predicts=f"{near} is recognised and the launch gets past its arguments"),)


def _near(hypothesis: Hypothesis) -> str:
    """The flag that was meant; of several that an abbreviation fits, none is taken."""
    if near := hypothesis.parameters.get("near"):
        return near
    matches = hypothesis.parameters.get("matches", "")
    names = json.loads(matches) if matches.startswith("[") else matches.replace(",", " ").split()
    return str(names[0]) if len(names) == 1 else ""


CAUSE = Cause(
    id="flag/misspelt",
    prior=0.03,
    subject=("flag",),
    parameters=("near", "matches", "value", "tokens", "index", "length"),
    table={
        # Together all but one in a million: a converter runs for a registered flag only, so no other error of an argument can come of it.
        "error": {"unrecognised": 0.925, "ambiguous-option": 0.06, "invalid-value": 0.014999},
        "shape": {"flag": 0.84, "single-dash": 0.13},
        "registered": {"no": 0.999},
        "kin": {"near": 0.7, "single-dash": 0.12, "underscore": 0.09, "nowhere": 0.08},
        "delivery": {"as-meant": 0.98},
        "sent": {"consistent": 0.999},
        "exit": {"usage": 0.95},
    },
    summary="{flag} is misspelt: {near} was meant.",
    advice="Look the flag up in the full help of the installed release and write it as it stands there.",
    mend=_mend,
    related=("flag/not-yet", "flag/foreign", "config/unknown-key"),
)
