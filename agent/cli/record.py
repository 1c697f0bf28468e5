"""``nostart record``: record worlds, which strategies then play offline."""

import asyncio
from pathlib import Path

import click

from agent.cli.options import SETTINGS
from evals.mutate.catalogue import scenes
from evals.mutate.scene import Mutated
from evals.record import Recorder, record_all
from evals.staging import Stage
from evals.store import FOLDER
from transcripts.errors import UsageError

EPILOG = """\b
Examples:
  nostart record --list                        every scene, and whether its world is recorded
  nostart record --base proxy --worlds W       record those of the LiteLLM proxy
  nostart record --kind misspell --kind rename
  nostart record --again 05c3a1b2d4e6          record one anew and say what changed

\b
The frameworks must be built (make frameworks). It takes hours; what was recorded is kept, and the same command goes on from there."""


@click.command(context_settings={**SETTINGS, "allow_interspersed_args": True}, epilog=EPILOG)
@click.argument("slugs", nargs=-1, metavar="[SLUG...]")
@click.option("--base", "bases", multiple=True, metavar="NAME", help="Only scenes made from this launch.")
@click.option("--kind", "kinds", multiple=True, metavar="KIND", help="Only scenes of this kind.")
@click.option("--variant", "variants", multiple=True, metavar="NAME", help="Only scenes of this variant.")
@click.option("--list", "listed", is_flag=True, help="Record nothing: list the scenes.")
@click.option("--again", is_flag=True, help="Record what is there anew, from nothing, and say what changed.")
@click.option("--worlds", type=click.Path(path_type=Path), default=FOLDER, metavar="DIR", help="Where worlds are kept; default: those of nostart.")
@click.option(
    "--installs",
    type=click.Path(path_type=Path),
    default=Path.home() / ".cache" / "nostart" / "live",
    metavar="DIR",
    help="Where the frameworks are built; default: ~/.cache/nostart/live.",
)
@click.option("--scratch", type=click.Path(path_type=Path), default=Path("/tmp/nostart-record"), metavar="DIR", help="Where scenes are set up.")  # noqa: S108
@click.option("--max-launches", type=click.IntRange(1), default=6, show_default=True, metavar="N", help="Launches a world at most.")
def command(
    slugs: tuple[str, ...],
    bases: tuple[str, ...],
    kinds: tuple[str, ...],
    variants: tuple[str, ...],
    listed: bool,
    again: bool,
    worlds: Path,
    installs: Path,
    scratch: Path,
    max_launches: int,
) -> int:
    """Record worlds from real servers.

    Each scene is a launch that works with something done to it, so that its cause is known. The failing launch is executed, the whole catalogue
    of questions is asked and every fix that could be tried is tried once.
    """
    wanted = [
        scene
        for scene in scenes()
        if (not slugs or scene.slug in slugs)
        and (not bases or scene.scene.name in bases)
        and (not kinds or scene.kind in kinds)
        and (not variants or scene.variant in variants)
    ]
    if not wanted:
        raise UsageError("no scene fits: see nostart record --list")
    if listed:
        return _list(wanted, worlds)
    stage = Stage(scratch, installs)
    missing = sorted({scene.scene.install for scene in wanted if not stage.has(scene.scene)})
    if missing:
        raise UsageError(f"not built in {installs}: {', '.join(missing)} (make frameworks builds them); leave their scenes out with --base")
    count = asyncio.run(_record(Recorder(stage, scratch, click.echo, max_launches, fresh=again), stage, wanted, worlds, again))
    click.echo(f"recorded: {count}; worlds in {worlds}: {len(list(worlds.glob('*.json')))}")
    return 0


def _list(wanted: list[Mutated], worlds: Path) -> int:
    for scene in wanted:
        there = "recorded" if (worlds / f"{scene.slug}.json").exists() else "-"
        causes = " then ".join(" or ".join(fault) for fault in scene.faults)
        click.echo(f"{scene.slug}  {there:9} {scene.scene.name:14} {scene.kind}/{scene.variant}: {causes}")
    return 0


async def _record(recorder: Recorder, stage: Stage, wanted: list[Mutated], worlds: Path, again: bool) -> int:
    try:
        return await record_all(recorder, wanted, worlds, click.echo, again=again)
    finally:
        await stage.close()
