"""The texts that a rule needs: a cheap look for them must never hide a match."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.reading.literals import literals_of
from agent.reading.rule import Rules, rule
from agent.reading.rules import RULES

HERE = Path(__file__).parent
TEXTS = [
    line
    for name, key in (("kinds.toml", "kind"), ("../../causes/wordings.toml", "wording"))
    for entry in tomllib.loads((HERE / name).read_text(encoding="utf-8"))[key]
    for line in entry["text"].split("\n")
]
ALL = Rules(RULES)

PATTERNS = (
    ("Cannot (?:find|open) it", ("cannot ",)),
    (r"^(?P<name>\w+): not found$", (": not found",)),
    ("(?i)out OF memory", ("out of memory",)),
    ("alpha|beta|gamma", ("alpha", "beta", "gamma")),
    ("(?:alpha|[a-z]+) there", (" there",)),
    ("a?b*", ()),
    ("x(?:long word)?y", ()),
    ("(?:no such thing)+", ("no such thing",)),
)


@pytest.mark.parametrize(("pattern", "expected"), PATTERNS, ids=lambda value: str(value))
def test_a_pattern_needs_its_literal_words(pattern: str, expected: tuple[str, ...]) -> None:
    """What every match contains, in lower case; nothing where a match may do without."""
    assert expected == literals_of(pattern)


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text[:60])
def test_no_rule_that_matches_is_left_out(text: str) -> None:
    """Of every recorded wording, the rules that can match it are all among those that are tried."""
    matching = [one for one in RULES if one.search(text)]
    fitting = ALL.fitting(text)

    assert [one for one in matching if one not in fitting] == []
    assert fitting == [one for one in RULES if one in fitting]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=3), st.integers(0, 40), st.booleans())
def test_pieces_of_wordings_are_tried_all_the_same(texts: list[str], cut: int, upper: bool) -> None:
    """Cut, joined and shouted wordings as well."""
    text = " ".join(texts)[cut:]
    text = text.upper() if upper else text

    assert [one for one in RULES if one.search(text) and one not in ALL.fitting(text)] == []


def test_a_rule_without_words_is_always_tried() -> None:
    """A pattern of classes alone cannot be skipped."""
    digits = rule("other", r"\d+")

    assert Rules((digits,)).fitting("nothing") == [digits]
