"""The report as one self-contained page: no script, no network; what a log or a world holds is escaped and written out."""

from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path

import jinja2
from markupsafe import Markup
from msgspec import Struct

from agent.report import percent, printable
from evals.compare import GATED
from evals.playing import Played
from evals.plots import accuracy_against_cost, regret_bars, reliability_dots
from evals.results import Results
from evals.score import Scored
from evals.statistics import Estimate
from evals.store import FOLDER, load_truths
from evals.summary import by_strategy, parts, summaries, summary
from evals.world import Truth
from transcripts import events
from transcripts.postmortem.marks import marginals

_STEP = 300
_PARTS = ("family", "framework", "difficulty", "provenance")


class Shown(Struct, frozen=True, kw_only=True):
    """One play as the page tells it."""

    name: str
    file: str
    top: str
    percent: str
    right: bool
    probes: int
    launches: int
    seconds: str
    steps: tuple[str, ...]


class Told(Struct, frozen=True, kw_only=True):
    """One world as the page tells it."""

    slug: str
    about: str
    truth: str
    right: bool
    top: str
    plays: tuple[Shown, ...]


def page(scored: Sequence[Scored], results: Sequence[Results], folder: Path = FOLDER) -> str:
    """The whole page as HTML."""
    found = summaries(scored)
    asking = summaries([s for s in scored if s.asks])
    groups = by_strategy(scored)
    ours = GATED if GATED in groups else found[0].strategy
    own = groups[ours]
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_part), autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, finalize=_harmless
    )
    return environment.get_template("page.html.j2").render(
        style=Markup(_part("page.css")),  # noqa: S704 - a file of this package
        count=len({s.job.slug for s in scored}),
        summaries=found,
        share=_share,
        number=_number,
        ours=ours,
        cost=accuracy_against_cost(asking, ours),
        reliability=reliability_dots(next(s for s in found if s.strategy == ours).reliability),
        regret=regret_bars(asking, ours),
        parts=[
            (by, [(name, summary(ours, some)) for name, some in parts(own, by).items()]) for by in ("family", "framework", "difficulty", "provenance")
        ],
        worlds=list(_worlds(scored, results, load_truths(folder), ours)),
    )


def _worlds(scored: Sequence[Scored], results: Sequence[Results], truths: dict[str, Truth], ours: str) -> Iterator[Told]:
    plays = {job: (one, played) for one in results for job, played in one.plays().items()}
    by_world: dict[str, list[Scored]] = {}
    for one in scored:
        by_world.setdefault(one.job.slug, []).append(one)
    for slug, some in sorted(by_world.items()):
        main = next((s for s in some if s.job.strategy == ours), some[0])
        truth = truths[slug]
        yield Told(
            slug=slug,
            about=f"{main.framework}, {main.provenance}, {main.difficulty}",
            truth=f"{', then '.join(' or '.join(causes) for causes in truth.faults)}. {truth.summary}",
            right=main.right,
            top=main.top,
            plays=tuple(_shown(one, *plays[one.job]) for one in some),
        )


def _shown(one: Scored, results: Results, played: Played) -> Shown:
    seed = f" (seed {one.job.seed})" if one.job.seed else ""
    return Shown(
        name=f"{one.job.strategy}{seed}",
        file=played.name,
        top=one.top,
        percent=percent(one.probability),
        right=one.right,
        probes=one.probes,
        launches=one.launches,
        seconds=f"{one.seconds:.1f}",
        steps=(*steps(results.transcript(played).events), *((f"ended: {played.stopped}",) if played.stopped else ())),
    )


def steps(told: Sequence[events.AnyEvent]) -> Iterator[str]:
    """A play step by step, a line each."""
    for event in told:
        if isinstance(event, events.SymptomRead):
            yield f"the failure: {event.symptom.line.strip() or 'no decisive line'}"
        elif isinstance(event, events.BeliefMoved):
            top = ", ".join(f"{cause} {percent(probability)}" for cause, probability in list(marginals(event.belief).items())[:3])
            yield f"believes: {top}, unknown {percent(event.belief.unknown)}"
        elif isinstance(event, events.QuestionAsked):
            about = ", ".join(value for value in event.question.parameters.values() if value and len(value) < 80)
            yield f"asks {event.question.probe}" + (f" ({about})" if about else "") + (f": {event.why}" if event.why else "")
        elif isinstance(event, events.QuestionAnswered):
            yield f"learns ({event.reading.outcome}, {event.reading.seconds:.2f} s): {event.reading.text}"
        elif isinstance(event, events.FixChosen):
            yield f"{'tries' if event.tried else 'proposes'}: {event.fix.summary}"
        elif isinstance(event, events.FixJudged):
            yield f"the failure is {event.verdict}: {event.text}"
        elif isinstance(event, events.AttemptEnded) and event.attempt.number > 1:
            yield f"launch {event.attempt.number}: {event.attempt.end} after {event.attempt.seconds:.1f} s"
        elif isinstance(event, events.Diagnosed):
            cause = event.diagnosis.cause
            yield f"verdict: {event.diagnosis.outcome}" + (f", {cause.hypothesis.cause}" if cause else "")


def _share(value: Estimate) -> Markup:
    return Markup("<td>{:.0f} %<small>{:.0f} to {:.0f}</small></td>").format(100 * value.value, 100 * value.low, 100 * value.high)


def _number(value: Estimate | None) -> Markup:
    if value is None:
        return Markup("<td>–</td>")
    return Markup("<td>{:.3g}<small>{:.3g} to {:.3g}</small></td>").format(value.value, value.low, value.high)


def _harmless(value: object) -> object:
    return printable(value, _STEP) if isinstance(value, str) and not isinstance(value, Markup) else value


def _part(name: str) -> str:
    return files("evals").joinpath(name).read_text(encoding="utf-8")
