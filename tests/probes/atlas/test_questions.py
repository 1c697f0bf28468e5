"""Questions to the atlas: when a flag came and went, what replaced it, its value's form, its neighbours, and whole command lines."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from probes.atlas.history import FRAMEWORKS, history, table_for
from probes.atlas.nearness import nearest_flags
from probes.atlas.oldest import releases_taking
from probes.atlas.questions import elsewhere, forms, key_lifetime, lifetime, replacement, value_form, value_lifetime
from probes.atlas.table import Flag, FlagTable

STORIES = tomllib.loads((Path(__file__).parent / "stories.toml").read_text())["story"]


@pytest.mark.parametrize("story", STORIES, ids=lambda story: f"{story['flag']}-{story.get('release', '')}")
def test_what_became_of_a_flag(story: dict[str, Any]) -> None:
    """The releases that take it, what makes the setting now, and how its value is written are those of the sources."""
    flag, release = story["flag"], story.get("release", "")
    assert [tuple(span) for span in story["spans"]] == list(lifetime("vllm", flag).spans)
    found = replacement("vllm", flag, release)
    assert (story["replaced"], story.get("key", "")) == ((found.flag, found.key) if found else ("", ""))
    form = value_form("vllm", flag, release)
    assert form is None if not story["form"] else form is not None and form.form.startswith(story["form"])


def test_a_value_form_has_its_time() -> None:
    """The pairs of --limit-mm-per-prompt became JSON, and each form says since when."""
    told = forms("vllm", "--limit-mm-per-prompt")
    assert ("KEY=NUMBER, separated by commas", "JSON") == (told[0].form, told[-1].form)
    assert "0.5.5" == told[0].since
    assert value_form("vllm", "--limit-mm-per-prompt") == told[-1]


def test_a_meaning_outweighs_a_spelling() -> None:
    """Of options spelt alike, the one that takes such a value comes first."""
    flags = (
        Flag(names=("--quant-mode",), dest="a", type="int"),
        Flag(names=("--quant-kind",), dest="b", type="str", choices=("awq", "gptq")),
        Flag(names=("--port",), dest="c", type="int"),
    )
    table = FlagTable(framework="vllm", release="1", flags=flags)
    assert ("--quant-kind", "--quant-mode") == nearest_flags("--quant-mod", table, "awq")[:2]
    assert "--quant-mode" == nearest_flags("--quant-mod", table, "3")[0]
    assert () == nearest_flags("--entirely-else", table)


def test_a_foreign_flag_is_placed() -> None:
    """A flag of another framework is known by it; one of this framework alone by none."""
    assert ["sglang"] == [other.framework for other in elsewhere("vllm", "--mem-fraction-static")]
    assert [] == list(elsewhere("vllm", "--speculative-config"))


def test_keys_and_values_of_a_configuration_have_their_time() -> None:
    """A key of a JSON configuration, and a literal that it takes, came with a release."""
    assert key_lifetime("vllm", "SpeculativeConfig", "method").spans[-1][1] == lifetime("vllm", "--model").newest
    assert value_lifetime("vllm", "SpeculativeConfig", "method", "ngram").spans
    assert () == value_lifetime("vllm", "SpeculativeConfig", "method", "telepathy").spans
    assert () == key_lifetime("vllm", "SpeculativeConfig", "methd").spans


def test_the_oldest_release_that_takes_a_command_line() -> None:
    """A command line is taken since its youngest flag came, or its value's form, and until its oldest flag went."""
    taking = releases_taking("vllm", ("vllm", "serve", "m", "--speculative-config", '{"method": "ngram"}'))
    assert ("0.8.2", "0.33.0") == (taking.life.first, taking.life.last)
    none = releases_taking("vllm", ("vllm", "serve", "m", "--num-scheduler-steps", "8", "--structured-outputs-config", "{}"))
    assert () == none.life.spans
    assert "--num-scheduler-steps" in none.refused
    assert "0.9.0" == releases_taking("vllm", ("vllm", "serve", "m", "--speculative-config.method", "ngram")).life.first


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_every_release_is_answered_exactly(framework: str) -> None:
    """For every release of the atlas the table's names are those that the history has, and nothing is doubted for its release."""
    known = history(framework)
    assert known is not None
    for place, release in enumerate(known.releases):
        table = table_for(framework, release)
        assert table is not None
        assert {name for name in known.having if place in known.having[name]} == {name for flag in table.flags for name in flag.names}
        assert f"atlas: {release}" == table.source
