"""The figures of the user's page are those of what is shipped."""

import re
from pathlib import Path

from probes.atlas.history import DATA, FRAMEWORKS, open_history, table_for

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "atlas.md").read_text()


def _row(framework: str) -> tuple[int, str, str, int, int, int]:
    """Releases, first, last, options of the newest, flags in all, bytes."""
    known = open_history(framework)
    assert known is not None
    newest = table_for(framework, known.releases[-1])
    assert newest is not None
    size = (DATA / f"{framework}.atlas").stat().st_size
    return len(known.releases), known.releases[0], known.releases[-1], len(newest.flags), len(known.having), size


def test_the_table_of_the_page() -> None:
    """Releases, flags and bytes in the documentation are counted from the shipped files."""
    rows = [_row(framework) for framework in FRAMEWORKS]
    lines = [f"| {name} | {a} | {b} | {c} | {d} | {e} | {f:,} |" for name, (a, b, c, d, e, f) in zip(FRAMEWORKS, rows, strict=True)]
    lines.append(f"| together | {sum(row[0] for row in rows)} | | | | {sum(row[4] for row in rows)} | {sum(row[5] for row in rows):,} |")
    assert lines == re.findall(r"^\| (?:vllm|sglang|litellm|together) \| .*$", PAGE, re.M)[: len(lines)]


def test_the_shipped_files_are_small() -> None:
    """All three together are below 100 kB."""
    assert sum((DATA / f"{framework}.atlas").stat().st_size for framework in FRAMEWORKS) < 100_000


def test_the_recorded_parsers_of_the_page() -> None:
    """The page says how many recorded parsers there are."""
    count = len(list((Path(__file__).parent / "parsers").glob("*.json")))
    assert f"The real parsers of {count} releases are recorded" in PAGE
