"""docs/security.md names the test of each of its lines: those tests are there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "security.md"
_TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def _rows() -> list[str]:
    return [line for line in PAGE.read_text().splitlines() if line.startswith("| ") and not line.startswith(("| what", "| ---"))]


def test_each_line_of_the_threat_model_has_its_test() -> None:
    """No line promises anything that no test holds it to."""
    assert len(_rows()) > 12
    assert [] == [row for row in _rows() if not _TEST.search(row)]


def test_the_tests_that_are_named_exist() -> None:
    """A test that was renamed or removed is noticed in the page that leans on it."""
    named = _TEST.findall(PAGE.read_text())
    assert [] == [
        f"{path}::{name}" for path, name in named if not (ROOT / path).exists() or not re.search(rf"def {name}\(", (ROOT / path).read_text())
    ]
