"""The postmortem as a page: whole in itself, inert whatever the logs hold, accessible by its structure."""

import base64
import hashlib
import re
from collections import Counter
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from agent.postmortem.page import page
from tests.agent.postmortem.hostile import hostile
from tests.transcripts.postmortem.building import told

NAMES = ("five-launches", "relaunch-confirms", "three-in-series", "seen-without-launch")
_VOID = {"meta", "link", "img", "br", "hr", "input"}
_FETCHING = {"src", "srcset", "data", "action", "formaction", "poster", "background", "ping", "xlink:href"}
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]")


class Page(HTMLParser):
    """What a page is made of: its tags with their attributes, its text, and whether every tag is closed where it should be."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.texts: dict[str, list[str]] = {}
        self.wrong: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        self.wrong += self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the tag."""
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag that closes itself."""
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        """It must close the last one opened."""
        if not self._open or self._open.pop() != tag:
            self.wrong.append(f"/{tag}")

    def handle_data(self, data: str) -> None:
        """Keep the text by the tag it stands in."""
        self.texts.setdefault(self._open[-1] if self._open else "", []).append(data)

    def all(self, name: str) -> list[str]:
        """Every value of an attribute."""
        return [attributes[name] for _, attributes in self.tags if name in attributes]

    def count(self, tag: str) -> int:
        """How many tags of a kind there are."""
        return sum(name == tag for name, _ in self.tags)


@pytest.fixture(scope="module", params=[*NAMES, "hostile"])
def text(request: pytest.FixtureRequest) -> str:
    """A page of each kind."""
    return page(hostile() if request.param == "hostile" else told(request.param))


def test_a_page_is_well_formed_and_its_ids_are_unique(text: str) -> None:
    """Every tag is closed, no id stands twice, and every link within the page leads somewhere."""
    read = Page(text)
    assert ([], []) == (read.wrong, [name for name, count in Counter(read.all("id")).items() if count > 1])
    targets = {f"#{name}" for name in read.all("id")}
    assert set() == {link for link in read.all("href") if link not in targets}
    assert set() == {f"#{name}" for value in read.all("aria-labelledby") for name in value.split()} - targets


def test_a_page_needs_no_network(text: str) -> None:
    """Nothing is fetched from anywhere, and the page's own policy would refuse it."""
    read = Page(text)
    assert [] == [name for name in _FETCHING if read.all(name)]
    assert 0 == sum(read.count(tag) for tag in ("link", "img", "iframe", "object", "embed", "base", "form", "audio", "video"))
    assert not re.search(r"url\(|@import", "".join(read.texts["style"]))
    policy = next(attributes["content"] for tag, attributes in read.tags if tag == "meta" and attributes.get("http-equiv"))
    assert policy.startswith("default-src 'none';")
    script = read.texts["script"][-1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy


def test_a_page_is_below_a_megabyte(text: str) -> None:
    """An ordinary run makes a page that is quick to open and to send."""
    assert len(text.encode()) < 300_000


def test_a_page_has_landmarks_and_an_order(text: str) -> None:
    """One header, main, navigation and footer, one first heading, and no level of headings left out."""
    read = Page(text)
    assert [1, 1, 1, 1, 1] == [read.count(tag) for tag in ("header", "main", "nav", "footer", "h1")]
    levels = [int(tag[1]) for tag, _ in read.tags if re.fullmatch("h[1-6]", tag)]
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert ["en"] == read.all("lang")
    assert all(attributes.get("aria-hidden") == "true" for tag, attributes in read.tags if tag == "svg")
    assert all(attributes.get("aria-label") for tag, attributes in read.tags if attributes.get("role") in ("img", "region"))
    assert all(attributes.get("scope") for tag, attributes in read.tags if tag == "th")
    assert all(attributes.get("type") == "button" for tag, attributes in read.tags if tag == "button")


def test_a_page_knows_dark_print_and_reduced_motion(text: str) -> None:
    """The style has its own rules for a dark screen, paper, a small screen, little motion and forced colours."""
    style = "".join(Page(text).texts["style"])
    for query in ("prefers-color-scheme:dark", "@media print", "max-width:34rem", "prefers-reduced-motion:reduce", "forced-colors:active"):
        assert query in style


def test_hostile_text_stays_text() -> None:
    """No tag, attribute, script or control character of a log reaches the page; the text itself does."""
    text = page(hostile())
    read = Page(text)
    assert not _UNSAFE.search(text)
    assert (2, 1, 0) == (read.count("script"), read.count("style"), read.count("img"))
    assert [] == [name for _, attributes in read.tags for name in attributes if name.startswith("on")]
    assert [] == [link for link in read.all("href") if not link.startswith("#")]
    assert [] == [value for value in read.all("style") if not re.fullmatch(r"(?:top|left):[\d.]+%", value)]
    assert "49" not in "".join(read.texts["h1"])
    assert any("<script>window.pwned=1</script>" in piece for piece in read.texts["code"])
    assert any("\\u202e" in piece for piece in read.texts["code"])


def test_the_page_says_what_the_fold_found() -> None:
    """The verdict comes first; the moment, the wasted launches, the stale observations and the void readings are named."""
    run = told("five-launches")
    read = Page(page(run))
    words = " ".join(" ".join(piece.split()) for pieces in read.texts.values() for piece in pieces)
    assert [run.headline] == read.texts["h1"]
    for expected in ("quoting/json-split was decidable from launch 1 alone", "Wasted launches", "Stale observations", "Questions without an answer"):
        assert expected in words
    assert 4 == sum(attributes.get("class") == "tag wasted" for tag, attributes in read.tags)


def test_the_picture_has_a_line_for_every_cause_and_words_for_who_cannot_see_it() -> None:
    """Lines differ by more than colour, stand in a legend, and the same numbers are there as a table."""
    read = Page(page(told("three-in-series")))
    classes = {attributes.get("class", "") for tag, attributes in read.tags if tag == "path"}
    assert {"line s0", "line s1", "line s2", "line su", "flag decidable"} <= classes
    label = next(attributes["aria-label"] for _, attributes in read.tags if attributes.get("role") == "img")
    assert label.startswith("Line chart of the probability of each cause over 3.63 seconds.")
    assert "quoting/json-split" in label
    assert read.texts["td"].count("99%") >= 1


def test_every_step_can_be_opened_without_a_script() -> None:
    """Each step is a disclosure of its own, so that reading needs no JavaScript."""
    run = told("seen-without-launch")
    read = Page(page(run))
    assert [f"step-{item.seq}" for item in run.items] == [name for name in read.all("id") if name.startswith("step-")]
    assert len(run.items) + 1 == read.count("details") == read.count("summary")
