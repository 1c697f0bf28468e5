"""What a parser takes silently: told for what it is, and never as an error of the parser."""

import pytest

from probes.atlas.history import table_for
from probes.atlas.table import Flag, FlagTable
from probes.atlas.traps import dropped_keys, traps
from probes.frameworks.catalogue import by_name
from probes.frameworks.framework import Framework


def framework(name: str = "vllm") -> Framework:
    """What is known of it."""
    found = by_name(name)
    assert found is not None
    return found


def table(release: str, name: str = "vllm") -> FlagTable:
    """The flags of a release in the atlas."""
    found = table_for(name, release)
    assert found is not None
    return found


def told(words: tuple[str, ...], release: str, name: str = "vllm") -> list[tuple[str, str, str, bool]]:
    """The traps among the words: the sign's variable and value, its flag, and whether it is established."""
    faults = traps(words, table(release, name), framework(name))
    return [(fault.signs[0].variable, fault.signs[0].value, fault.signs[0].parameters["flag"], fault.established) for fault in faults]


def test_a_configuration_file_behind_an_equals_sign_is_ignored() -> None:
    """vLLM never reads the file of --config=FILE; SGLang does, and so does vLLM of --config FILE."""
    assert [("delivery", "joined", "--config", True)] == told(("m", "--config=f.yaml"), "0.20.1")
    assert [] == told(("m", "--config", "f.yaml"), "0.20.1")
    assert [] == told(("--config=f.yaml",), "0.5.23", "sglang")


def test_a_prefix_is_taken_for_the_option_that_it_begins() -> None:
    """An abbreviation of one option is told, with what it is taken for, and what it was; an ambiguous one is the parser's own error."""
    assert [("kin", "near", "--max-model", False)] == told(("m", "--max-model", "100"), "0.20.1")
    assert [] == told(("m", "--max-", "100"), "0.20.1")
    faults = traps(("m", "--speculative-conf", "{}"), table("0.20.1"), framework())
    assert "--speculative-config" == faults[0].signs[0].parameters["near"]


def test_a_value_that_is_no_longer_looked_at() -> None:
    """A value that the release does not know is told, as a remark; one that it knows is not, nor one that the parser itself refuses."""
    assert [("error", "invalid-choice", "--tokenizer-mode", False)] == told(("m", "--tokenizer-mode", "fast"), "0.20.1")
    assert [] == told(("m", "--tokenizer-mode", "slow"), "0.20.1")
    assert [] == told(("m", "--tokenizer-mode", "fast"), "0.8.5")
    assert [("error", "invalid-choice", "--load-format", False)] == told(("m", "--load-format", "bogus"), "0.10.1")
    assert [] == told(("m", "--load-format", "bogus"), "0.10.0")
    assert [] == told(("m", "--kv-cache-dtype", "bogus"), "0.32.0")
    assert [("error", "invalid-choice", "--kv-cache-dtype", False)] == told(("m", "--kv-cache-dtype", "bogus"), "0.33.0")


@pytest.mark.parametrize(("release", "count"), [("0.20.1", 1), ("0.28.0", 0), ("", 0)])
def test_false_in_the_configuration_file_is_dropped(release: str, count: int) -> None:
    """Before 0.28.0 a key that is false leaves its option as it is, which matters where that is on; since then it is turned off."""
    flags = (
        Flag(names=("--prefix-caching", "--no-prefix-caching"), dest="a", takes_value=False, default=True),
        Flag(names=("--eager", "--no-eager"), dest="b", takes_value=False, default=False),
        Flag(names=("--plain",), dest="c", takes_value=False),
    )
    given = {"prefix_caching": False, "eager": False, "plain": False, "model": "m"}
    faults = dropped_keys(given, FlagTable(framework="vllm", release=release, flags=flags), framework(), "f.yaml")
    assert count == len(faults)
    assert all("--no-prefix-caching" in fault.text for fault in faults)
