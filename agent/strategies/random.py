"""Random: any question that is open, drawn by lot, until one hypothesis passes the threshold.

The lot is a hash of the seed and the question, so that the same seed draws the same, in whatever order the questions are listed.
"""

import hashlib

from agent.strategies.strategy import Action, Candidate, Options, asking, order, out_of_questions, settled
from transcripts.records import Belief


def choose(belief: Belief, options: Options) -> Action:
    """The next action."""
    done = settled(belief, options)
    if done is not None:
        return done
    if not options.candidates:
        return out_of_questions(belief, options)
    return asking(min(options.candidates, key=lambda c: (_lot(options.seed, c), order(c))), f"drawn by lot, seed {options.seed}")


def _lot(seed: int, candidate: Candidate) -> bytes:
    return hashlib.blake2b(repr((seed, order(candidate))).encode(), digest_size=8).digest()
