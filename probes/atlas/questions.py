"""What the atlas is asked of one flag: when it came and went, what replaced it, what value it takes and since when. Pure.

Releases are named as in the atlas. An answer about a release that is not in it is that of its neighbours where they agree.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from probes.atlas.history import FRAMEWORKS, History, history
from probes.atlas.store import holds, places_of
from probes.atlas.table import Flag

_NAMED = re.compile(r"(?<![\w-])--[a-z][\w-]*[a-z0-9](?:\.[a-z_]+)?")


class Lifetime(Struct, frozen=True, kw_only=True):
    """The releases that take a flag, as spans (first and last, both included), oldest first; `newest` and `oldest` are the atlas' own."""

    spans: tuple[tuple[str, str], ...]
    oldest: str
    newest: str
    without: tuple[str, ...] = ()
    """For each span, the first release after it (empty for one that reaches the newest)."""

    @property
    def first(self) -> str:
        """The first release that takes it; empty for none."""
        return self.spans[0][0] if self.spans else ""

    @property
    def last(self) -> str:
        """The last release that takes it; empty for none."""
        return self.spans[-1][1] if self.spans else ""


class Replacement(Struct, frozen=True, kw_only=True):
    """What makes the setting now: `flag` (and the `key` of its JSON), how that is known, and the release it was seen in (or whose text says so)."""

    flag: str
    how: str
    key: str = ""
    seen: str = ""


class ValueForm(Struct, frozen=True, kw_only=True):
    """How an option's value is written, in words, and the first release since which it has been so without a break."""

    form: str
    since: str


class Elsewhere(Struct, frozen=True, kw_only=True):
    """Another framework that has the flag, and its first and last releases with it."""

    framework: str
    first: str
    last: str


def canonical(framework: str, flag: str) -> str:
    """A flag as the tables spell it: without its value and the key of its JSON; for vLLM with dashes."""
    name = flag.partition("=")[0]
    if framework != "vllm" or not name.startswith("--"):
        return name
    return "--" + name[2:].partition(".")[0].replace("_", "-")


def lifetime(framework: str, flag: str) -> Lifetime:
    """When `flag` came and went."""
    known = history(framework)
    if known is None:
        return Lifetime(spans=(), oldest="", newest="")
    return lifetime_of(known, known.having.get(flag, ()))


def lifetime_of(known: History, places: Sequence[int]) -> Lifetime:
    """The spans of ascending `places` among the releases."""
    spans = list(_spans(places))
    releases = known.releases
    return Lifetime(
        spans=tuple((releases[first], releases[last]) for first, last in spans),
        oldest=releases[0],
        newest=releases[-1],
        without=tuple(releases[last + 1] if last + 1 < len(releases) else "" for _, last in spans),
    )


def _spans(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    first = None
    for place, following in zip(places, (*places[1:], -1)[: len(places)], strict=True):
        first = place if first is None else first
        if following != place + 1:
            yield first, place
            first = None


def options_of(known: History, flag: str) -> tuple[tuple[Flag, tuple[int, ...]], ...]:
    """The definitions of `flag` through the releases, oldest first, each with its runs."""
    found = [(option.flag, option.runs) for option in known.packed.options if flag in option.flag.names]
    return tuple(sorted(found, key=lambda item: item[1][0]))


def replacement(framework: str, flag: str, release: str = "") -> Replacement | None:
    """What took the place of a flag that `release` (the newest by default) does not take, or that it calls deprecated; None where nothing is known.

    By the curated table, else the text with which the source deprecated it, else the option that has its destination now.
    """
    known = history(framework)
    if known is None:
        return None
    there = _names_at(known, release)
    found = _curated(known, flag, there)
    if found is not None:
        return found
    for option, runs in reversed(options_of(known, flag)):
        seen = known.releases[runs[-1]]
        told = next((name for name in _NAMED.findall(option.deprecated) if name.partition(".")[0] in there and name != flag), "")
        if told:
            name, _, key = told.partition(".")
            return Replacement(flag=name, key=key, how="the source's own deprecation text", seen=seen)
    dests = {option.dest for option, _ in options_of(known, flag)}
    same = next((name for name, option in there.items() if option.dest in dests and name.startswith("--") and name != flag), "")
    if same and flag not in there:
        return Replacement(flag=same, how="the same destination", seen=release or known.releases[-1])
    return None


def _curated(known: History, flag: str, there: dict[str, Flag]) -> Replacement | None:
    listed = known.successors.get(flag)
    if listed is None or flag in there or (listed.flag not in there and there):
        return None
    return Replacement(flag=listed.flag, key=listed.key, how="the curated table", seen=listed.seen)


def _names_at(known: History, release: str) -> dict[str, Flag]:
    low, high = known.around(release) if release else (len(known.releases) - 1,) * 2
    place = low if low is not None else high
    if place is None:
        return {}
    return {name: option.flag for option in known.packed.options if holds(option.runs, place) for name in option.flag.names}


def form_of(flag: Flag) -> str:
    """How the value of an option is written, in words."""
    if not flag.takes_value:
        return "no value (a switch)"
    if flag.type == "json" or flag.json_config:
        one = f"JSON object of {flag.json_config}" if flag.json_config not in ("", "dict") else "JSON"
        one += ", or KEY=NUMBER pairs separated by commas" * flag.pairs
    elif flag.type == "union_dict_and_str":
        one = "text or JSON"
    elif flag.choices:
        one = "one of " + ", ".join(flag.choices)
    else:
        one = _KINDS.get(flag.type, flag.type or "text")
    return one + {"*": ", any number of them", "+": ", one or more"}.get(str(flag.nargs), ", or none" if flag.nargs == "?" else "")


_KINDS = {
    "str": "text",
    "text": "text",
    "int": "whole number",
    "integer": "whole number",
    "float": "number",
    "bool": "any text (every non-empty one is true)",
    "boolean": "true or false",
    "nullable_str": "text",
    "nullable_kvs": "KEY=NUMBER, separated by commas",
    "human_readable_int": "whole number, such as 4096 or 4k",
    "human_readable_int_or_auto": "whole number, such as 4096 or 4k, or auto",
}


def _kind_of(flag: Flag) -> tuple[object, ...]:
    """What makes two forms the same: the list of choices may grow, and the name of a converter may change."""
    if flag.type == "json" or flag.json_config:
        return "json", flag.json_config in ("", "dict")
    return flag.takes_value, form_of(flag) if flag.choices is None else "choice", str(flag.nargs)


def value_form(framework: str, flag: str, release: str = "") -> ValueForm | None:
    """How the value of `flag` is written in `release` (by default the newest with it), and since when; None for a release that does not take it."""
    known = history(framework)
    kinds = _by_place(known, flag) if known else {}
    if known is None or not kinds:
        return None
    place: int | None = max(kinds)
    if release:
        low, high = known.around(release)
        place = low if low in kinds else high if low != high else None
    if place is None or place not in kinds:
        return None
    since = place
    while since - 1 in kinds and _kind_of(kinds[since - 1]) == _kind_of(kinds[place]):
        since -= 1
    return ValueForm(form=form_of(kinds[place]), since=known.releases[since])


def _by_place(known: History, flag: str) -> dict[int, Flag]:
    """The definition of `flag` in each release that takes it."""
    return {place: option for option, runs in options_of(known, flag) for place in places_of(runs)}


def pairs_until(framework: str, flag: str) -> str:
    """The last release that takes ``KEY=NUMBER`` pairs for a value that is JSON now; empty for none."""
    known = history(framework)
    found = [runs[-1] for option, runs in options_of(known, flag) if option.pairs] if known else []
    return known.releases[max(found)] if known and found else ""


def forms(framework: str, flag: str) -> tuple[ValueForm, ...]:
    """Every form that the value of `flag` had, oldest first, each as it was last."""
    known = history(framework)
    kinds = _by_place(known, flag) if known else {}
    found: list[ValueForm] = []
    for place in sorted(kinds):
        same = place - 1 in kinds and (kinds[place - 1] is kinds[place] or _kind_of(kinds[place - 1]) == _kind_of(kinds[place]))
        since = found[-1].since if same else known.releases[place] if known else ""
        if same and kinds[place - 1] is kinds[place]:
            continue
        found[len(found) - same :] = [ValueForm(form=form_of(kinds[place]), since=since)]
    return tuple(found)


def elsewhere(framework: str, flag: str) -> tuple[Elsewhere, ...]:
    """The other frameworks that have, or had, the flag."""
    found = ((other, lifetime(other, canonical(other, flag))) for other in FRAMEWORKS if other != framework)
    return tuple(Elsewhere(framework=other, first=life.first, last=life.last) for other, life in found if life.spans)


def key_lifetime(framework: str, config: str, key: str) -> Lifetime:
    """When `key` of a JSON configuration came and went."""
    known = history(framework)
    if known is None:
        return Lifetime(spans=(), oldest="", newest="")
    rows = [row.runs for row in known.packed.keys if row.config == config and row.name == key]
    return lifetime_of(known, sorted(_all_places(rows)))


def value_lifetime(framework: str, config: str, key: str, value: str) -> Lifetime:
    """When `value` came into, and went from, the literals that `key` of a JSON configuration takes."""
    known = history(framework)
    if known is None:
        return Lifetime(spans=(), oldest="", newest="")
    rows = [row.runs for row in known.packed.keys if row.config == config and row.name == key and row.values is not None and value in row.values]
    return lifetime_of(known, sorted(_all_places(rows)))


def _all_places(rows: Iterable[tuple[int, ...]]) -> set[int]:
    return {place for runs in rows for place in places_of(runs)}
