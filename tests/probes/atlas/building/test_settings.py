"""The settings of the machine's pip, by what ``pip config list`` prints."""

import pytest

from probes.atlas.building.settings import DEFAULT_INDEX, RegistryError, machine_settings, settings_of

LISTED = """\
:env:.cert='/etc/ssl/ca.crt'
:env:.default-timeout='180'
download.index-url='https://download.example/simple'
freeze.timeout='10'
global.extra-index-url='file:///opt/a/simple\\nhttps://b.example/simple'
global.index-url='https://mirror.example/simple'
global.trusted-host='b.example'
wheel.cert='/nowhere'
"""


def test_sections_that_bear_on_a_download_are_read_the_later_winning() -> None:
    """The environment outweighs the command's section, that outweighs the global one; other commands' sections say nothing."""
    settings = settings_of(LISTED)
    assert ("https://download.example/simple", "file:///opt/a/simple", "https://b.example/simple") == settings.index_urls
    assert ("/etc/ssl/ca.crt", 180.0, ("b.example",)) == (settings.cert, settings.timeout, settings.trusted_hosts)


def test_without_settings_the_public_index_is_asked() -> None:
    """An empty configuration means the public index; ``no-index`` means none of it."""
    assert (DEFAULT_INDEX,) == settings_of("").index_urls
    assert () == settings_of("global.no-index='true'").index_urls


def test_the_environment_of_pip_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    """What this machine's own pip is told through a variable is what the builder uses."""
    monkeypatch.setenv("PIP_INDEX_URL", "https://mirror.example/simple")
    assert "https://mirror.example/simple" == machine_settings().index_urls[0]


def test_no_pip_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Python without pip is an error that tells what to install."""
    monkeypatch.setattr("sys.executable", "/bin/false")
    with pytest.raises(RegistryError, match=r"nostart\[atlas\]"):
        machine_settings()
