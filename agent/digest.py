"""The digest of the catalogue that a transcript names."""

import hashlib
from collections.abc import Sequence
from functools import cache

import msgspec

from agent.causes.catalogue import CAUSES
from agent.causes.cause import Cause
from probes.catalogue import PROBES
from probes.probe import Probe


def catalogue_digest(causes: Sequence[Cause], probes: Sequence[Probe]) -> str:
    """A digest of every prior, likelihood and probe: a strict replay holds for the same one only."""
    tables = [(c.id, c.prior, c.subject, {k: dict(v) for k, v in c.table.items()}) for c in causes]
    asked = [(p.name, p.variables, p.cost, p.check) for p in probes]
    return hashlib.sha256(msgspec.json.encode([tables, asked])).hexdigest()[:16]


@cache
def own_digest() -> str:
    """The digest of nostart's own catalogue."""
    return catalogue_digest(CAUSES, PROBES)
