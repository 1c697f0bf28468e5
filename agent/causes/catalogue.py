"""Every cause, one line each."""

from agent.causes.cause import Cause

CAUSES: tuple[Cause, ...] = ()
