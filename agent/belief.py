"""The belief: exact inference over the hypotheses and ``unknown``, in log space. Pure functions of signs and causes."""

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby

import msgspec
from msgspec import structs

from agent.causes.cause import Cause, Parameters
from agent.memory import by_identity
from transcripts.records import Belief, Hypothesis, Move, Sign, Weighed
from transcripts.variables import BY_NAME

_RELAUNCH = {"gone": 0.93, "same": 0.02, "moved": 0.05}
"""What a relaunch does with the fix of the true cause, whichever that is."""

UNKNOWN = "unknown"
UNKNOWN_PRIOR = 0.08
EXPLAINS = 3.0
"""A cause explains a sign that it makes this many times likelier than chance does."""
FLOOR = 1e-6
"""No likelihood is smaller: nothing is ruled out for ever by a table made by hand."""


def hypotheses(causes: Iterable[Cause], signs: Sequence[Sign], framework: str = "") -> tuple[Hypothesis, ...]:
    """Every cause that applies, with each parameter set that the signs suggest (or with none)."""
    found: list[Hypothesis] = []
    for cause in causes:
        if cause.frameworks and framework and framework not in cause.frameworks:
            continue
        for parameters in _suggested(cause, signs) or ({},):
            hypothesis = Hypothesis(cause=cause.id, parameters=parameters)
            if hypothesis not in found:
                found.append(hypothesis)
    return tuple(found)


def _suggested(cause: Cause, signs: Sequence[Sign]) -> list[Parameters]:
    if cause.suggest is not None:
        return list(cause.suggest(tuple(signs)))
    named = (*cause.subject, *cause.parameters)
    sets: list[Parameters] = []
    for sign in signs:
        listed = cause.table.get(sign.variable, {}).get(sign.value, 0.0)
        if listed > BY_NAME[sign.variable].base(sign.value):
            sets.append({name: sign.parameters[name] for name in named if name in sign.parameters})
    return _merged(sets, cause.subject)


def _merged(sets: list[Parameters], subject: tuple[str, ...]) -> list[Parameters]:
    """Parameter sets about the same subject joined into one, first word wins."""
    merged: dict[tuple[str, ...], Parameters] = {}
    for parameters in sets:
        key = tuple(parameters.get(name, "") for name in subject)
        merged[key] = {**parameters, **merged.get(key, {})}
    keys = list(merged)
    full = [key for key in keys if not any(_covers(other, key) for other in keys if other != key)]
    for key in keys:
        for whole in full:
            if whole != key and _covers(whole, key):
                merged[whole] = {**merged[key], **merged[whole]}
    return [merged[key] for key in full]


def _covers(whole: tuple[str, ...], part: tuple[str, ...]) -> bool:
    return whole != part and all(not p or p == w for w, p in zip(whole, part, strict=True))


def agrees(cause: Cause, hypothesis: Hypothesis, sign: Sign) -> bool:
    """Whether `sign` is about the same subject as `hypothesis`, in every subject parameter that both name."""
    return all(
        hypothesis.parameters[name] == sign.parameters[name]
        for name in cause.subject
        if hypothesis.parameters.get(name) and sign.parameters.get(name)
    )


def likelihood(cause: Cause, hypothesis: Hypothesis, sign: Sign) -> float:
    """P(sign | hypothesis), between `FLOOR` and 1."""
    variable = BY_NAME[sign.variable]
    base = variable.base(sign.value)
    if sign.variable == "relaunch":
        return _RELAUNCH.get(sign.value, base) if sign.parameters.get("cause") == cause.id and agrees(cause, hypothesis, sign) else base
    table = cause.table.get(sign.variable)
    if table is None:
        return base
    if not agrees(cause, hypothesis, sign) and sign.variable != "error":
        return base
    if sign.value in table and agrees(cause, hypothesis, sign):
        return max(table[sign.value], FLOOR)
    if sign.value not in variable.rates:
        return max((1.0 - sum(table.values())) * 0.5, FLOOR)
    left = max(1.0 - sum(table.values()), 0.0)
    return max(left * base / max(_unlisted(sign.variable, frozenset(table)), base), FLOOR)


@lru_cache(maxsize=4096)
def _unlisted(variable: str, listed: frozenset[str]) -> float:
    """The base rates of the values that a table does not list, together: asked for with every likelihood, and mostly the same."""
    return sum(rate for value, rate in BY_NAME[variable].rates.items() if value not in listed) or 1.0


def counted(signs: Sequence[Sign]) -> tuple[Sign, ...]:
    """The signs with every fact once: of those that give a variable a value for the same subject, the first stands."""
    kept: list[Sign] = []
    seen: set[tuple[str, str]] = set()
    for sign in signs:
        subject = next((sign.parameters[n] for n in ("flag", "path", "name", "module", "port", "model", "command") if sign.parameters.get(n)), "")
        key = (sign.variable, subject)
        if key not in seen:
            seen.add(key)
            kept.append(sign)
    return tuple(kept)


def believe(causes: Sequence[Cause], signs: Sequence[Sign], framework: str = "") -> tuple[Belief, tuple[Move, ...]]:
    """The belief given all signs so far, and every likelihood ratio that differs from 1.

    Priors are a cause's own, shared evenly by its hypotheses; ``unknown`` has `UNKNOWN_PRIOR` and the base rates. Where nothing has failed yet
    and faults were only seen, the question is what explains these, so the causes that explain none of them are not in question.
    """
    facts = counted(signs)
    _CATALOGUES[id(causes)] = causes
    return _believed(id(causes), msgspec.json.encode(facts), framework)


_CATALOGUES: dict[int, Sequence[Cause]] = {}
"""The catalogues in use, kept alive so that their ids stay theirs."""


@lru_cache(maxsize=4096)
def _believed(catalogue: int, encoded: bytes, framework: str) -> tuple[Belief, tuple[Move, ...]]:
    causes, facts = _CATALOGUES[catalogue], msgspec.json.decode(encoded, type=tuple[Sign, ...])
    by_id = {cause.id: cause for cause in causes}
    candidates = _in_question(by_id, sorted(hypotheses(causes, facts, framework), key=lambda h: h.cause), facts)
    logs: list[float] = []
    kept: list[Hypothesis] = []
    moves: list[Move] = []
    based = [(sign, BY_NAME[sign.variable].base(sign.value)) for sign in facts]
    for cause_id, group in groupby(candidates, key=lambda h: h.cause):
        members = list(group)
        cause = by_id[cause_id]
        # What the cause does not speak about has its base rate, which cancels: the ratio is 1.
        heard = [(sign, base) for sign, base in based if sign.variable in cause.table or sign.variable == "relaunch"]
        for hypothesis in members:
            score = math.log(cause.prior / len(members))
            for sign, base in heard:
                ratio = likelihood(cause, hypothesis, sign) / base
                score += math.log(ratio)
                if not 0.999 < ratio < 1.001:
                    moves.append(Move(sign=sign, hypothesis=hypothesis, ratio=round(ratio, 6)))
            logs.append(score)
            kept.append(hypothesis)
    unknown = math.log(UNKNOWN_PRIOR)
    top = max([unknown, *logs])
    weights = [math.exp(score - top) for score in logs]
    total = math.fsum([math.exp(unknown - top), *weights])
    weighed = [Weighed(hypothesis=h, probability=w / total) for h, w in zip(kept, weights, strict=True)]
    weighed.sort(key=lambda w: (-w.probability, w.hypothesis.cause, sorted(w.hypothesis.parameters.items())))
    return Belief(weighed=tuple(weighed), unknown=math.exp(unknown - top) / total), tuple(moves)


def _in_question(by_id: dict[str, Cause], candidates: list[Hypothesis], facts: Sequence[Sign]) -> list[Hypothesis]:
    """All hypotheses where an error is to be explained; else those that make one of the signs at least `EXPLAINS` times likelier."""
    if any(sign.variable == "error" for sign in facts):
        return candidates
    bases = [(sign, BY_NAME[sign.variable].base(sign.value)) for sign in facts]
    return [h for h in candidates if any(likelihood(by_id[h.cause], h, sign) >= EXPLAINS * base for sign, base in bases)] or candidates


@by_identity
def ranking(belief: Belief) -> tuple[tuple[str, float], ...]:
    """Marginal probabilities by cause id, highest first, ``unknown`` aside."""
    sums: dict[str, float] = {}
    for item in belief.weighed:
        sums[item.hypothesis.cause] = sums.get(item.hypothesis.cause, 0.0) + item.probability
    return tuple(sorted(sums.items(), key=lambda pair: (-pair[1], pair[0])))


@by_identity
def shown(belief: Belief, moves: tuple[Move, ...]) -> tuple[Belief, tuple[Move, ...], float]:
    """What is recorded of a belief: its likeliest hypotheses, the moves of the causes that lead, and its entropy in bits."""
    kept = structs.replace(belief, weighed=tuple(item for item in belief.weighed if item.probability > 1e-9)[:40])
    top = {item.hypothesis.cause for item in kept.weighed[:10]}
    return kept, tuple(move for move in moves if move.hypothesis.cause in top), round(entropy(belief), 9)


def entropy(belief: Belief) -> float:
    """The uncertainty over causes and ``unknown``, in bits."""
    values = [probability for _, probability in ranking(belief)] + [belief.unknown]
    return -sum(p * math.log2(p) for p in values if p > 0)


def expected_gain(causes: Sequence[Cause], belief: Belief, variable: str, parameters: Parameters) -> float:
    """How many bits an observation of `variable` (about `parameters`) is expected to take off the entropy over hypotheses."""
    by_id = {cause.id: cause for cause in causes}
    states = [(item.hypothesis, item.probability) for item in belief.weighed if item.probability > 1e-4]
    before = _bits([*(p for _, p in states), belief.unknown])
    after = 0.0
    for value, base in BY_NAME[variable].rates.items():
        sign = Sign(variable=variable, value=value, parameters=parameters)
        joint = [p * likelihood(by_id[h.cause], h, sign) for h, p in states] + [belief.unknown * base]
        mass = sum(joint)
        if mass > 0:
            after += mass * _bits([j / mass for j in joint])
    return max(before - after, 0.0)


def _bits(values: Sequence[float]) -> float:
    return -sum(p * math.log2(p) for p in values if p > 0)
