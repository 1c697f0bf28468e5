"""``nostart flags``: which flags a framework's release, or an installed copy, takes."""

import importlib
from pathlib import Path
from typing import Any

import click
import msgspec

from probes.atlas.history import FRAMEWORKS, History, history, table_for
from probes.atlas.kinship import kin
from probes.atlas.table import Flag, FlagTable
from transcripts.errors import UsageError
from transcripts.records import Sign

SCHEMA = "nostart-flags/1"
TAKEN, NOT_TAKEN, CANNOT_TELL = 0, 10, 11
_PACKAGES = {"litellm": "litellm"}

EPILOG = """\b
Examples:
  nostart flags vllm --speculative-config
  nostart flags vllm --swap-space --release 0.20.1
  nostart flags vllm --python /opt/venv/bin/python
  nostart flags sglang --json

\b
Exit status: 0 the release takes it (or a list was asked for), 10 it does not, 11 cannot be told, 2 bad input."""

_KIN = {
    "near": "near {near}",
    "single-dash": "it is {near}, with two dashes",
    "underscore": "it is {near} there",
    "earlier": "an earlier release had it, up to {last}; nothing replaces it",
    "successor": "an earlier release had it, up to {last}; now {successor}",
    "later": "it comes with {first}",
    "api-only": "it is a parameter of the Python API and no flag",
    "config-key": "it is a key of {config}",
    "foreign": "{framework} has it",
    "other-command": "{command} has it",
    "nowhere": "nothing like it is known",
}


@click.command(context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"], "max_content_width": 110}, epilog=EPILOG)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="FRAMEWORK [FLAG]")
@click.option("--release", default="", metavar="V", help="The release asked about; default: the newest that is recorded.")
@click.option("--python", type=click.Path(path_type=Path), metavar="PATH", help="Read an installed copy: the Python of its environment.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(words: tuple[str, ...], release: str, python: Path | None, as_json: bool) -> int:
    """Tell which flags a release of FRAMEWORK takes, from the shipped atlas or from the source of an installed copy (nothing of it is run).

    With FLAG: whether it is taken, since when, and what it is related to if not. Any word with a dash that is no option of this command is the FLAG.
    """
    framework, flag = _asked(words)
    known = history(framework)
    table = _installed(framework, python) if python else table_for(framework, release or (known.releases[-1] if known else ""))
    if table is None:
        raise UsageError(f"nothing is recorded of {framework} {release}".rstrip())
    if not flag:
        click.echo(_json(_listing(table)) if as_json else _text_of_all(table))
        return TAKEN
    signs = kin(flag, table=table, framework=framework, release=table.release, command=table.command)
    registered = next((sign.value for sign in signs if sign.variable == "registered"), "")
    related = next((sign for sign in signs if sign.variable == "kin"), None)
    option = table.find(flag)
    taken = {"yes": True, "no": False}.get(registered)
    if as_json:
        click.echo(_json(_answer(table, flag, taken, option, related, known)))
    else:
        click.echo(_text_of_one(table, flag, taken, option, related, known))
    return CANNOT_TELL if taken is None else TAKEN if taken else NOT_TAKEN


def _asked(words: tuple[str, ...]) -> tuple[str, str]:
    """The framework and the flag in the words, in either order.

    Raises:
        UsageError: no framework, one that is not known, or more words than that.
    """
    plain = [word for word in words if not word.startswith("-")]
    dashed = [word.partition("=")[0] for word in words if word.startswith("-")]
    if len(plain) != 1 or len(dashed) > 1:
        raise UsageError("give one framework and at most one flag, such as: nostart flags vllm --speculative-config")
    if plain[0].lower() not in FRAMEWORKS:
        raise UsageError(f"nothing is recorded of a framework {plain[0]!r}; known are {', '.join(FRAMEWORKS)}")
    return plain[0].lower(), dashed[0] if dashed else ""


def _installed(framework: str, python: Path) -> FlagTable:
    """The flags of the copy in the environment of an interpreter, read from its source.

    Raises:
        UsageError: there is no such copy.
    """
    prefix = python.absolute().parent.parent
    package = _PACKAGES.get(framework, framework)
    for root in sorted(prefix.glob("lib*/python3*/*-packages")):
        if (root / package).is_dir():
            # By name: only this question needs the reader of sources, and the others are to cost no more than a look at a table.
            table: FlagTable = importlib.import_module("probes.atlas.source").read_flags(root, package)
            return table
    raise UsageError(f"no {framework} in the environment of {python}: looked in {prefix}/lib/python3*/site-packages")


def _listing(table: FlagTable) -> dict[str, Any]:
    return {**_head(table), "flags": [msgspec.to_builtins(flag) for flag in table.flags]}


def _head(table: FlagTable) -> dict[str, Any]:
    return {"schema": SCHEMA, "framework": table.framework, "release": table.release, "command": table.command, "source": table.source}


def _answer(table: FlagTable, flag: str, taken: bool | None, option: Flag | None, related: Sign | None, known: History | None) -> dict[str, Any]:
    return {
        **_head(table),
        "flag": flag,
        "taken": taken,
        "option": msgspec.to_builtins(option) if option else None,
        "kin": {"value": related.value, "parameters": related.parameters} if related else None,
        "recorded": _recorded(known, flag),
    }


def _recorded(known: History | None, flag: str) -> list[str]:
    """The recorded releases that take the flag, oldest first."""
    return [known.releases[place] for place in known.having.get(flag, ())] if known else []


def _text_of_all(table: FlagTable) -> str:
    rows = [f"{', '.join(flag.names) or flag.dest}{_value(flag)}" for flag in table.flags]
    return "\n".join([f"{table.framework} {table.release}, {len(rows)} options ({table.source})", *(f"  {row}" for row in rows)])


def _text_of_one(table: FlagTable, flag: str, taken: bool | None, option: Flag | None, related: Sign | None, known: History | None) -> str:
    release = f"{table.framework} {table.release}"
    if taken is None:
        said = f"{release}: whether it takes {flag} cannot be told ({table.source})"
    elif taken:
        said = f"{release} takes {', '.join(option.names) + _value(option) if option else flag} ({table.source})"
    else:
        told = _KIN.get(related.value, related.value).format_map(_Known(related.parameters)) if related else "nothing like it is known"
        said = f"{release} does not take {flag}: {told} ({table.source})"
    releases = _recorded(known, flag)
    return said + (f"\nrecorded in {releases[0]} to {releases[-1]} ({len(releases)} releases)" if releases else "")


class _Known(dict[str, str]):
    """The parameters of a sign; one that it does not have reads as an ellipsis."""

    def __missing__(self, key: str) -> str:
        return "…"


def _value(flag: Flag) -> str:
    if not flag.takes_value:
        return ""
    if flag.choices:
        return " {" + ",".join(flag.choices) + "}"
    return " " + (f"JSON of {flag.json_config}" if flag.json_config else (flag.type or "value").upper())


def _json(value: dict[str, Any]) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
