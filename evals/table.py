"""Scores on the terminal: tables of numbers with their intervals."""

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from evals.compare import MEASURES, Comparison
from evals.statistics import Estimate
from evals.summary import Summary

_COLUMNS = (
    "strategy",
    "worlds",
    "top 1",
    "top 3",
    "decided",
    "mended",
    "launches",
    "probes",
    "s to decide",
    "s in all",
    "× optimal",
    "wrong ≥ 0.9",
    "Brier",
    "calib. error",
)


def show_summaries(console: Console, title: str, found: Sequence[Summary]) -> None:
    """One row a strategy."""
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left")
    for name in _COLUMNS:
        table.add_column(name, justify="left" if name == "strategy" else "right", no_wrap=True)
    for one in found:
        shares = [_share(value) for value in (one.top1, one.top3, one.decided, one.fixed)]
        costs = [f"{value.value:.2f}" for value in (one.launches, one.probes, one.cost, one.seconds)]
        factor = f"{one.factor.value:.2f}" if one.factor else "–"
        honesty = [str(one.confident_errors), f"{one.brier.value:.3f}", f"{one.calibration.value:.3f}"]
        table.add_row(*(Text(cell) for cell in (one.strategy, str(one.worlds), *shares, *costs, factor, *honesty)))
    console.print(table)


def _share(value: Estimate) -> str:
    return f"{100 * value.value:.0f} %"


def show_intervals(console: Console, one: Summary) -> None:
    """The numbers of one strategy, each with its 95 % interval, and how honest its probabilities were."""
    rows: list[tuple[str, str]] = [
        (name, str(value))
        for name, value in (
            ("right first cause", one.top1),
            ("right among the first three", one.top3),
            ("decided", one.decided),
            ("first fault mended", one.fixed),
            ("up in the end", one.up),
            ("seconds until decided", one.cost),
            ("seconds to the right decision", one.decidable),
            ("seconds in all", one.seconds),
            ("regret against optimal, s", one.regret),
            ("cost over optimal", one.factor),
            ("Brier score", one.brier),
            ("calibration error", one.calibration),
        )
        if value is not None
    ]
    if one.several:
        rows.append((f"all faults found, of {one.several} worlds with several", str(one.both)))
    rows.append(("confident errors", str(one.confident_errors)))
    rows.append(("plays that ended at a launch nobody recorded", str(one.stopped)))
    rows.append(("questions that nobody recorded", str(one.unanswered)))
    rows += [(f"probability {b.low:.1f} to {b.high:.1f}", f"{b.count} plays, said {b.probability:.2f}, right {b.right:.2f}") for b in one.reliability]
    table = Table(box=box.SIMPLE_HEAD, title=f"{one.strategy}, 95 % intervals", title_justify="left", show_header=False)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console.print(table)


_WORDS = {1: "better", 0: "within the noise", -1: "worse"}


def show_comparison(console: Console, ours: str, theirs: str, found: Comparison) -> None:
    """One row a measure."""
    title = f"{ours} against {theirs}, {found.worlds} worlds"
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left")
    for name in ("measure", ours, theirs, "difference (95 %)", f"{theirs} ÷ {ours}", ""):
        table.add_column(Text(name), justify="left" if name in ("measure", "") else "right", no_wrap=True)
    for one in found.differences:
        cells = (MEASURES[one.measure][0], f"{one.ours:.3f}", f"{one.theirs:.3f}", str(one.difference), str(one.factor), _WORDS[one.better])
        table.add_row(*(Text(cell) for cell in cells))
    own, other = found.confident_errors
    table.add_row(Text("confident errors"), Text(str(own)), Text(str(other)), Text(""), Text(""), Text(""))
    console.print(table)
    for name, slugs in ((ours, found.only_ours), (theirs, found.only_theirs)):
        if slugs:
            console.print(Text(f"{len(slugs)} worlds were played by {name} alone and are left out"))
