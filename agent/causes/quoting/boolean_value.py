"""A value was given to a flag that takes none, or none to one that wants it.

What happens
    ``--enforce-eager true`` reads well, and the flag is a switch: the word ``true`` belongs to nobody (or becomes the model).
How it shows
    ``unrecognized arguments: true``; ``ignored explicit argument 'true'`` for ``--switch=true``; or a model named ``true`` that nobody finds.
How to tell
    The word is a boolean, and the flag before it is a switch in the parser of that release.
Fix
    ``true``: the switch alone. ``false``: without it, or its ``--no-`` form.
Fix safety
    The switch means what its value said.
References
    Python ``argparse``, ``store_true`` and ``BooleanOptionalAction``; LiteLLM's click options.
"""

from agent.causes.cause import Cause
from agent.causes.mending import in_words, names_of, option_of, parameter
from probes.probe import Situation
from transcripts.records import Change, Hypothesis, Repair

_TRUE = frozenset({"true", "1", "yes", "on", "y", "t"})
_FALSE = frozenset({"false", "0", "no", "off", "n", "f"})


def _mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """Every switch with a boolean word behind it, mended; in words where the launch is not known."""
    changes: list[Change] = []
    argv = situation.arrival.argv
    first = situation.entry.options if situation.entry else 1
    for index in range(first, len(argv)):
        name, equals, value = argv[index].partition("=")
        stop = index + 1 if equals else index + 2
        word = value if equals else (argv[index + 1] if index + 1 < len(argv) else "")
        if name.startswith("--") and word.lower() in _TRUE | _FALSE and _is_switch(name, situation, hypothesis):
            changes.append(Change(start=index, stop=stop, words=_meant(name, word, situation)))
    if changes:
        summary = "; ".join(_said(argv[change.start : change.stop], change.words) for change in changes)
        return (Repair(summary=summary, changes=tuple(changes), predicts="the launch gets past its arguments"),)
    option = option_of(hypothesis, situation)
    if option is not None and not option.value:
        return in_words(f"give {option.name} its value: it is no switch", f"{option.name} VALUE")
    flag = parameter(hypothesis, "flag", "--SWITCH")
    return in_words("drop the word behind the switch", f"{flag} instead of {flag} true; for false leave the switch out, or use its --no- form")


def _is_switch(name: str, situation: Situation, hypothesis: Hypothesis) -> bool:
    known = situation.table.find(name) or situation.table.find(name.replace("_", "-")) if situation.table else None
    if known is not None:
        return not known.takes_value
    before = hypothesis.parameters.get("after") or hypothesis.parameters.get("flag", "")
    return situation.table is None and (name == before or not before.startswith("-"))


def _meant(name: str, word: str, situation: Situation) -> tuple[str, ...]:
    if word.lower() in _TRUE:
        return (name,)
    opposite = "--no-" + name.removeprefix("--").replace("_", "-")
    return (opposite,) if opposite in names_of(name, situation) or (situation.table and situation.table.find(opposite)) else ()


def _said(before: tuple[str, ...], after: tuple[str, ...]) -> str:
    return f"write {' '.join(after)} instead of {' '.join(before)}" if after else f"leave {' '.join(before)} out"


CAUSE = Cause(
    id="quoting/boolean-value",
    prior=0.02,
    subject=("flag",),
    parameters=("value", "after", "tokens", "index", "length"),
    table={
        "error": {
            "unrecognised": 0.58,
            "takes-no-value": 0.17,
            "repository-invalid": 0.05,
            "repository-not-found": 0.04,
            "expected-argument": 0.1,
            "invalid-value": 0.02,
            "invalid-choice": 0.01,
            "converter-refused": 0.01,
        },
        "shape": {"boolean-word": 0.86, "next-flag": 0.07, "empty": 0.06},
        "sent": {"consistent": 0.9999},
        "exit": {"usage": 0.88},
    },
    summary="A value was given to a switch that takes none: {value}.",
    advice="Write the switch alone for true, and leave it out (or use its --no- form) for false.",
    mend=_mend,
    related=("flag/value-format", "config/invalid-value"),
)
