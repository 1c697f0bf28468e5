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

from rapidfuzz.distance import OSA

from agent.causes.cause import Cause, Parameters
from agent.causes.mending import in_words, option_of, parameter
from agent.causes.suggesting import by_flag, is_whole_word, listed
from probes.probe import Situation
from transcripts.records import Change, Hypothesis, Repair, Sign


def _mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """The near flag in the place of the misspelt one, its value as it was."""
    flag = parameter(hypothesis, "flag", "--FLAG")
    near = hypothesis.parameters.get("near", "")
    option = option_of(hypothesis, situation)
    matches = listed(hypothesis.parameters.get("matches", ""))
    if not near and matches:
        return in_words(f"write {flag} in full: it could be {', '.join(matches[:8])}")
    if not near:
        return in_words(f"look {flag} up among the flags of this release", "nostart flags FRAMEWORK FLAG lists the nearest ones")
    summary = f"write {near} instead of {flag}"
    if option is None:
        return in_words(summary)
    word = situation.arrival.argv[option.start]
    change = Change(start=option.start, stop=option.start + 1, words=(near + word[len(option.name) :],))
    return (Repair(summary=summary, changes=(change,), predicts=f"{near} is recognised and the launch gets past its arguments"),)


def _suggest(signs: tuple[Sign, ...]) -> list[Parameters]:
    """One hypothesis for each flag that is not as it should be; kinship names the flag that was meant before the message does."""
    return [_with_one_near(about) for about in _by_flag(signs)]


def _with_one_near(about: Parameters) -> Parameters:
    """Of several flags that the message names, the nearest was meant, if one is; an abbreviation of several is none of them."""
    flag = about.get("flag", "")
    ranked = sorted(listed(about.get("near") or about.get("matches", "")), key=lambda name: (OSA.distance(flag, name), name))
    kept = {name: text for name, text in about.items() if name != "near"}
    alone = len(ranked) < 2 or OSA.distance(flag, ranked[0]) < OSA.distance(flag, ranked[1])
    abbreviated = len(ranked) > 1 and all(name.startswith(flag) for name in ranked)
    return {**kept, "near": ranked[0]} if ranked and alone and not abbreviated else kept


_by_flag = by_flag(
    (
        ("kin", "near"),
        ("kin", "single-dash"),
        ("kin", "underscore"),
        ("error", "unrecognised"),
        ("error", "ambiguous-option"),
    ),
    ("near", "matches", "value", "tokens", "index", "length"),
    lambda about: not is_whole_word(about),
)

CAUSE = Cause(
    id="flag/misspelt",
    prior=0.03,
    subject=("flag",),
    parameters=("near", "matches", "value", "tokens", "index", "length"),
    table={
        # Together all but one in a million: a converter runs for a registered flag only, so no other error of an argument can come of it.
        "error": {"unrecognised": 0.82, "ambiguous-option": 0.165, "invalid-value": 0.014999},
        "shape": {"flag": 0.84, "single-dash": 0.13},
        "registered": {"no": 0.999},
        "kin": {"near": 0.7, "single-dash": 0.12, "underscore": 0.09, "nowhere": 0.08},
        "delivery": {"as-meant": 0.98},
        "sent": {"consistent": 0.9999},
        "exit": {"usage": 0.95},
    },
    summary="{flag} is misspelt: {near} was meant.",
    advice="Look the flag up in the full help of the installed release and write it as it stands there.",
    suggest=_suggest,
    mend=_mend,
    related=("flag/not-yet", "flag/foreign", "config/unknown-key"),
)
