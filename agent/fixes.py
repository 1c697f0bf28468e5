"""From repairs to the launch that makes them all: one corrected argv, rendered through the same layers. Pure.

Repairs are written on the argv that arrives; the corrected one is rendered back (`probes.launches.render`), so that a fix holds for the
layers that the launch really passes through.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import structs

from probes.launches.render import render
from probes.probe import Situation
from transcripts.records import Change, Fix, Hypothesis, Launch, Repair

_DANGEROUS = re.compile(r"dangerous|unsafe|insecure|skip.?verify|no.?verify", re.IGNORECASE)

Mended = tuple[Hypothesis, Repair]


Again = Callable[[tuple[str, ...], Mapping[str, str], tuple[str, ...]], Sequence[Mended]]
"""What is still seen to be wrong with a corrected (argv, env, unset), with the repairs of that, on that argv's indices."""

_ROUNDS = 2


def compose(launch: Launch, situation: Situation, repairs: Sequence[Mended], again: Again | None = None) -> Fix:
    """One fix that makes all `repairs`, the first named being the main one; with `again`, also what they leave or uncover.

    Changes that touch the same words are made once: the first stands. A repair that would add a switch that calls itself dangerous is left
    out. Without a launch that is understood, or with repairs in words alone, `Fix.launch` is None.
    """
    made = [(hypothesis, repair) for hypothesis, repair in repairs if not is_dangerous(repair, situation.arrival.argv)]
    changes = _compatible(change for _, repair in made for change in repair.changes)
    told = [repair for _, repair in made if not repair.changes or any(change in changes for change in repair.changes)]
    spoken = Fix(
        summary="; ".join(_unique(repair.summary for repair in told)),
        steps=_unique(step for _, repair in made for step in repair.steps),
        predicts="; ".join(_unique(repair.predicts for repair in told if repair.predicts)),
        mends=tuple(hypothesis for hypothesis, _ in made),
    )
    changing = changes or any(repair.files or repair.generated for _, repair in made)
    if not situation.arrival.argv or not changing:
        return spoken
    argv = applied(situation.arrival.argv, changes)
    env = {name: value for change in changes for name, value in change.env.items()}
    unset = _unique(name for change in changes for name in change.unset)
    for _ in range(_ROUNDS):
        more = [pair for pair in (again(argv, env, unset) if again else ()) if pair[1].changes and not is_dangerous(pair[1], argv)]
        further = _compatible(change for _, repair in more for change in repair.changes)
        if not further or applied(argv, further) == argv:
            break
        argv, made = applied(argv, further), [*made, *more]
        env |= {name: value for change in further for name, value in change.env.items()}
        unset = _unique((*unset, *(name for change in further for name in change.unset)))
        told += [repair for _, repair in more]
        summary, predicts = _unique(repair.summary for repair in told), _unique(repair.predicts for repair in told if repair.predicts)
        spoken = structs.replace(spoken, summary="; ".join(summary), predicts="; ".join(predicts))
    rendered = render(launch, situation.arrival, argv, env, unset)
    return Fix(
        summary=spoken.summary,
        launch=rendered.launch,
        argv=rendered.argv,
        shell=rendered.shell,
        env=env,
        unset=unset,
        steps=(*spoken.steps, *rendered.edits),
        predicts=spoken.predicts,
        files=tuple(file for _, repair in made for file in repair.files),
        generated=_unique(name for _, repair in made for name in repair.generated),
        mends=tuple(hypothesis for hypothesis, repair in made if repair.changes or repair.files or repair.generated),
    )


def applied(argv: tuple[str, ...], changes: Iterable[Change]) -> tuple[str, ...]:
    """The argv with the changes made, all of them on the original's indices."""
    words = list(argv)
    # From the right, so that no change moves the words of another; at one place the replacement before what is put in front of it.
    for _, change in sorted(enumerate(changes), key=lambda item: (-item[1].start, -item[1].stop, -item[0])):
        words[change.start : change.stop] = change.words
    return tuple(words)


def is_dangerous(repair: Repair, argv: Sequence[str]) -> bool:
    """Whether the repair adds a switch, or sets a variable, whose own name says that it is dangerous."""
    added = [word.partition("=")[0] for change in repair.changes for word in change.words if word.startswith("-") and word not in argv]
    named = [name for change in repair.changes for name in change.env]
    return any(_DANGEROUS.search(name) for name in (*added, *named))


def _compatible(changes: Iterable[Change]) -> tuple[Change, ...]:
    """The changes that do not touch words that an earlier one touches; the same one twice is one."""
    kept: list[Change] = []
    for change in changes:
        if change not in kept and not any(_overlap(change, other) for other in kept):
            kept.append(change)
    return tuple(kept)


def _overlap(one: Change, other: Change) -> bool:
    return one.start < other.stop and other.start < one.stop


def _unique(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


def accumulated(before: Fix | None, fix: Fix) -> Fix:
    """`fix` with all that an earlier one, which it builds on, brought besides (steps, copies, secrets, environment)."""
    if before is None:
        return fix
    return structs.replace(
        fix,
        steps=_unique([*before.steps, *fix.steps]),
        files=(*(f for f in before.files if f.name not in {n.name for n in fix.files}), *fix.files),
        generated=_unique([*before.generated, *fix.generated]),
        mends=(*before.mends, *fix.mends),
        env={**before.env, **fix.env},
    )
