"""The probabilities over time as the coordinates of a picture: 1000 wide, 100 high, stretched by whoever draws it; texts are not in it."""

from collections.abc import Sequence

from msgspec import Struct

from transcripts.postmortem.marks import UNKNOWN
from transcripts.postmortem.story import Item, Point, Postmortem

WIDTH, PLOT = 1000.0, 78.0
LAUNCHES, PROBES = (82.0, 7.0), (92.0, 7.0)
"""Top and height of the two lanes under the plot."""

_MOST = 6
_LEAST = 0.02
_THIN = 3.0


class Series(Struct, frozen=True, kw_only=True):
    """One cause's line: `paths` (one for each fault that it was weighed for) and where it ended. `style` numbers colour and dash."""

    name: str
    style: str
    paths: tuple[str, ...]
    peak: float
    last: float


class Band(Struct, frozen=True, kw_only=True):
    """A launch or a probe as a bar in its lane."""

    x: float
    width: float
    mark: str
    label: str


class Flag(Struct, frozen=True, kw_only=True):
    """A moment worth a vertical line: `x` of 1000, and what it is."""

    x: float
    text: str
    kind: str


class Chart(Struct, frozen=True, kw_only=True):
    """The whole picture. `ticks` are (x, text) of the time axis, `positions` the x of every step by its number."""

    series: tuple[Series, ...]
    launches: tuple[Band, ...]
    probes: tuple[Band, ...]
    flags: tuple[Flag, ...]
    ticks: tuple[tuple[float, str], ...]
    positions: dict[int, float]
    about: str


class _Axis(Struct, frozen=True, kw_only=True):
    """Where things stand from left to right: by their time, or by their number where no time was recorded."""

    end: float
    timed: bool

    def x(self, at: float, seq: int) -> float:
        """The x of what happened at step `seq`, `at` seconds after the start."""
        return WIDTH * min((at if self.timed else seq) / self.end, 1.0)

    def width(self, seconds: float) -> float:
        """How wide a duration is."""
        return max(WIDTH * seconds / self.end if self.timed else 0.0, _THIN)

    def ticks(self) -> tuple[tuple[float, str], ...]:
        """Five marks of the axis with their texts."""
        unit, name = (1000.0, "ms") if self.end < 1 else (1 / 60, "min") if self.end >= 180 else (1.0, "s")
        shares = (0.0, 0.25, 0.5, 0.75, 1.0)
        if not self.timed:
            return tuple((WIDTH * share, f"step {self.end * share:.0f}") for share in shares)
        return tuple((WIDTH * share, f"{self.end * share * unit:.3g} {name}") for share in shares)


def chart(told: Postmortem) -> Chart | None:
    """The picture of a run; None where no belief was recorded."""
    if not told.points:
        return None
    last = max(item.at for item in told.items)
    axis = _Axis(end=last or float(told.items[-1].seq), timed=last > 0)
    gone = [axis.x(item.at, item.seq) for item in told.items if item.kind == "judged" and item.mark == "good"]
    flags = [Flag(x=x, text="fault gone", kind="gone") for x in gone if x < WIDTH * 0.995]
    decidable = [(f.moment, f.hypothesis.cause) for f in told.faults if f.moment]
    flags += [Flag(x=axis.x(moment.at, moment.seq), text=f"decidable: {cause}", kind="decidable") for moment, cause in decidable]
    series = _series(told.points, gone, axis)
    return Chart(
        series=series,
        launches=_bands(told.items, "launch", axis),
        probes=_bands(told.items, "probe", axis),
        flags=tuple(sorted(flags, key=lambda flag: flag.x)),
        ticks=axis.ticks(),
        positions={item.seq: axis.x(item.at, item.seq) for item in told.items},
        about=_about(series, axis),
    )


def _series(points: Sequence[Point], gone: Sequence[float], axis: _Axis) -> tuple[Series, ...]:
    peaks: dict[str, float] = {}
    for point in points:
        for name, probability in point.probabilities.items():
            peaks[name] = max(peaks.get(name, 0.0), probability)
    names = sorted((name for name, peak in peaks.items() if peak >= _LEAST and name != UNKNOWN), key=lambda name: (-peaks[name], name))[:_MOST]
    faults = sorted({point.fault for point in points})
    lines = {name: tuple(_path(points, fault, name, gone, axis) for fault in faults) for name in [*names, UNKNOWN]}
    last = points[-1]
    found = [
        Series(name=name, style=f"s{place}", paths=lines[name], peak=peaks[name], last=last.probabilities.get(name, 0.0))
        for place, name in enumerate(names)
    ]
    return (*found, Series(name=UNKNOWN, style="su", paths=lines[UNKNOWN], peak=1.0, last=last.unknown))


def _path(points: Sequence[Point], fault: int, name: str, gone: Sequence[float], axis: _Axis) -> str:
    """A stair: a belief holds until the next one. Each fault begins with nothing known."""
    began = gone[fault - 2] if 2 <= fault <= len(gone) + 1 else 0.0
    until = gone[fault - 1] if fault <= len(gone) else WIDTH
    level = 1.0 if name == UNKNOWN else 0.0
    steps = [f"M{began:.1f} {_y(level):.2f}"]
    for point in points:
        if point.fault == fault:
            level = point.unknown if name == UNKNOWN else point.probabilities.get(name, 0.0)
            steps.append(f"H{axis.x(point.at, point.seq):.1f}V{_y(level):.2f}")
    return "".join([*steps, f"H{max(until, began):.1f}"])


def _y(probability: float) -> float:
    return 2.0 + (1.0 - probability) * (PLOT - 3.0)


def _bands(items: Sequence[Item], kind: str, axis: _Axis) -> tuple[Band, ...]:
    found: list[Band] = []
    for item in items:
        if item.kind == kind and (item.cost or item.mark):
            width = axis.width(item.cost)
            start = min(max(0.0, axis.x(item.at, item.seq) - width), WIDTH - width)
            found.append(Band(x=start, width=min(width, WIDTH), mark=item.mark or "good", label=item.title))
    return tuple(found)


def _about(series: Sequence[Series], axis: _Axis) -> str:
    ends = ", ".join(f"{one.name} {one.last:.0%}" for one in series)
    span = f"{axis.end:.2f} seconds" if axis.timed else f"{axis.end:.0f} steps"
    return f"Line chart of the probability of each cause over {span}. At the end: {ends}."
