"""Hypotheses about flags: one for each flag that the signs speak of, and what tells that a cause is not about it. Pure."""

import json
from collections.abc import Callable, Iterable

from agent.causes.cause import Parameters
from agent.causes.spoken import ELSEWHERE
from transcripts.records import Sign


def by_flag(
    values: Iterable[tuple[str, str]], copied: Iterable[str], accepts: Callable[[Parameters], bool]
) -> Callable[[tuple[Sign, ...]], list[Parameters]]:
    """A `suggest` that makes one hypothesis for each flag of the signs with one of `values` (pairs of variable and value).

    Each copies the parameters `copied` from those signs, the first pair of `values` first; one that `accepts` refuses is about another matter.
    """
    order = {pair: place for place, pair in enumerate(values)}
    names = tuple(copied)

    def suggest(signs: tuple[Sign, ...]) -> list[Parameters]:
        telling = sorted((sign for sign in signs if (sign.variable, sign.value) in order), key=lambda sign: order[sign.variable, sign.value])
        found: dict[str, Parameters] = {}
        for sign in telling:
            about = {name: sign.parameters[name] for name in ("flag", *names) if name in sign.parameters}
            flag = sign.parameters.get("flag", "")
            found[flag] = {**about, **found.get(flag, {})}
        return [about if accepts(about) else {"flag": ELSEWHERE} for about in found.values()]

    return suggest


def is_whole_word(about: Parameters) -> bool:
    """Whether an ambiguous option ends where a word of every match ends: then it was rather a flag of its own once than an abbreviation."""
    flag, matches = about.get("flag", ""), listed(about.get("matches", ""))
    return bool(matches) and not flag.endswith("-") and all(name.startswith(flag + "-") for name in matches)


def listed(text: str) -> list[str]:
    """The items of a parameter that is a list: JSON, or names apart by commas or blanks."""
    try:
        items = json.loads(text) if text.startswith("[") else None
    except ValueError:
        items = None
    return [str(item) for item in items] if isinstance(items, list) else text.replace(",", " ").split()
