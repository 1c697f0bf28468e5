"""What ``nostart flags`` prints for people: the table of a release, and the story of one flag."""

import json
import re

from msgspec import Struct

from probes.atlas.converters import config_class, flag_name, refusal
from probes.atlas.history import History
from probes.atlas.questions import (
    Lifetime,
    Replacement,
    ValueForm,
    canonical,
    elsewhere,
    form_of,
    forms,
    key_lifetime,
    lifetime,
    pairs_until,
    value_lifetime,
)
from probes.atlas.table import Flag, FlagTable
from transcripts.records import Sign

_WIDTH = 48
_WIDE = 110
_KIN = {
    "near": "did you mean {near}?",
    "single-dash": "it is {near}, with two dashes",
    "underscore": "it is {near} there",
    "earlier": "an earlier release had it, up to {last}",
    "successor": "an earlier release had it, up to {last}",
    "later": "it comes with {first}",
    "api-only": "it is a parameter of the Python API and no flag",
    "config-key": "it is a key of {config}: {config}.{key}",
    "foreign": "{framework} has it",
    "other-command": "{command} has it",
    "nowhere": "nothing like it is known",
}
_PAIRS = re.compile(r"\w+=[\w.]+(,\w+=[\w.]+)*")


class Asked(Struct, frozen=True, kw_only=True):
    """A question about one flag, and what is known: `taken` None where it cannot be told."""

    table: FlagTable
    flag: str
    key: str
    value: str
    taken: bool | None
    option: Flag | None
    related: Sign | None
    life: Lifetime
    instead: Replacement | None
    form: ValueForm | None
    nearest: tuple[str, ...]
    known: History | None


def listing(table: FlagTable) -> str:
    """The table of a release: one line an option."""
    rows = [(", ".join(flag.names) or f"({flag.dest})", _remarks(flag)) for flag in table.flags]
    width = min(max((len(names) for names, _ in rows), default=0), _WIDTH)
    head = f"{table.framework} {table.release}: {table.command or 'serve'}, {len(rows)} options ({table.source})"
    return "\n".join([head, *(f"  {names:{width}}  {remarks}".rstrip() for names, remarks in rows)])


def _remarks(flag: Flag) -> str:
    default = "" if flag.default in (None, False, "") else f"  [default: {_short(json.dumps(flag.default, ensure_ascii=False))}]"
    words = [_short(form_of(flag)) + default, "required" * flag.required, "deprecated" * bool(flag.deprecated), "uncertain" * flag.uncertain]
    return "; ".join(word for word in words if word)


def _short(text: str) -> str:
    return text if len(text) <= _WIDE else text[: _WIDE - 1] + "…"


def story(asked: Asked) -> str:
    """What is known of one flag."""
    rows = [*_releases(asked), *_value(asked), *_instead(asked), *_key(asked), *_others(asked)]
    return "\n".join([_verdict(asked), *(f"  {name:10} {text}" for name, text in rows if text)])


def _verdict(asked: Asked) -> str:
    release = f"{asked.table.framework} {asked.table.release}".rstrip()
    source = f"({asked.table.source})"
    if asked.taken is None:
        return f"{release}: whether it takes {asked.flag} cannot be told {source}"
    if asked.taken:
        names = ", ".join(asked.option.names) if asked.option else asked.flag
        short = asked.option is not None and asked.flag not in asked.option.names
        return f"{release} takes {asked.flag}{f', short for {flag_name(asked.option)}' if short and asked.option else ''} {source}" + (
            f"\n  {'names':10} {names}" if names != asked.flag else ""
        )
    why = _KIN[asked.related.value].format_map(_Known(asked.related.parameters)) if asked.related else "nothing like it is known"
    return f"{release} does not take {asked.flag}: {why} {source}"


class _Known(dict[str, str]):
    """The parameters of a sign; one that it does not have reads as an ellipsis."""

    def __missing__(self, key: str) -> str:
        return "…"


def _releases(asked: Asked) -> list[tuple[str, str]]:
    life = asked.life
    if not life.spans:
        return [("releases", f"none from {life.oldest} to {life.newest}")] if life.oldest else []
    return [("releases", spans(life)), ("timeline", timeline(life, asked.known))]


def spans(life: Lifetime) -> str:
    """The releases with it, in words: ``0.8.2 to 0.33.0 (the newest)``, ``0.2.0 to 0.17.1, gone since 0.18.0``."""
    told: list[str] = []
    for (first, last), without in zip(life.spans, life.without, strict=True):
        until = f"{first} to {last}" if first != last else f"{first} alone"
        told.append(f"{until}, gone since {without}" if without else f"since {first}, up to the newest, {last}")
    return "; ".join(told)


def timeline(life: Lifetime, known: History | None) -> str:
    """A line of releases, one mark a minor release (all ━, some ╌, none ·), between the oldest and the newest."""
    if known is None:
        return ""
    places = {place for first, last in life.spans for place in range(known.releases.index(first), known.releases.index(last) + 1)}
    minors: dict[tuple[int, ...], list[bool]] = {}
    wide = len({key[:2] for key in known.keys}) < 8
    for place, key in enumerate(known.keys):
        minors.setdefault(key[: 3 if wide else 2], []).append(place in places)
    marks = "".join("━" if all(taken) else "╌" if any(taken) else "·" for taken in minors.values())
    return f"{known.releases[0]} {marks} {known.releases[-1]}"


def _value(asked: Asked) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    if asked.option is not None and asked.taken:
        since = f", since {asked.form.since}" if asked.form else ""
        rows.append(("value", form_of(asked.option) + since))
    elif asked.form is not None:
        rows.append(("value", f"{asked.form.form} (as of {asked.life.last})"))
    before = forms(asked.table.framework, asked.flag)
    rows += [("before", f"{form.form}, since {form.since}") for form in reversed(before) if asked.form is None or form.form != asked.form.form]
    pairs = "" if asked.option is not None and asked.option.pairs else pairs_until(asked.table.framework, asked.flag)
    if pairs:
        rows.append(("pairs", f"KEY=NUMBER pairs were taken as well, up to {pairs}"))
    if asked.option is not None and asked.option.deprecated:
        rows.append(("deprecated", _short(asked.option.deprecated)))
    if asked.value and asked.option is not None and not asked.key:
        refused = refusal(asked.option, asked.value, asked.table) if asked.option.takes_value else None
        rows.append(("given", f"{refused.text}{_written(asked)}" if refused else f"{asked.value!r} is taken, as far as the parser looks"))
    return rows


def _written(asked: Asked) -> str:
    """The same setting in the form that is wanted, for ``KEY=VALUE`` where JSON is."""
    if asked.option is None or not asked.option.json_config or not _PAIRS.fullmatch(asked.value):
        return ""
    pairs = dict(pair.split("=") for pair in asked.value.split(","))
    meant = json.dumps({key: int(text) if text.isdigit() else text for key, text in pairs.items()})
    dotted = " ".join(f"{asked.flag}.{key} {text}" for key, text in pairs.items())
    return f"; write {asked.flag} '{meant}', or {dotted}"


def _instead(asked: Asked) -> list[tuple[str, str]]:
    found = asked.instead
    if found is None:
        return [("instead", "nothing is known to replace it")] if asked.taken is False and asked.life.spans and asked.life.without[-1] else []
    key = f", key {found.key!r} (or {found.flag}.{found.key})" if found.key else ""
    since = lifetime(asked.table.framework, found.flag).first
    return [("instead", f"{found.flag}{key}, there since {since}; by {found.how}, seen in {found.seen}")]


def _key(asked: Asked) -> list[tuple[str, str]]:
    if asked.option is None:
        return []
    config = config_class(asked.option, asked.table)
    keys = asked.table.config_keys.get(config, {})
    if not asked.key:
        return [("keys", ", ".join(keys))] if keys else []
    life = key_lifetime(asked.table.framework, config, asked.key)
    rows = [("key", f"{asked.key}: {spans(life) if life.spans else f'{config or asked.flag} has no such key in any release'}")]
    values = keys.get(asked.key)
    if values:
        rows.append(("values", ", ".join(values)))
    if asked.value and values is not None:
        taken = value_lifetime(asked.table.framework, config, asked.key, asked.value)
        rows.append(("given", f"{asked.value!r}: {spans(taken) if taken.spans else 'no release takes it'}"))
    return rows


def _others(asked: Asked) -> list[tuple[str, str]]:
    if asked.taken:
        return []
    framework = asked.table.framework
    others = [f"{other.framework} ({other.first} to {other.last})" for other in elsewhere(framework, canonical(framework, asked.flag))]
    near = ", ".join(asked.nearest) if asked.taken is False else ""
    return [("nearest", near), ("also in", ", ".join(others))]
