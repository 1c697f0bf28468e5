"""The postmortem as Markdown: complete, and inert whatever the logs hold."""

import io
import re

import pytest
from rich.console import Console
from rich.markdown import Markdown

from agent.postmortem.markdown import block, code, markdown, plain
from tests.agent.postmortem.hostile import TEXT, hostile
from tests.transcripts.postmortem.building import told

_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]")


def test_the_verdict_comes_first() -> None:
    """The first line is the verdict; moment, waste, stale and void readings, difference and timeline follow."""
    text = markdown(told("five-launches"))
    assert text.startswith("# Cause: quoting/json-split, 98.2% likely\n")
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert ["## When it could have been known", "## Wasted launches", "## Stale observations", "## Questions without an answer"] == headings[:4]
    assert "quoting/json-split was decidable from launch 1 alone" in text


def test_the_fix_is_a_difference() -> None:
    """The words that go and those that come stand in a block of their own."""
    lines = markdown(told("relaunch-confirms")).splitlines()
    assert {"- {method:", "+ --speculative-config.method", "  --port"} <= set(lines)


def test_hostile_text_makes_no_heading_link_or_block() -> None:
    """On a terminal no control sequence of a log is left, no hyperlink is made and no heading is added."""
    text = markdown(hostile())
    assert not _UNSAFE.search(text)
    drawn = io.StringIO()
    Console(file=drawn, force_terminal=True, width=200).print(Markdown(text, hyperlinks=False))
    shown = re.sub(r"\x1b\[[\d;]*m", "", drawn.getvalue())
    assert "\x1b" not in shown
    assert not _UNSAFE.search(shown)


@pytest.mark.parametrize("text", ["`", "``", "a`b``c", "```", "\n# x\n", "", TEXT])
def test_a_code_span_holds_whatever_it_is_given(text: str) -> None:
    """The fence is longer than any run of ticks inside."""
    made = code(text)
    fence = re.match("`+", made)
    assert fence is not None
    assert made.endswith(fence[0])
    assert fence[0] not in made[len(fence[0]) : -len(fence[0])]
    assert "\n" not in made


def test_a_block_holds_whatever_it_is_given() -> None:
    """No line inside can close it."""
    lines = block("```\n````\n# x")
    assert ("`````", "`````", "") == (lines[0], lines[-2], lines[-1])


def test_plain_words_have_no_markup() -> None:
    """Characters that Markdown reads are escaped."""
    assert r"\[x\](y) \*\*b\*\* \`c\` \<d\> a\_b" == plain("[x](y) **b** `c` <d> a_b")


def test_a_terminal_shows_a_list_not_code() -> None:
    """Every step of the timeline is an item of a list: no line is drawn with the ticks of its Markdown."""
    drawn = io.StringIO()
    Console(file=drawn, width=200).print(Markdown(markdown(told("three-in-series")), hyperlinks=False))
    assert "`" not in drawn.getvalue()
    assert "0.61 s ✗ launch 1: exited with status 2" in drawn.getvalue()
