"""The commands of ``nostart eval``."""

from collections.abc import Sequence
from pathlib import Path

import click
import msgspec
from rich.console import Console

from evals.compare import ACCEPTED, GATED, accept, load_accepted, regressions
from evals.compare import compare as compared
from evals.fit import fit as fitted
from evals.fit import judged, table_bytes
from evals.page import page
from evals.results import Results
from evals.run import OFFLINE, Backend, Plan
from evals.run import run as played
from evals.score import Scored, scores
from evals.store import FOLDER
from evals.summary import GROUPS, by_strategy, parts, summaries
from evals.table import show_comparison, show_intervals, show_summaries
from transcripts.errors import TranscriptError, UsageError

_WIDE = 180
_REGRESSED = 10
_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 110}

_WORLDS = click.option("--worlds", type=click.Path(path_type=Path), default=FOLDER, metavar="DIR", help="The worlds; default: nostart's own.")
_JSON = click.option("--json", "as_json", is_flag=True, help="JSON on stdout.")
_RESULTS = click.argument("results", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="DIR...")


@click.command(context_settings=_SETTINGS)
@click.option("--output", type=click.Path(path_type=Path), required=True, metavar="DIR", help="Where the plays are kept, and gone on with.")
@click.option("--strategy", "strategies", multiple=True, metavar="NAME", help="Only this strategy (can be repeated); default: all offline ones.")
@click.option("--world", "slugs", multiple=True, metavar="SLUG", help="Only this world (can be repeated).")
@click.option("--seeds", type=click.IntRange(1), default=3, show_default=True, help="Plays of a world by a strategy that draws lots.")
@click.option("--processes", type=int, default=-1, show_default=True, help="At once; -1: one a core.")
@click.option("--backend", type=click.Choice(["loky", "ray", "dask"]), default="loky", show_default=True, help="Where: this machine, or a cluster.")
@click.option("--model", default="", metavar="NAME", help="Let this litellm model play as the strategy llm (it is asked over the network).")
@_WORLDS
def run(
    output: Path,
    strategies: tuple[str, ...],
    slugs: tuple[str, ...],
    seeds: int,
    processes: int,
    backend: Backend,
    model: str,
    worlds: Path,
) -> int:
    """Play the worlds by the strategies and keep a transcript of each play.

    What DIR holds already is not played again, unless the world or the catalogue of causes and probes has changed since. Several runs, on several
    machines, can be scored together.

    \b
    Examples:
      nostart eval run --output plays
      nostart eval run --output plays --strategy information-gain --strategy checklist
      nostart eval run --output plays --strategy llm --model openai/gpt-4o-mini
    """
    if "llm" in strategies and not model:
        raise UsageError("the strategy llm needs a model: --model NAME")
    names = strategies or ((*OFFLINE, "llm") if model else OFFLINE)
    plan = Plan(folder=worlds, slugs=slugs, strategies=names, seeds=seeds, model=model)
    err = Console(stderr=True, highlight=False)
    with err.status("playing") as status:
        count = played(
            plan, Results(output), processes=processes, backend=backend, told=lambda done, whole: status.update(f"{done} of {whole} plays")
        )
    click.echo(f"{count} plays made, kept in {output}", err=True)
    return 0


@click.command(context_settings=_SETTINGS)
@_RESULTS
@click.option("--by", type=click.Choice(list(GROUPS)), help="Apart for each of these.")
@click.option("--strategy", default="", metavar="NAME", help="One strategy, every number with its interval.")
@_WORLDS
@_JSON
def score(results: tuple[Path, ...], by: str | None, strategy: str, worlds: Path, as_json: bool) -> int:
    """Score the plays kept in one or more folders.

    top 1, top 3: the true cause is the likeliest, or among the first three. decided: it passed the threshold. mended: the failure was gone
    after a relaunch. s to decide: seconds of the target's time until then, after the failed first launch. × optimal: that cost over the least
    possible with the same belief and stop rule. wrong ≥ 0.9: confident errors. Brier, calibration error: how honest the probabilities are.
    """
    scored = _chosen(scores([Results(path) for path in results], worlds), strategy)
    groups = parts(scored, by) if by else {"all": scored}
    if as_json:
        click.echo(msgspec.json.encode({name: summaries(some) for name, some in groups.items()}))
        return 0
    console = _console()
    for name, some in groups.items():
        found = summaries(some)
        show_summaries(console, f"{by}: {name}" if by else "", found)
        if strategy:
            show_intervals(console, found[0])
    return 0


def _chosen(scored: list[Scored], strategy: str) -> list[Scored]:
    if not strategy:
        return scored
    groups = by_strategy(scored)
    if strategy not in groups:
        raise UsageError(f"no play by {strategy!r}; there are plays by {', '.join(sorted(groups))}")
    return groups[strategy]


@click.command(context_settings=_SETTINGS)
@_RESULTS
@click.option("--ours", default=GATED, show_default=True, metavar="NAME", help="The strategy in question.")
@click.option("--theirs", default="", metavar="NAME", help="The strategy it is compared to; default: its own accepted scores.")
@click.option("--accepted", type=click.Path(path_type=Path), default=ACCEPTED, metavar="FILE", help="The accepted scores.")
@click.option("--accept", "accepting", is_flag=True, help="Accept these scores: write the file.")
@_WORLDS
@_JSON
def compare(results: tuple[Path, ...], ours: str, theirs: str, accepted: Path, accepting: bool, worlds: Path, as_json: bool) -> int:
    """Compare two strategies, or one with its accepted scores, world by world.

    Differences are paired over the same worlds; one whose 95 % interval holds zero is within the noise. Against the accepted scores this is
    a gate: exit status 10 where something became worse beyond the noise, or a confident error came.
    """
    scored = scores([Results(path) for path in results], worlds)
    own = _chosen(scored, ours)
    if accepting:
        accept(scored, accepted)
        click.echo(f"accepted: the scores of {GATED} are written to {accepted}", err=True)
        return 0
    other: Sequence[Scored] = _chosen(scored, theirs) if theirs else load_accepted(accepted).scores
    found = compared(own, other)
    worse = [] if theirs else regressions(own, other)
    if as_json:
        click.echo(msgspec.json.encode({"comparison": found, "regressions": worse}))
    else:
        show_comparison(_console(), ours, theirs or "accepted", found)
    for text in worse:
        click.echo(f"regression: {text}", err=True)
    return _REGRESSED if worse else 0


@click.command(context_settings=_SETTINGS)
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="Write the table fitted to all worlds.")
@click.option("--folds", type=click.IntRange(2), default=5, show_default=True, help="Parts by kind of fault; each is judged by a fit to the others.")
@click.option("--processes", type=int, default=-1, show_default=True, help="At once; -1: one a core.")
@_WORLDS
@_JSON
def fit(output: Path | None, folds: int, processes: int, worlds: Path, as_json: bool) -> int:
    """Fit priors and likelihoods to counts, smoothed by the hand-made ones, and judge that on kinds of fault that were held out.

    The table is data that the belief uses where it is present (agent/causes/fitted.json): read it before you put it there.
    """
    found = judged(worlds, folds, processes)
    if as_json:
        click.echo(msgspec.json.encode(found))
    else:
        console = _console()
        show_summaries(console, "held-out kinds", [found.by_hand, found.fitted, found.calibrated])
        for one in (found.by_hand, found.fitted, found.calibrated):
            show_intervals(console, one)
    if output is not None:
        try:
            output.write_bytes(table_bytes(fitted(worlds)))
        except OSError as error:
            raise TranscriptError(f"cannot write {output}: {error.strerror or error}") from error
    return 0


@click.command(context_settings=_SETTINGS)
@_RESULTS
@click.option("--html", type=click.Path(path_type=Path), required=True, metavar="FILE", help="The page, one file that needs no other.")
@_WORLDS
def report(results: tuple[Path, ...], html: Path, worlds: Path) -> int:
    """Write one page: the table, accuracy against cost, reliability, regret, and every world with its plays step by step."""
    found = [Results(path) for path in results]
    text = page(scores(found, worlds), found, worlds)
    try:
        html.write_text(text, encoding="utf-8")
    except OSError as error:
        raise TranscriptError(f"cannot write {html}: {error.strerror or error}; name another file with --html") from error
    click.echo(f"written: {html}", err=True)
    return 0


def _console() -> Console:
    """A terminal's own width; what is piped is not cut to a terminal's."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=_WIDE)
