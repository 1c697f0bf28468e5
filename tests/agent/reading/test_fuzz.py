"""Whatever the bytes, the reader answers: damaged, cut, mixed and repeated logs never make it fail."""

import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.reading.scan import scan
from agent.reading.symptom import read_symptom
from evals.fuzz import damaged as damage
from evals.fuzz import recorded
from probes.frameworks.catalogue import FRAMEWORKS
from tests.frameworks.samples import samples

LOGS = [sample.data[-12_000:] for sample in samples()]
QUICK = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


TELLING = [
    "Traceback (most recent call last):",
    '  File "x", line 1, in f',
    "A.B: c",
    "usage: x",
    "error: argument --x: ",
    "x: error: ",
    "Error: ",
    "Killed",
    "|",
    '{"log":1}',
    "\r",
    "During handling of the above exception, another exception occurred:",
    "1 validation error for X",
    "Value ",
    "  a [type=b, input_value=c, input_type=d]",
]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """Two recorded logs with bytes flipped, lines dropped and cut, and another encoding between."""
    data = bytearray(draw(st.sampled_from(LOGS)))
    for place in draw(st.lists(st.integers(0, max(len(data) - 1, 0)), max_size=20)):
        data[place] ^= draw(st.integers(1, 255))
    lines = bytes(data).split(b"\n")
    start = draw(st.integers(0, len(lines)))
    stop = draw(st.integers(start, len(lines)))
    step = draw(st.integers(1, 3))
    middle = draw(st.one_of(st.binary(max_size=80), st.text(max_size=40).map(lambda text: text.encode("utf-16")), st.just(b"")))
    other = draw(st.sampled_from(LOGS)).split(b"\n")
    return b"\n".join([*lines[start:stop:step], middle, *other[: draw(st.integers(0, 30))]])


def check(data: bytes, framework: int, exit_status: int | None, ended: bool) -> None:
    """Read `data` and check what holds for every symptom."""
    excerpt = scan(io.BytesIO(data))
    chosen = FRAMEWORKS[framework] if framework < len(FRAMEWORKS) else None
    symptom = read_symptom(excerpt, chosen, exit_status=exit_status, ended=ended)

    assert symptom == read_symptom(excerpt, chosen, exit_status=exit_status, ended=ended)
    assert 0 <= symptom.line_number <= max(excerpt.lines, 1)
    assert all(isinstance(value, str) for sign in symptom.signs for value in sign.parameters.values())
    assert len({(sign.variable, sign.value) for sign in symptom.signs}) == len(symptom.signs)


@QUICK
@given(damaged(), st.integers(0, 3), st.sampled_from([None, 0, 1, 2, -9, 137]), st.booleans())
def test_damaged_logs_are_read(data: bytes, framework: int, exit_status: int | None, ended: bool) -> None:
    """Flipped bytes, cut and missing lines, mixed encodings: an answer, and the same one again."""
    check(data, framework, exit_status, ended)


@QUICK
@given(st.binary(max_size=3000))
def test_any_bytes_are_read(data: bytes) -> None:
    """Random bytes are read."""
    check(data, 3, None, True)


@QUICK
@given(st.lists(st.sampled_from(TELLING), max_size=30))
def test_any_order_of_telling_lines_is_read(lines: list[str]) -> None:
    """The lines that the reader looks for, in any order, are read."""
    check("\n".join(lines).encode(), 0, None, True)


DAMAGED = 150
"""Damaged logs that are read here; `make bench` reads ten thousand."""


@pytest.mark.parametrize("part", range(3))
def test_logs_damaged_from_a_seed_are_read(part: int) -> None:
    """Flipped bytes, cut, doubled and mixed lines, and other encodings, the same in every run."""
    logs = recorded()
    seeds = range(part * DAMAGED // 3, (part + 1) * DAMAGED // 3)

    assert all(read_symptom(scan(io.BytesIO(damage(logs, seed)))) is not None for seed in seeds)
    assert damage(logs, 7) == damage(logs, 7)
