"""Variants of every recorded report keep its verdict; without the decisive line none is given."""

import io
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from agent.belief import believe, ranking
from agent.causes.catalogue import CAUSES
from agent.reading.scan import scan
from agent.reading.symptom import read_symptom
from probes.frameworks.catalogue import by_name
from tests.causes.variants import NOISE, WRAPPERS, variant, with_head
from transcripts.records import Symptom

FOLDER = Path(__file__).parent / "reports"
REPORTS = [report for path in sorted(FOLDER.glob("*.toml")) for report in tomllib.loads(path.read_text(encoding="utf-8"))["report"]]
A_REPORT = 4
"""Variants of each report in the fixed corpus."""
KEPT = 0.95
NAMED = 0.8
"""The probability from which on a cause is named."""


def read(lines: list[str], framework: str, exit_status: int | None = None) -> Symptom:
    """The symptom of a log of `lines`."""
    return read_symptom(scan(io.BytesIO(("\n".join(lines) + "\n").encode())), by_name(framework), exit_status=exit_status)


def verdict(lines: list[str], framework: str, exit_status: int | None = None) -> tuple[str, float]:
    """The likeliest cause of a log alone, and its probability."""
    return ranking(believe(CAUSES, read(lines, framework, exit_status).signs, framework)[0])[0]


def originals() -> Iterator[tuple[dict[str, Any], list[str], int, str]]:
    """Every report with its lines, the number of the decisive one, and the cause that its log alone speaks for (those that speak for none aside)."""
    for report in REPORTS:
        lines = report["log"].strip("\n").split("\n")
        decisive = read(lines, report["framework"], report.get("exit")).line_number
        cause, probability = verdict(lines, report["framework"], report.get("exit"))
        if decisive and probability > 0.3:
            yield report, lines, decisive, cause


ORIGINALS = list(originals())


def test_variants_keep_the_verdict() -> None:
    """Other names, prefixes of all eras, wrappers, cuts that leave the decisive line, and other processes in between: 95 of 100 keep it, or more."""
    changed: list[str] = []
    count = 0
    for report, lines, decisive, cause in ORIGINALS:
        for seed in range(A_REPORT):
            count += 1
            made = variant(lines, report["framework"], decisive, seed * 1000 + len(lines))
            found, probability = verdict(made, report["framework"], report.get("exit"))
            if found not in (cause, *report["causes"]):
                changed.append(f"{report['name']} ({seed}): {cause} became {found} ({probability:.2f})")
    kept = 1 - len(changed) / count

    assert count >= 500
    assert kept >= KEPT, "\n".join([f"{kept:.3f} of {count} kept", *changed])


def test_no_variant_is_confidently_another() -> None:
    """A variant that loses the verdict says less, not something else."""
    wrong = [
        (report["name"], seed, found)
        for report, lines, decisive, _ in ORIGINALS
        for seed in range(A_REPORT, A_REPORT + 2)
        for found, probability in [verdict(variant(lines, report["framework"], decisive, seed), report["framework"], report.get("exit"))]
        if probability >= 0.9 and found not in report["causes"]
    ]

    assert wrong == []


def test_without_what_tells_there_is_no_verdict() -> None:
    """The log of a report without its failure, at its head and in its tail what servers say at all times: nothing is named."""
    named = []
    for framework, noise in NOISE.items():
        for lines in ([*noise], [*noise, *noise], [*reversed(noise)]):
            cause, probability = verdict(lines, framework, 1)
            if probability >= NAMED:
                named.append((framework, cause, probability))

    assert named == []


SHORT = [(report, lines) for report, lines, _, _ in ORIGINALS if len(lines) <= 12]


@settings(max_examples=120, deadline=None, derandomize=True)
@given(st.sampled_from(SHORT), st.sampled_from(sorted(WRAPPERS)), st.randoms(use_true_random=False), st.booleans())
def test_what_wraps_a_log_changes_nothing(original: tuple[dict[str, Any], list[str]], wrapper: str, chance: Any, talk: bool) -> None:
    """Whoever kept or showed the log, its decisive line and its signs are the same."""
    report, lines = original
    lines = with_head(lines, chance, report["framework"]) if talk else lines
    plain = read(lines, report["framework"], report.get("exit"))
    wrapped = read(WRAPPERS[wrapper](lines, chance), report["framework"], report.get("exit"))

    assert [(sign.variable, sign.value) for sign in plain.signs] == [(sign.variable, sign.value) for sign in wrapped.signs]
    assert plain.line_number == wrapped.line_number
