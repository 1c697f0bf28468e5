"""Two step: as information gain, but a question is also worth what the best question after it can tell.

The gain of a question is what it takes off the doubt itself, and on average over its answers what the best second one takes off then; the cost is
that of both. Only the most promising questions are looked at so far ahead.
"""

from collections.abc import Iterator, Sequence

from agent.belief import entropy, expected_gain, likelihood
from agent.strategies.strategy import Action, Candidate, Options, order, out_of_questions, settled
from transcripts.records import Belief, Sign, Weighed
from transcripts.variables import BY_NAME

LEAST_GAIN = 0.02
"""Bits: below this a question is not worth asking."""
WIDTH = 3
"""So many questions are looked at two steps ahead."""
SECOND = 5
"""So many, the most promising now, are weighed as the second one."""
LIKELY = 12
"""So many hypotheses are followed into the second step; the rest counts as unknown there."""
LEAST_MASS = 0.01
"""An answer that is less probable is not followed up."""


def choose(belief: Belief, options: Options) -> Action:
    """The next action."""
    done = settled(belief, options)
    if done is not None:
        return done
    scored = sorted(((_gain(belief, options, c), c) for c in options.candidates), key=lambda item: (-_rate(*item), order(item[1])))
    second = [c for _, c in scored[: SECOND + 1]]
    ahead = [(_both(belief, options, gain, c, second), gain, c) for gain, c in scored[:WIDTH]]
    ahead.sort(key=lambda item: (-item[0][0] / item[0][1], order(item[2])))
    for (together, _), gain, candidate in ahead:
        if together >= LEAST_GAIN:
            why = f"with the best question after it, expected to take {together:.2f} of {entropy(belief):.2f} bits of doubt"
            return Action(kind="ask", candidate=candidate, why=why, gain=gain, cost=candidate.probe.cost)
    return out_of_questions(belief, options)


def _rate(gain: float, candidate: Candidate) -> float:
    return gain / max(candidate.probe.cost, 0.01)


def _gain(belief: Belief, options: Options, candidate: Candidate) -> float:
    return max((expected_gain(options.causes, belief, v, candidate.question.parameters) for v in candidate.probe.variables), default=0.0)


def _both(belief: Belief, options: Options, gain: float, first: Candidate, second: Sequence[Candidate]) -> tuple[float, float]:
    """(bits, seconds) of asking `first` and then the best of `second` by then; of `first` alone where that is the better rate."""
    alone = (gain, max(first.probe.cost, 0.01))
    others = [c for c in second if c is not first]
    bits, seconds = gain, alone[1]
    for mass, after in _answers(belief, options, first):
        following = [(found, max(c.probe.cost, 0.01)) for c in others if (found := _gain(after, options, c)) >= LEAST_GAIN]
        if following:
            more, cost = max(following, key=lambda item: item[0] / item[1])
            bits, seconds = bits + mass * more, seconds + mass * cost
    return max((alone, (bits, seconds)), key=lambda item: item[0] / item[1])


def _answers(belief: Belief, options: Options, candidate: Candidate) -> Iterator[tuple[float, Belief]]:
    """Every answer that is probable enough, with its probability and the belief after it."""
    if not candidate.probe.variables:
        return
    by_id = {cause.id: cause for cause in options.causes}
    parameters = candidate.question.parameters
    best = max(candidate.probe.variables, key=lambda v: (expected_gain(options.causes, belief, v, parameters), v))
    for value, base in BY_NAME[best].rates.items():
        sign = Sign(variable=best, value=value, parameters=parameters)
        kept = [item for item in belief.weighed[:LIKELY] if item.probability > 1e-3]
        joint = [item.probability * likelihood(by_id[item.hypothesis.cause], item.hypothesis, sign) for item in kept]
        mass = sum(joint) + (1.0 - sum(item.probability for item in kept)) * base
        if mass >= LEAST_MASS:
            weighed = tuple(Weighed(hypothesis=item.hypothesis, probability=j / mass) for item, j in zip(kept, joint, strict=True))
            yield mass, Belief(weighed=weighed, unknown=1.0 - sum(item.probability for item in weighed))
