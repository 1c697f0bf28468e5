"""Relaunch only: changes the quoting and launches again, then changes something else and launches again; it asks nothing.

This is how a person works who takes an error for a label. It is given the same fixes as the other strategies, those of the quoting family first,
the likeliest first, and each costs a launch.
"""

from agent.strategies.strategy import Action, Options
from transcripts.records import Belief, Weighed


def choose(belief: Belief, options: Options) -> Action:
    """The next action."""
    for item in sorted(belief.weighed, key=_place):
        if options.fixable(item.hypothesis):
            why = f"launched again as if it were {item.hypothesis.cause}"
            return Action(kind="try", why=why, cost=options.relaunch_cost, hypothesis=item.hypothesis)
    return Action(kind="stop", why="no other way of launching it is known")


def _place(item: Weighed) -> tuple[bool, float, str, list[tuple[str, str]]]:
    cause = item.hypothesis.cause
    return not cause.startswith("quoting/"), -item.probability, cause, sorted(item.hypothesis.parameters.items())
