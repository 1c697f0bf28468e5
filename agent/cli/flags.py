"""``nostart flags``: which flags a framework's release, or an installed copy, takes, and what became of a flag."""

import importlib
from pathlib import Path
from typing import Any, NamedTuple

import click
import msgspec

from agent.cli.flag_text import Asked, listing, story
from probes.atlas.history import FRAMEWORKS, History, history, open_history, table_for, trouble
from probes.atlas.questions import canonical, lifetime, replacement, value_form
from probes.atlas.table import Flag, FlagTable
from transcripts.errors import UsageError
from transcripts.records import Sign

ANSWERED, CANNOT_TELL = 0, 11
FIELDS = ("names", "dest", "type", "choices", "nargs", "default", "takes_value", "json_config", "required", "deprecated", "group", "uncertain")
"""What the JSON document says of an option."""

_CONTROLS = {"vllm": "--tensor-parallel-size", "sglang": "--tensor-parallel-size", "litellm": "--config"}
"""An option that every release has: where it is not found, the reading failed."""

EPILOG = """\b
Examples:
  nostart flags vllm --speculative-config
  nostart flags vllm --swap-space --release 0.20.1
  nostart flags vllm --limit-mm-per-prompt image=4
  nostart flags vllm --speculative-config.method mtp
  nostart flags vllm --python /opt/venv/bin/python
  nostart flags sglang --json
  nostart flags vllm --oldest -- vllm serve M --speculative-config '{"method": "mtp"}'

\b
Exit status: 0 answered, 11 cannot be told, 2 bad input."""


@click.command(context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"], "max_content_width": 110}, epilog=EPILOG)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="FRAMEWORK [FLAG [VALUE]]")
@click.option("--release", default="", metavar="V", help="The release asked about; default: the newest in the atlas.")
@click.option("--python", type=click.Path(path_type=Path), metavar="PATH", help="Read an installed copy, by its Python or its folder.")
@click.option("--oldest", is_flag=True, help="The words after -- are a command line: which releases take all of it?")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def command(words: tuple[str, ...], release: str, python: Path | None, oldest: bool, as_json: bool) -> int:
    """Tell which flags a release of FRAMEWORK takes, from the shipped atlas or from the source of an installed copy (nothing of it is run).

    With FLAG: when it came and went, what replaced it, what value it takes and since when. Any word with a dash that is no option of this command
    is the FLAG; --x.KEY asks about the key of a JSON value.
    """
    if oldest:
        return _oldest(words, as_json)
    framework, flag, value = _asked(words)
    known = history(framework) if python else open_history(framework)
    if known is None:
        click.echo(f"nostart: {trouble(framework)}; going on without it", err=True)
    table = _installed(framework, python) if python else table_for(framework, release or (known.releases[-1] if known else ""))
    if table is None:
        raise UsageError(f"{framework} {release}: a release is a number such as {known.releases[-1] if known else '1.0'}")
    if not flag:
        click.echo(_json(document(table, table.flags)) if as_json else listing(table))
        return ANSWERED
    asked = ask(table, flag, value, known, "" if python else release)
    click.echo(_json(_answer(asked)) if as_json else story(asked))
    return CANNOT_TELL if asked.taken is None else ANSWERED


def _asked(words: tuple[str, ...]) -> tuple[str, str, str]:
    """The framework, the flag and the value in the words; the framework may come behind the flag.

    Raises:
        UsageError: no framework, one that is not known, or more words than that.
    """
    place = next((place for place, word in enumerate(words) if word.lower() in FRAMEWORKS), None)
    rest = [word for at, word in enumerate(words) if at != place]
    if place is None:
        stray = next((word for word in words if not word.startswith("-")), "")
        raise UsageError(
            f"nothing is recorded of a framework {stray!r}; known are {', '.join(FRAMEWORKS)}"
            if stray
            else "give one framework and at most one flag, such as: nostart flags vllm --speculative-config"
        )
    if len(rest) > 2 or (rest and not rest[0].startswith("-")) or (len(rest) == 2 and "=" in rest[0]):
        raise UsageError(f"give one framework and at most one flag with its value, such as: nostart flags {words[place]} --speculative-config")
    flag, _, attached = rest[0].partition("=") if rest else ("", "", "")
    return words[place].lower(), flag, rest[1] if len(rest) == 2 else attached


def _installed(framework: str, python: Path) -> FlagTable:
    """The flags of the copy in the environment of an interpreter (or in a folder), read from its source.

    Raises:
        UsageError: there is no such copy, or its source cannot be read.
    """
    prefix = python.absolute().parent.parent
    places = [python, *sorted(python.glob("lib*/python3*/*-packages"))] if python.is_dir() else sorted(prefix.glob("lib*/python3*/*-packages"))
    for root in places:
        if (root / framework).is_dir():
            # By name: only this question needs the reader of sources, and the others are to cost no more than a look at a table.
            table: FlagTable = importlib.import_module("probes.atlas.source").read_flags(root, framework)
            if table.find(_CONTROLS[framework]) is None:
                raise UsageError(f"the source of {framework} in {root / framework} could not be followed: not even {_CONTROLS[framework]} was found")
            return table
    where = str(python) if python.is_dir() else f"{prefix}/lib/python3*/site-packages"
    raise UsageError(f"no {framework} in the environment of {python}: looked in {where}")


def ask(table: FlagTable, flag: str, value: str, known: History | None, release: str) -> Asked:
    """Everything that the table and the atlas tell of `flag` (as typed, perhaps with the key of a JSON value) and of `value`."""
    name = canonical(table.framework, flag)
    key = flag.partition(".")[2] if table.framework == "vllm" else ""
    option = table.find(name)
    missed = _missed(table, flag, name, value) if option is None else _HELD
    return Asked(
        table=table,
        flag=name,
        key=key.rstrip("+").partition(".")[0],
        value=value,
        taken=missed.taken if option is None or not option.uncertain else None,
        option=option or missed.option,
        related=missed.related,
        life=lifetime(table.framework, name),
        instead=replacement(table.framework, name, release),
        form=value_form(table.framework, name, release) or value_form(table.framework, name),
        nearest=missed.nearest,
        known=known,
    )


class Missed(NamedTuple):
    """Of a name that no option of a release has: whether its parser takes it all the same, for which option, and what it is near to."""

    taken: bool | None
    option: Flag | None = None
    related: Sign | None = None
    nearest: tuple[str, ...] = ()


_HELD = Missed(True)


def _missed(table: FlagTable, flag: str, name: str, value: str) -> Missed:
    """What is known of such a name."""
    # By name: to compare spellings costs as much as all the rest of a question, and most ask about a flag that is there.
    kin = importlib.import_module("probes.atlas.kinship").kin
    nearest = importlib.import_module("probes.atlas.nearness").nearest_flags(name, table, value)
    signs: tuple[Sign, ...] = kin(flag, table=table, framework=table.framework, release=table.release, command=table.command)
    told = next((sign.value for sign in signs if sign.variable == "registered"), "")
    meant = (option for option in table.flags for other in option.names if other.startswith(name)) if told == "yes" else iter(())
    related = next((sign for sign in signs if sign.variable == "kin"), None)
    return Missed({"yes": True, "no": False}.get(told), next(meant, None), related, nearest)


def document(table: FlagTable, flags: tuple[Flag, ...]) -> dict[str, Any]:
    """The JSON document of these options of a release."""
    entries = [{name: getattr(flag, name) for name in FIELDS} for flag in flags]
    return {"framework": table.framework, "release": table.release, "flags": entries}


def _answer(asked: Asked) -> dict[str, Any]:
    return {
        **document(asked.table, (asked.option,) if asked.option else ()),
        "first_release": asked.life.first or None,
        "last_release": asked.life.last or None,
        "replaced_by": asked.instead.flag if asked.instead else None,
        "nearest": list(asked.nearest),
        "value_form": f"{asked.form.form}, since {asked.form.since}" if asked.form else None,
    }


def _oldest(words: tuple[str, ...], as_json: bool) -> int:
    """Answer ``--oldest``."""
    framework = next((word.lower() for word in words[:1] if word.lower() in FRAMEWORKS), "")
    if not framework or len(words) < 2:
        raise UsageError("give the framework and, behind --, the command line: nostart flags vllm --oldest -- vllm serve M --enforce-eager")
    open_history(framework)
    # By name, as above: the walk over command lines is for this question alone.
    found = importlib.import_module("probes.atlas.oldest").releases_taking(framework, words[1:])
    if as_json:
        spans = [list(span) for span in found.life.spans]
        click.echo(_json({"framework": framework, "oldest": found.life.first or None, "spans": spans, "refused": found.refused or None}))
    elif found.life.spans:
        told = ", ".join(first if first == last else f"{first} to {last}" for first, last in found.life.spans)
        click.echo(f"{framework} takes all of it since {found.life.first} ({told}; newest in the atlas: {found.life.newest})")
    else:
        click.echo(f"no release of {framework} from {found.life.oldest} to {found.life.newest} takes all of it; the last of them: {found.refused}")
    return ANSWERED


def _json(value: dict[str, Any]) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
