"""A postmortem as one self-contained page: no network, no file beside it, nothing in it that a log could set in motion.

Every text is escaped by the template's autoescape, and every control, bidirectional and invisible character is written out before that.
The page's own policy allows no source but itself, and of scripts only this one, by its digest.
"""

import base64
import hashlib
from importlib.resources import files

import jinja2
from markupsafe import Markup

from agent.postmortem import wording
from agent.postmortem.chart import LAUNCHES, PLOT, PROBES, chart
from agent.report import percent, printable
from transcripts.postmortem.story import Postmortem

_STEP_WIDTH = 400


def page(told: Postmortem) -> str:
    """The whole page as HTML."""
    style, script = _part("page.css"), _part("page.js")
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_part),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_harmless,
    )
    environment.filters.update(percent=percent, seconds=wording.seconds, ratio=wording.ratio, counted=wording.counted, short=_short)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return environment.get_template("page.html.j2").render(
        told=told,
        chart=chart(told),
        wording=wording,
        # ours, not a log's: the style and the script are files of this package
        style=Markup(style),  # noqa: S704
        script=Markup(script),  # noqa: S704
        digest=digest,
        beliefs=[_bars(point.probabilities, point.unknown) for point in told.points],
        lanes={"plot": PLOT, "launches": LAUNCHES, "probes": PROBES},
    )


def _bars(probabilities: dict[str, float], unknown: float) -> list[list[object]]:
    """The belief at one point for the script: rows of (cause, probability, as people read it)."""
    rows = [(name, value) for name, value in list(probabilities.items())[:6] if value >= 0.005]
    return [[printable(name), round(value, 4), percent(value)] for name, value in [*rows, ("unknown", unknown)]]


def _harmless(value: object) -> object:
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _short(text: str) -> str:
    return printable(text, _STEP_WIDTH)


def _part(name: str) -> str:
    return files("agent.postmortem").joinpath(name).read_text(encoding="utf-8")
