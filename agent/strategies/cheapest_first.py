"""Cheapest first: the question that costs least, whatever it could tell, until one hypothesis passes the threshold."""

from agent.strategies.strategy import Action, Options, asking, order, out_of_questions, settled
from transcripts.records import Belief


def choose(belief: Belief, options: Options) -> Action:
    """The next action."""
    done = settled(belief, options)
    if done is not None:
        return done
    if not options.candidates:
        return out_of_questions(belief, options)
    found = min(options.candidates, key=lambda c: (c.probe.cost, order(c)))
    return asking(found, f"the cheapest of {len(options.candidates)} questions")
