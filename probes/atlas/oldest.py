"""Which releases take all of a command line: each release's table is walked as its parser would. Pure but for the shipped data."""

from msgspec import Struct, structs

from probes.atlas.history import history, release_key, table_for
from probes.atlas.questions import Lifetime, canonical, lifetime_of
from probes.atlas.walk import walk
from probes.frameworks.catalogue import by_name, recognise
from probes.frameworks.framework import Framework

_UNDERSCORES = "0.5.1"
_DOTTED = "0.9.0"


class Taking(Struct, frozen=True, kw_only=True):
    """The releases that take the command line; where none does, `refused` is what the newest says against it."""

    life: Lifetime
    refused: str = ""


def rules_at(framework: Framework, release: str) -> Framework:
    """The framework with the leniency that its parser had in `release`: vLLM takes underscores since 0.5.1, dotted JSON since 0.9.0."""
    if framework.name != "vllm" or not release_key(release):
        return framework
    rules = structs.replace(
        framework.rules,
        underscores=release_key(release) >= release_key(_UNDERSCORES),
        dotted_json=release_key(release) >= release_key(_DOTTED),
    )
    return structs.replace(framework, rules=rules)


def releases_taking(framework: str, argv: tuple[str, ...]) -> Taking:
    """The releases of the atlas whose parser takes `argv` (a whole command line, or the options alone) without an error."""
    known, described = history(framework), by_name(framework)
    if known is None or described is None:
        return Taking(life=Lifetime(spans=(), oldest="", newest=""))
    found = recognise(argv)
    words = argv[found[1].options :] if found and found[0].name == framework else argv
    flags = [canonical(framework, word) for word in words if word.startswith("--") and len(word) > 2]
    places = [set(known.having[flag]) for flag in flags if flag in known.having]
    likely = sorted(set(range(len(known.releases))).intersection(*places))
    refused = ""
    taking: list[int] = []
    for place in [*likely, *([] if likely and likely[-1] == len(known.releases) - 1 else [len(known.releases) - 1])]:
        release = known.releases[place]
        table = table_for(framework, release)
        faults = walk(words, table, rules_at(described, release)) if table else ()
        if not faults and place in likely:
            taking.append(place)
        refused = f"{release}: {faults[0].text}" if faults else refused
    return Taking(life=lifetime_of(known, taking), refused="" if taking else refused)
