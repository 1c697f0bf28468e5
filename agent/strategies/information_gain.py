"""Information gain: the question that is expected to take most off the uncertainty per second, weighed against trying the fix at once.

With a fix to try, both are measured in one currency, the expected seconds until solved: trying the leading fix costs the relaunch divided by
the probability that it is right; asking first costs the question, and then the relaunch divided by the probability it is right by then.
"""

from agent.belief import entropy, expected_gain, likelihood, ranking
from agent.strategies.strategy import Action, Candidate, Options
from transcripts.records import Belief, Sign
from transcripts.variables import BY_NAME

LEAST_GAIN = 0.02
"""Bits: below this a question is not worth asking."""


def choose(belief: Belief, options: Options) -> Action:
    """The next action."""
    top = ranking(belief)[0][1] if belief.weighed else 0.0
    if top >= options.threshold:
        return Action(kind="try" if options.can_try else "stop", why="one hypothesis passes the threshold", cost=options.relaunch_cost)
    scored = [(gain / max(c.probe.cost, 0.01), gain, c) for c in options.candidates if (gain := _gain(belief, options, c)) >= LEAST_GAIN]
    scored.sort(key=lambda item: (-item[0], item[2].probe.name, sorted(item[2].question.parameters.items())))
    for _, gain, candidate in scored:
        if not options.can_try and not _could_decide(belief, options, candidate):
            continue
        saved = _saved(belief, options, candidate, top) if options.can_try else 1.0
        if saved > 0:
            why = f"expected to take {gain:.2f} of {entropy(belief):.2f} bits of doubt for {candidate.probe.cost:g} s"
            return Action(kind="ask", candidate=candidate, why=why, gain=gain, cost=candidate.probe.cost)
    if options.can_try and top > belief.unknown:
        return Action(kind="try", why="trying the likeliest fix is quicker than asking on", cost=options.relaunch_cost)
    return Action(kind="stop", why="no question can change the verdict")


def _gain(belief: Belief, options: Options, candidate: Candidate) -> float:
    return max((expected_gain(options.causes, belief, v, candidate.question.parameters) for v in candidate.probe.variables), default=0.0)


def _outcomes(belief: Belief, options: Options, candidate: Candidate) -> list[tuple[float, float]]:
    """(probability, highest posterior of a cause) for every value that the candidate's best variable can take."""
    by_id = {cause.id: cause for cause in options.causes}
    best = max(candidate.probe.variables, key=lambda v: expected_gain(options.causes, belief, v, candidate.question.parameters))
    outcomes: list[tuple[float, float]] = []
    for value, base in BY_NAME[best].rates.items():
        sign = Sign(variable=best, value=value, parameters=candidate.question.parameters)
        joint: dict[str, float] = {}
        for item in belief.weighed:
            weight = item.probability * likelihood(by_id[item.hypothesis.cause], item.hypothesis, sign)
            joint[item.hypothesis.cause] = joint.get(item.hypothesis.cause, 0.0) + weight
        mass = sum(joint.values()) + belief.unknown * base
        if mass > 1e-9:
            outcomes.append((mass, max(joint.values()) / mass))
    return outcomes


def _could_decide(belief: Belief, options: Options, candidate: Candidate) -> bool:
    """Whether some answer, not too unlikely, would lift a cause over the threshold."""
    return any(mass > 0.005 and top >= options.threshold for mass, top in _outcomes(belief, options, candidate))


def _saved(belief: Belief, options: Options, candidate: Candidate, top: float) -> float:
    """Expected seconds saved by asking before trying (negative: try at once)."""
    now = options.relaunch_cost / max(top, 0.05)
    later = sum(mass * options.relaunch_cost / max(best, 0.05) for mass, best in _outcomes(belief, options, candidate))
    return now - candidate.probe.cost - later
