"""Public failure reports, in a form of our own: what the program printed and how it was started, and the causes that may lead."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from agent.causes.catalogue import CAUSES
from evals.public_cases import Judged, judge

FOLDER = Path(__file__).parent / "reports"
REPORTS = [report for path in sorted(FOLDER.glob("*.toml")) for report in tomllib.loads(path.read_text(encoding="utf-8"))["report"]]
UNKNOWN = "unknown"
"""The cause of a report whose lines do not tell it: undetermined is right."""


def judged(report: dict[str, Any]) -> Judged:
    """What the triage makes of a report, given as a person gives it."""
    return judge(
        {
            "id": report["name"],
            "framework": report.get("framework", ""),
            "release": report.get("release", ""),
            "causes": report["causes"],
            "launch": report.get("shell", ""),
            "exit_status": report.get("exit"),
            "error_lines": report["log"].strip("\n").split("\n"),
        }
    )


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: str(report["name"]))
def test_a_report_is_judged_right(report: dict[str, Any]) -> None:
    """The likeliest cause is one of those that may lead; where the lines tell none, the triage says so."""
    result = judged(report)

    assert not result.confidently_wrong, result.top
    assert result.right or (UNKNOWN in report["causes"] and result.outcome == "undetermined"), result.top


def test_the_reports_name_known_causes_and_each_its_own() -> None:
    """No name stands twice, and every cause is one of the catalogue."""
    names = [report["name"] for report in REPORTS]

    assert len(names) == len(set(names))
    assert {cause for report in REPORTS for cause in report["causes"]} <= {cause.id for cause in CAUSES} | {UNKNOWN}
