"""Priors and likelihoods that were fitted to recorded worlds: a table of data (``fitted.json`` beside this file, where it is present), laid over
the hand-made numbers. Pure."""

from collections.abc import Iterable

import msgspec
from msgspec import field, structs

from agent.causes.cause import Cause
from transcripts.records import Record


class Fitted(Record, frozen=True, kw_only=True):
    """The table: `about` says what it was fitted to; `priors` by cause id; `tables` by cause id, variable and value, for whole variables."""

    about: str
    priors: dict[str, float]
    tables: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)


def decode(data: bytes) -> Fitted:
    """Read a table.

    Raises:
        msgspec.MsgspecError: it is none.
    """
    return msgspec.json.decode(data, type=Fitted)


def refitted(causes: Iterable[Cause], fitted: Fitted) -> tuple[Cause, ...]:
    """The causes with the fitted numbers in place of their own; what was not fitted stays."""
    return tuple(
        structs.replace(cause, prior=fitted.priors.get(cause.id, cause.prior), table={**cause.table, **fitted.tables.get(cause.id, {})})
        for cause in causes
    )
