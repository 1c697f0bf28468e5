"""What a flag is related to that a parser does not know: decided in a fixed order, the nearest kinship only. Pure but for the shipped data.

The order: exact, underscore for dash, one dash for two, a unique prefix (the parser accepts it), an earlier release had it, a later one has it, a
field of the Python API, a key of a JSON configuration, another command's, another framework's, another program's, and only then the spelling.
"""

from collections.abc import Iterable

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from probes.atlas.history import FRAMEWORKS, History, history, release_key, table_for, takes
from probes.atlas.programs import program_of
from probes.atlas.table import Flag, FlagTable
from transcripts.records import Sign

_CLICK = frozenset({"litellm"})
_LIKENESS = 0.76
_MARGIN = 0.02
_REORDERED = 96.0


def kin(flag: str, *, table: FlagTable | None, framework: str, release: str, command: str = "") -> tuple[Sign, ...]:
    """The signs ``registered`` (where a table or the atlas knows) and ``kin`` about `flag` (as typed, without its value).

    `table` is that of the installed release (None: the atlas' for `release`, where it has one). A registered flag, an abbreviation that the parser
    accepts included, has no kin.
    """
    name = flag.partition("=")[0]
    if not name.startswith("-"):
        return ()
    given = table if table is not None else table_for(framework, release) if release else None
    place = table.release if table is not None and table.release else release
    whole = name.partition(".")[0] if framework == "vllm" else name
    plain = _dashed(whole) if framework == "vllm" else whole
    known = _registered(plain, given, framework)
    if known:
        return (_sign("registered", "yes", flag, source=_source(table)),)
    if known is None:
        # An uncertain option of the table, or an ambiguous prefix: nothing can be said.
        return ()
    told = () if given is None else (_sign("registered", "no", flag, source=_source(table)),)
    return (*told, _nearest_kin(flag, plain, given, framework, place, command))


def nearest(flag: str, table: FlagTable) -> str:
    """The long option of `table` whose spelling is nearest to `flag`; empty where none is near."""
    return _near(flag, (name for option in table.flags for name in option.names if name.startswith("--")))


def _source(table: FlagTable | None) -> str:
    return "atlas" if table is None else "check"


def _sign(variable: str, value: str, flag: str, *, source: str = "atlas", **parameters: str) -> Sign:
    return Sign(variable=variable, value=value, parameters={"flag": flag, **parameters}, source=source)


def _dashed(name: str) -> str:
    return name[:2] + name[2:].replace("_", "-") if name.startswith("--") else name


def _registered(name: str, table: FlagTable | None, framework: str) -> bool | None:
    """True: the parser takes it; False: it does not; None: cannot be told."""
    if table is None:
        return False
    option = table.find(name)
    if option is not None:
        return None if option.uncertain else True
    if framework in _CLICK or not name.startswith("--"):
        return False
    matches = [(other, found) for found in table.flags for other in found.names if other.startswith(name)]
    if len({other for other, _ in matches}) == 1:
        return None if matches[0][1].uncertain else True
    return None if matches else False


def _nearest_kin(flag: str, name: str, table: FlagTable | None, framework: str, release: str, command: str) -> Sign:
    names = {other: option for option in (table.flags if table else ()) for other in option.names}
    if name.startswith("--") and name[1:] in names:
        return _sign("kin", "near", flag, near=name[1:])
    for value, near in (("underscore", _swapped(name, names)), ("single-dash", _single(name, names))):
        if near:
            return _sign("kin", value, flag, near=near)
    return (
        _lineage(flag, name, names, framework, release)
        or _api(flag, name, table)
        or _other_command(flag, name, framework, command)
        or _foreign(flag, name, framework)
        or _elsewhere(flag)
        or _spelling(flag, name, names, framework)
    )


def _swapped(name: str, names: dict[str, Flag]) -> str:
    if not name.startswith("--"):
        return ""
    body = name[2:]
    return next((other for other in ("--" + body.replace("_", "-"), "--" + body.replace("-", "_")) if other != name and other in names), "")


def _single(name: str, names: dict[str, Flag]) -> str:
    if name.startswith("--") or len(name) < 4:
        return ""
    body = name.lstrip("-")
    tried = ("--" + body, "--" + body.replace("_", "-"), "--" + body.replace("-", "_"))
    return next((other for other in tried if other in names), "")


def _lineage(flag: str, name: str, names: dict[str, Flag], framework: str, release: str) -> Sign | None:
    """Whether another release of the same framework has the flag."""
    known = history(framework)
    if known is None or (name not in known.having and name not in known.gone):
        return None
    earlier, last = _earlier(known, name, release)
    if earlier:
        return _gone(flag, name, names, known, last)
    places = known.having.get(name, ())
    if places and release and release_key(known.releases[places[-1]]) > release_key(release):
        later = [known.releases[index] for index in places if release_key(known.releases[index]) > release_key(release)]
        return _sign("kin", "later", flag, first=known.came.get(name, later[0]))
    if not release and places and places[0] > 0 and places[-1] == len(known.releases) - 1:
        return _sign("kin", "later", flag, first=known.came.get(name, known.releases[places[0]]))
    return None


def _earlier(known: History, name: str, release: str) -> tuple[bool, str]:
    """Whether an earlier release had the flag, and the last that did."""
    places = known.having.get(name, ())
    if not release:
        absent = name in known.gone or (bool(places) and places[-1] < len(known.releases) - 1)
        return absent, known.gone[name][0] if name in known.gone else known.releases[places[-1]] if places else ""
    key = release_key(release)
    if name in known.gone and release_key(known.gone[name][1]) <= key:
        return True, known.gone[name][0]
    before = [known.releases[index] for index in places if release_key(known.releases[index]) < key]
    if not before or takes(known.framework, release, name):
        return False, ""
    return True, before[-1]


def _gone(flag: str, name: str, names: dict[str, Flag], known: History, last: str) -> Sign:
    successor = known.successors.get(name)
    if successor is not None and (not names or successor.flag in names):
        key = {"key": successor.key} if successor.key else {}
        return _sign("kin", "successor", flag, successor=successor.flag, last=last, seen=successor.seen, **key)
    dest = known.dests.get(name, "")
    same = (
        next((other for other, option in names.items() if option.dest == dest and other.startswith("--") and option.takes_value), "") if dest else ""
    )
    if same:
        return _sign("kin", "successor", flag, successor=same, last=last)
    return _sign("kin", "earlier", flag, last=last)


def _api(flag: str, name: str, table: FlagTable | None) -> Sign | None:
    if table is None:
        return None
    key = name.lstrip("-").replace("-", "_")
    if key in table.api_only:
        return _sign("kin", "api-only", flag, parameter=key)
    holders = [config for config, keys in table.config_keys.items() if key in keys]
    if len(holders) != 1:
        return None
    carrier = next((n for option in table.flags if _config(option) == holders[0] for n in option.names if n.startswith("--")), "")
    return _sign("kin", "config-key", flag, config=carrier or holders[0], key=key)


def _config(option: Flag) -> str:
    if option.json_config not in ("", "dict"):
        return option.json_config
    return "".join(part.capitalize() for part in option.dest.split("_")) if option.json_config else ""


def _other_command(flag: str, name: str, framework: str, command: str) -> Sign | None:
    known = history(framework)
    for other, flags in (known.commands if known else {}).items():
        if other != command and name in flags:
            return _sign("kin", "other-command", flag, command=other)
    return None


def _foreign(flag: str, name: str, framework: str) -> Sign | None:
    for other in FRAMEWORKS:
        known = history(other) if other != framework else None
        if known is not None and (name in known.having or name in known.gone):
            last = known.having.get(name, ())
            return _sign("kin", "foreign", flag, framework=other, release=known.releases[last[-1]] if last else known.gone[name][0])
    return None


def _elsewhere(flag: str) -> Sign | None:
    program = program_of(flag)
    return _sign("kin", "foreign", flag, framework=program) if program else None


def _spelling(flag: str, name: str, names: dict[str, Flag], framework: str) -> Sign:
    pool: Iterable[str] = names
    if not names:
        known = history(framework)
        pool = known.having if known else ()
    near = _near(name, (other for other in pool if other.startswith("--")))
    return _sign("kin", "near", flag, near=near) if near else _sign("kin", "nowhere", flag)


def _near(flag: str, names: Iterable[str]) -> str:
    """The nearest by edits (with transpositions), or by the same words in another order; ``--no-`` forms only for ``--no-``."""
    body = flag.lstrip("-").replace("_", "-")
    best, likeness, second = "", 0.0, 0.0
    for other in names:
        if other.startswith("--no-") != flag.startswith("--no-"):
            continue
        plain = other[2:].replace("_", "-")
        score = float(OSA.normalized_similarity(body, plain))
        if fuzz.token_sort_ratio(body.replace("-", " "), plain.replace("-", " ")) >= _REORDERED:
            score = max(score, 0.97)
        if _same_words(body, plain):
            score = max(score, 0.86)
        if score > likeness:
            best, likeness, second = other, score, likeness
        elif score > second:
            second = score
    # Short names are near to everything; two that are equally near are no help.
    limit = _LIKENESS if len(body) > 5 else 0.6 if len(body) > 3 else 0.99
    return best if (likeness >= limit and likeness - second >= _MARGIN) or likeness >= 0.9 else ""


def _same_words(left: str, right: str) -> bool:
    """Whether both have the same words in the same order, some of them written out or cut short."""
    ours, theirs = left.split("-"), right.split("-")
    return len(ours) == len(theirs) > 1 and all(a == b or (a[:3] == b[:3] and len(a) > 2 and len(b) > 2) for a, b in zip(ours, theirs, strict=True))
