"""The release that a person states, in every way in which people write one."""

import pytest

from agent.stated import stated

STATED = (
    ("0.9.1", "0.9.1"),
    ("v0.9.2", "0.9.2"),
    ("vllm==0.10.0", "0.10.0"),
    ("0.20.1+cpu", "0.20.1"),
    ("0.8.5.post1", "0.8.5.post1"),
    ("0.9.2rc2 (pip list)", "0.9.2rc2"),
    ("says it is 0.7.3", "0.7.3"),
    ("0.12", "0.12.0"),
    ("0.10.x", "0.10.0"),
    ("0.6.*", "0.6.0"),
    ("0.4.x-0.5.1", "0.5.1"),
    ("0.9 to 0.10.1", "0.10.1"),
    ("0.11.2 (seen 2025-11-20)", "0.11.2"),
    ("lmcache 0.3.9 + vllm 0.11.0", "0.11.0"),
    ("<=0.6.2", "0.6.2"),
    ("main 2026-03", ""),
    ("nightly", ""),
    ("latest", ""),
    ("2026-01", ""),
    (">=0.15", ""),
    ("compose 2.31", ""),
    ("", ""),
)


@pytest.mark.parametrize(("text", "expected"), STATED, ids=lambda value: value)
def test_a_stated_release_is_read_as_one_release_or_none(text: str, expected: str) -> None:
    """Dates, other programs' releases and mere bounds are no release; of a range it is the later end."""
    assert expected == stated(text, "vllm")


@pytest.mark.parametrize("release", ["0.9.1", "0.8.5.post1", "1.70.0"])
def test_a_plain_release_stays_as_it_is(release: str) -> None:
    """What was read once reads the same again."""
    assert release == stated(stated(release, "litellm"), "litellm")
