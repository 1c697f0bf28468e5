"""Every probe, in the order in which the checks ask them: what one answers, a later one may build on."""

from probes.probe import Probe

PROBES: tuple[Probe, ...] = ()
