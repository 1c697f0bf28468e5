"""The postmortem's page in a real browser, from disk, with the network off."""

import base64
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.postmortem.page import page
from tests.agent.postmortem.hostile import hostile
from tests.live.chromium import Chromium
from tests.transcripts.postmortem.building import told

pytestmark = pytest.mark.live

PROGRAM = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), "")
CONTRAST = r"""
(() => {
  const parse = (text) => text.match(/[\d.]+/g).map(Number);
  const light = (c) => { const v = c / 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
  const luminance = ([r, g, b]) => 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b);
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const color = parse(getComputedStyle(e).backgroundColor);
      if (color.length < 4 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  document.querySelectorAll("details").forEach((one) => (one.open = true));
  const low = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || element.closest("svg, script, .hidden, .skip") || !element.getClientRects().length) continue;
    const pair = [luminance(parse(getComputedStyle(element).color)), luminance(behind(element))].sort((a, b) => b - a);
    const ratio = (pair[0] + 0.05) / (pair[1] + 0.05);
    if (ratio < 4.5) low.push(`${element.tagName}.${element.className}: ${ratio.toFixed(2)}`);
  }
  return [...new Set(low)];
})()
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    """A headless Chromium."""
    if not PROGRAM:
        pytest.skip("Chromium is not installed here (Debian: apt-get install chromium): the page was not looked at in a browser")
    with Chromium(PROGRAM, tmp_path_factory.mktemp("profile")) as started:
        yield started


def _page(folder: Path, name: str) -> Path:
    file = folder / f"{name}.html"
    file.write_text(page(hostile() if name == "hostile" else told(name)), encoding="utf-8")
    return file


@pytest.mark.parametrize("name", ["five-launches", "three-in-series", "seen-without-launch", "hostile"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_page_is_readable(browser: Chromium, tmp_path: Path, name: str, dark: bool) -> None:
    """Every text has a contrast of 4.5 to 1 against what is behind it, in both schemes, and nothing is wider than the screen."""
    file = _page(tmp_path, name)
    for width in (1280, 390):
        browser.open(file, width, dark)
        assert browser.run("document.documentElement.scrollWidth") <= width
        assert [] == browser.run(CONTRAST)
    background = browser.run("getComputedStyle(document.body).backgroundColor")
    assert ("rgb(20, 23, 26)" if dark else "rgb(251, 251, 249)") == background


def test_hostile_text_does_nothing(browser: Chromium, tmp_path: Path) -> None:
    """No script of a log runs, nothing is asked of the network, and the console stays silent."""
    browser.open(_page(tmp_path, "hostile"))
    browser.run("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    assert browser.run("window.pwned === undefined && document.querySelectorAll('img, #items script, a[href^=javascript]').length === 0")
    asked = [event["params"]["request"]["url"] for event in browser.events if event.get("method") == "Network.requestWillBeSent"]
    assert [] == [url for url in asked if not url.startswith("file:")]
    assert [] == [
        event for event in browser.events if event.get("method") in ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled")
    ]


def test_the_keyboard_steps_through_the_events(browser: Chromium, tmp_path: Path) -> None:
    """Arrows open one step after the other; the belief, the place and the mark in the picture follow, and the focus is where the eye is."""
    browser.open(_page(tmp_path, "relaunch-confirms"))
    for _ in range(6):
        browser.press("ArrowRight")
    count = browser.run("document.querySelectorAll('#items > li').length")
    assert f"Step 7 (6 of {count})" == browser.run("document.getElementById('place').textContent")
    assert ["step-7"] == browser.run("[...document.querySelectorAll('#items details[open]')].map((one) => one.parentElement.id)")
    assert "quoting/json-split" == browser.run("document.querySelector('#bars .bar span').textContent")
    assert "step-7" == browser.run("document.activeElement.closest('li').id")
    assert browser.run("document.getElementById('cursor').classList.contains('on')")
    for key, place in (("ArrowLeft", 5), ("j", 6), ("k", 5), ("End", count), ("ArrowRight", count), ("Home", 1)):
        browser.press(key)
        assert browser.run("document.getElementById('place').textContent").endswith(f"({place} of {count})"), key


def test_a_link_to_a_step_opens_it(browser: Chromium, tmp_path: Path) -> None:
    """What the verdict points to is shown."""
    browser.open(_page(tmp_path, "five-launches"))
    browser.run("document.querySelector('.moments a').click()")
    browser.run("new Promise((done) => setTimeout(done, 50))")
    assert browser.run("document.querySelector(document.querySelector('.moments a').hash + ' details').open")


def test_a_page_prints_whole(browser: Chromium, tmp_path: Path) -> None:
    """On paper every step is open and what only a screen needs is gone."""
    browser.open(_page(tmp_path, "three-in-series"), dark=True)
    browser.run("dispatchEvent(new Event('beforeprint'))")
    assert browser.run("document.querySelectorAll('details:not([open])').length") == 0
    browser.send("Emulation.setEmulatedMedia", media="print")
    assert ["none", "none"] == browser.run("['nav', 'aside'].map((tag) => getComputedStyle(document.querySelector(tag)).display)")
    assert "rgb(255, 255, 255)" == browser.run("getComputedStyle(document.body).backgroundColor")
    assert base64.b64decode(browser.send("Page.printToPDF")["data"]).startswith(b"%PDF-")
    browser.run("dispatchEvent(new Event('afterprint'))")
    assert browser.run("document.querySelectorAll('#items details[open]').length") == 0
