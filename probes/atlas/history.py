"""The shipped atlas: which flags the recorded releases of each framework take, when flags came and went, and what replaced them.

Data, one pair of files a framework (`data/FRAMEWORK.json`, read from the real parsers; `data/FRAMEWORK.lineage.json`, curated), both ``format`` 1:

- ``releases`` oldest first; ``options``: each with ``names``, ``dest``, ``in`` (runs of indices into ``releases``), and where they apply ``switch``,
  ``type``, ``choices``, ``nargs``, ``json_config``, ``nullable``, ``required``, ``environment``; ``config_keys`` and ``subcommands`` by release.
- ``gone``: flag → its ``last`` release and the first one ``without`` it; ``came``: flag → first release with it; ``successors``: flag → the ``flag``
  (and ``key`` of its JSON) that makes the setting now, with the release it was ``seen`` in; ``commands``: other command → flags of its own.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from msgspec import Struct, field

from probes.atlas.table import Flag, FlagTable

FORMAT = 1
FRAMEWORKS = ("vllm", "sglang", "litellm")


class AtlasError(Exception):
    """An atlas file cannot be used: of another format, or damaged."""


class Successor(Struct, frozen=True):
    """What replaced a flag: `flag`, the `key` of its JSON (or empty), and the release it was `seen` in."""

    flag: str
    key: str = ""
    seen: str = ""


class History(Struct, frozen=True, kw_only=True):
    """What is shipped about one framework: `releases` oldest first, `options` as in the data, and the curated lineage."""

    framework: str
    command: str
    releases: tuple[str, ...]
    options: tuple[Mapping[str, Any], ...]
    having: Mapping[str, tuple[int, ...]]
    dests: Mapping[str, str]
    gone: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    came: Mapping[str, str] = field(default_factory=dict)
    successors: Mapping[str, Successor] = field(default_factory=dict)
    commands: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    config_keys: Mapping[str, Any] = field(default_factory=dict)
    subcommands: Mapping[str, Any] = field(default_factory=dict)


@cache
def history(framework: str) -> History | None:
    """The shipped history of a framework, or None for one that has none; AtlasError for data that cannot be used."""
    if framework not in FRAMEWORKS:
        return None
    data, lineage = _load(f"{framework}.json"), _load(f"{framework}.lineage.json")
    try:
        return _history(framework, data, lineage)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise AtlasError(f"the atlas of {framework} is damaged: {error!r}") from error


def _load(name: str) -> Mapping[str, Any]:
    try:
        data = json.loads((resources.files("probes.atlas") / "data" / name).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise AtlasError(f"the atlas file {name} cannot be read: {error}") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise AtlasError(f"the atlas file {name} is of another format than {FORMAT}; install a matching release")
    return data


def _history(framework: str, data: Mapping[str, Any], lineage: Mapping[str, Any]) -> History:
    having: dict[str, set[int]] = {}
    dests: dict[str, str] = {}
    for option in data["options"]:
        for name in option["names"]:
            dests[name] = option["dest"]
            for first, last in option["in"]:
                having.setdefault(name, set()).update(range(first, last + 1))
    return History(
        framework=framework,
        command=data["command"],
        releases=tuple(data["releases"]),
        options=tuple(data["options"]),
        having={name: tuple(sorted(places)) for name, places in having.items()},
        dests=dests,
        gone={name: (item["last"], item["without"]) for name, item in lineage["gone"].items()},
        came=dict(lineage["came"]),
        successors={name: Successor(item["flag"], item.get("key", ""), item.get("seen", "")) for name, item in lineage["successors"].items()},
        commands={name: tuple(flags) for name, flags in lineage["commands"].items()},
        config_keys=data.get("config_keys", {}),
        subcommands=data.get("subcommands", {}),
    )


def release_key(release: str) -> tuple[int, ...]:
    """A release as numbers, for ordering: a candidate before its release, a post release after it, what follows a ``+`` left out; empty for none."""
    plain = release.partition("+")[0].lstrip("v")
    numbers = [int(number) for number in re.findall(r"\d+", re.split(r"[a-z]", plain)[0])]
    if not numbers:
        return ()
    post, early = re.search(r"post(\d+)", plain), re.search(r"rc|dev|a\d|b\d", plain)
    return (*[*numbers, 0, 0, 0][:4], -1 if early else int(post[1]) if post else 0)


def takes(framework: str, release: str, flag: str) -> bool | None:
    """Whether `release` takes `flag`; None where the shipped data cannot tell (between two recorded releases that differ, or before the first)."""
    known = history(framework)
    if known is None or not release:
        return None
    low, high = _around(known, release)
    if low is not None and low == high:
        return low in known.having.get(flag, ())
    told = _told(known, release, flag)
    if told is not None:
        return told
    places = known.having.get(flag, ())
    sides = {side in places for side in (low, high) if side is not None}
    return sides.pop() if low is not None and high is not None and len(sides) == 1 else None


def _told(known: History, release: str, flag: str) -> bool | None:
    """What the curated lineage says outright."""
    key = release_key(release)
    if flag in known.gone and release_key(known.gone[flag][1]) <= key and not known.having.get(flag, (0,))[-1] > _place(known, known.gone[flag][1]):
        return False
    if flag in known.came and key < release_key(known.came[flag]):
        return False
    return None


def _place(known: History, release: str) -> int:
    """How many recorded releases are older than `release`, less one: the index of the newest of them."""
    return sum(release_key(other) < release_key(release) for other in known.releases) - 1


def _around(known: History, release: str) -> tuple[int | None, int | None]:
    """The indices of the recorded releases next below and above `release`; the same twice for a recorded one."""
    key = release_key(release)
    below = [index for index, other in enumerate(known.releases) if release_key(other) <= key]
    above = [index for index, other in enumerate(known.releases) if release_key(other) >= key]
    return (below[-1] if below else None), (above[0] if above else None)


def table_for(framework: str, release: str) -> FlagTable | None:
    """The flags of `release` as far as the shipped data tells: exactly for a recorded one.

    Between two recorded releases, options that both have alike are certain, and every other that either has is there, marked uncertain; newer than
    all or older than all: everything is uncertain. None for a framework or a release that is not known.
    """
    known = history(framework)
    if known is None or not release_key(release):
        return None
    low, high = _around(known, release)
    places = [place for place in (low, high) if place is not None]
    if not places:
        return None
    exact = len(places) == 2 and low == high
    sure = exact or len(places) == 2
    nearest = known.releases[places[0]]
    flags = _merged(known, places, sure)
    return FlagTable(
        framework=framework,
        release=release,
        command=known.command,
        flags=flags,
        subcommands=tuple(known.subcommands.get(release, ())),
        config_keys=_config_keys(known, release) if exact else {},
        source=f"atlas: {release}" if exact else f"atlas: near {nearest}",
    )


def _merged(known: History, places: Sequence[int], sure: bool) -> tuple[Flag, ...]:
    found: list[Flag] = []
    taken: set[str] = set()
    for place in dict.fromkeys(places):
        for option in known.options:
            if not any(first <= place <= last for first, last in option["in"]):
                continue
            names = tuple(option["names"])
            if taken & set(names) and names:
                continue
            taken.update(names)
            everywhere = all(any(first <= other <= last for first, last in option["in"]) for other in places)
            found.append(_flag(option, uncertain=not (sure and everywhere)))
    return tuple(found)


def _flag(option: Mapping[str, Any], *, uncertain: bool) -> Flag:
    choices = option.get("choices")
    return Flag(
        names=tuple(option["names"]),
        dest=option["dest"],
        type=option.get("type", ""),
        choices=None if choices is None else tuple(choices),
        nargs=option.get("nargs", 0 if option.get("switch") else None),
        takes_value=not option.get("switch", False),
        json_config=option.get("json_config", ""),
        required=option.get("required", False),
        nullable=option.get("nullable", False),
        environment=option.get("environment", ""),
        uncertain=uncertain,
    )


def _config_keys(known: History, release: str) -> dict[str, dict[str, tuple[str, ...] | None]]:
    keys = known.config_keys.get(release, {})
    return {name: {key: None if values is None else tuple(values) for key, values in inner.items()} for name, inner in keys.items()}
