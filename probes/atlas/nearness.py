"""Which options of a release a flag that it does not have may have meant: by spelling, and by the value that was given. Pure."""

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from probes.atlas.converters import refusal
from probes.atlas.table import Flag, FlagTable

_ENOUGH = 0.62
_MEANT = 0.2
_MOST = 5


def nearest_flags(flag: str, table: FlagTable, value: str = "") -> tuple[str, ...]:
    """The long options of `table` that `flag` may have meant, best first: by spelling, and by whether they take such a `value`."""
    body = flag.lstrip("-").replace("_", "-")
    scored: list[tuple[float, str]] = []
    for option in table.flags:
        for name in option.names:
            plain = name.lstrip("-").replace("_", "-")
            if not name.startswith("--") or name == flag or plain.startswith("no-") != body.startswith("no-"):
                continue
            spelt = max(float(OSA.normalized_similarity(body, plain)), fuzz.token_set_ratio(body.replace("-", " "), plain.replace("-", " ")) / 115)
            scored.append((spelt + _meaning(option, value, table), name))
    return tuple(name for score, name in sorted(scored, key=lambda item: (-item[0], item[1])) if score >= _ENOUGH)[:_MOST]


def _meaning(option: Flag, value: str, table: FlagTable) -> float:
    """How well the option fits a value: it lists the value, takes it, or refuses it."""
    if not value:
        return 0.0
    if not option.takes_value or refusal(option, value, table) is not None:
        return -_MEANT
    return 2 * _MEANT if option.choices and value in option.choices else _MEANT / 4
