"""Every mutator, and all the failing scenes that they make."""

from collections.abc import Iterator

from evals.mutate import config, flag, model, pairs, process, quoting, version
from evals.mutate.bases import BASES
from evals.mutate.scene import Mutated, Mutator, Scene

MUTATORS: tuple[Mutator, ...] = (
    *quoting.MUTATORS,
    *flag.MUTATORS,
    *config.MUTATORS,
    *version.MUTATORS,
    *process.MUTATORS,
    *model.MUTATORS,
    *pairs.MUTATORS,
)


OF_JSON: tuple[Mutator, ...] = (
    quoting.strip_quotes,
    quoting.harm_value,
    config.break_json,
    config.unknown_key,
    process.stale_log,
    pairs.two_faults,
)
"""What a base with a JSON option is for; everything else is done to its sister without one."""

OF_PARSER: tuple[Mutator, ...] = (flag.take_elsewhen, flag.misspell, flag.take_foreign, flag.older_format, quoting.give_values, quoting.join)
"""What dies in the parser, whatever becomes of the engine: for a base that does not come up here."""


def mutators_of(base: Scene) -> tuple[Mutator, ...]:
    """The mutators whose scenes of `base` are worth recording."""
    if base.name.endswith("-json"):
        return OF_JSON
    return OF_PARSER if base.name == "vllm-old" else MUTATORS


def scenes() -> Iterator[Mutated]:
    """Every failing scene, base by base, in order."""
    for base in BASES:
        for mutator in mutators_of(base):
            yield from mutator(base)
