"""What a cause is: its prior, when it applies, the likelihoods of what it speaks about, and what mends it. One file a cause.

A cause's table is sparse: for the variables it speaks about, the probability of each value it lists; what is left of 1 is shared among the
values it does not list, in proportion to their base rates. A variable that is not in the table has its base rate, which cancels.
"""

from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct, field

from probes.probe import Situation
from transcripts.records import Hypothesis, Repair, Sign

Parameters = dict[str, str]
Table = Mapping[str, Mapping[str, float]]


class Cause(Struct, frozen=True, kw_only=True):
    """One kind of fault.

    `subject` names the parameters in which a sign must agree with the hypothesis to be evidence for it (``("flag",)``).
    `parameters` are further ones copied from the signs for the summary and the fix (``value``, ``near``).
    `summary` is one sentence with ``{parameter}`` placeholders; one that is not known reads as an ellipsis.
    `suggest(signs)` makes the parameter sets of the hypotheses; by default each sign that the table lists above its base rate makes one.
    `mend(hypothesis, situation)` gives the repairs, best first (none: only words can be given, by `advice`).
    """

    id: str
    prior: float
    table: Table
    summary: str
    advice: str
    subject: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    frameworks: tuple[str, ...] = ()
    suggest: Callable[[tuple[Sign, ...]], Iterable[Parameters]] | None = None
    mend: Callable[[Hypothesis, Situation], tuple[Repair, ...]] | None = None
    related: tuple[str, ...] = field(default_factory=tuple)

    @property
    def family(self) -> str:
        """The part of the id before the slash."""
        return self.id.partition("/")[0]
