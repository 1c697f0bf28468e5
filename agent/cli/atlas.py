"""``nostart atlas``: build the atlas of flags again, from the files of the package index."""

import importlib
from pathlib import Path
from typing import Any

import click

from probes.atlas.history import FRAMEWORKS
from probes.atlas.source import cache_folder
from transcripts.errors import UsageError

_DATA = Path(importlib.import_module("probes.atlas").__path__[0]) / "data"
_INCOMPLETE = 10


EPILOG = """\b
Examples:
  nostart atlas build                      every framework, into this installation
  nostart atlas build vllm --output DIR    one of them, elsewhere"""


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}, epilog=EPILOG)
def command() -> None:
    """The atlas: which flags every release of every framework takes."""


@command.command()
@click.argument("frameworks", nargs=-1, metavar="[FRAMEWORK...]")
@click.option("--output", type=click.Path(path_type=Path), default=_DATA, metavar="DIR", help="Where the data files go; default: this installation.")
@click.option("--state", type=click.Path(path_type=Path), metavar="DIR", help="Where what is fetched is kept; default: nostart's cache folder.")
def build(frameworks: tuple[str, ...], output: Path, state: Path | None) -> int:
    """Read the flags of every release from its sources, by the package index that this machine's pip uses, and write one file a FRAMEWORK.

    It takes a few source files of each release, over one connection, and keeps them: an interrupted build goes on where it was. Needs the extra
    nostart[atlas]. Exit status: 0 done, 10 some releases are missing (they are named), 2 usage, 3 the index cannot be reached.
    """
    unknown = [name for name in frameworks if name.lower() not in FRAMEWORKS]
    if unknown:
        raise UsageError(f"no framework {unknown[0]!r}; known are {', '.join(FRAMEWORKS)}")
    building = _builder()
    kept = state if state is not None else cache_folder() / "atlas"
    missing = 0
    for framework in [name.lower() for name in frameworks] or FRAMEWORKS:
        built = building.build(framework, kept, output, lambda text: click.echo(text, err=True))
        missing += len(built.problems)
        click.echo(f"{framework}: {built.releases} releases, {built.flags} flags, {built.size:,} bytes: {built.path}")
    return _INCOMPLETE if missing else 0


def _builder() -> Any:
    """The builder, imported by name: it needs a client of the package index, and no other command does.

    Raises:
        UsageError: the extra is not installed.
    """
    try:
        return importlib.import_module("probes.atlas.building.builder")
    except ModuleNotFoundError as error:
        raise UsageError(f"building the atlas needs {error.name}, which is not installed: pip install 'nostart[atlas]'") from error
