"""Values in another notation, choices that were meant, keys that were meant."""

import pytest

from agent.causes.config.credentials import variable
from agent.causes.config.invalid_choice import listed, nearest
from agent.causes.config.invalid_value import corrected
from agent.causes.config.unknown_key import near_key, renamed

DTYPES = ("auto", "bfloat16", "float", "float16", "float32", "half")


@pytest.mark.parametrize(
    ("value", "kind", "flag", "right"),
    [
        ("4k", "int", "--max-num-seqs", "4096"),
        ("2M", "int", "--max-num-batched-tokens", "2097152"),
        ("1.5k", "int", "--max-num-seqs", "1536"),
        ("128.0", "int", "--port", "128"),
        ("1,024", "int", "--max-num-seqs", "1024"),
        ("1_024", "human_readable_int", "--max-model-len", "1024"),
        (" 8000 ", "int", "--port", "8000"),
        ("'8000'", "int", "--port", "8000"),
        ("8192 tokens", "int", "--max-model-len", "8192"),
        ("80%", "float", "--gpu-memory-utilization", "0.8"),
        ("0,9", "float", "--gpu-memory-utilization", "0.9"),
        ("90%", "", "--gpu-memory-utilization", "0.9"),
        ("8000.5", "int", "--port", None),
        ("abc", "int", "--port", None),
        ("8000", "int", "--port", None),
        ("1,2", "int", "--port", None),
        ("fast", "float", "--gpu-memory-utilization", None),
        ("80%", "str", "--served-model-name", None),
        ("", "int", "--port", None),
    ],
)
def test_a_value_is_written_as_its_option_reads_it(value: str, kind: str, flag: str, right: str | None) -> None:
    """The same quantity in the notation of the option's type; nothing where that is a guess, or where nothing is to be changed."""
    assert corrected(value, kind, flag) == right


@pytest.mark.parametrize(
    ("value", "choices", "first"),
    [
        ("float17", DTYPES, "float16"),
        ("BF16", DTYPES, "bfloat16"),
        ("fp16", DTYPES, "float16"),
        ("Float32", DTYPES, "float32"),
        ("int4", DTYPES, None),
        ("ngramm", ("ngram", "eagle", "medusa"), "ngram"),
        ("zzz", ("ngram", "eagle", "medusa"), None),
        ("", DTYPES, None),
    ],
)
def test_the_nearest_choice_is_found_or_none(value: str, choices: tuple[str, ...], first: str | None) -> None:
    """A choice that differs by case, by a common other name or by little is found; what is far from all of them has none."""
    assert next(iter(nearest(value, choices)), None) == first


@pytest.mark.parametrize("text", ['["a", "b c"]', "('a', 'b c')", "'a', 'b c'", "a, b c"])
def test_choices_are_read_in_every_form_in_which_they_are_printed(text: str) -> None:
    """A JSON list, a Python tuple, quoted words and bare words with commas are the same choices."""
    assert listed(text) == ("a", "b c")


@pytest.mark.parametrize(
    ("key", "near"),
    [
        ("num_spec_tokens", "num_speculative_tokens"),
        ("numSpeculativeTokens", "num_speculative_tokens"),
        ("num-speculative-tokens", "num_speculative_tokens"),
        ("methd", "method"),
        ("temperature", None),
    ],
)
def test_the_key_that_was_meant_is_found(key: str, near: str | None) -> None:
    """Another spelling, a shortened word and a dropped letter lead to the key; an unrelated one to none."""
    assert near_key(key, ("method", "num_speculative_tokens", "prompt_lookup_max")) == near


def test_a_key_is_renamed_where_it_stands_and_order_is_kept() -> None:
    """Only the key changes, at any depth, and its place among the others stays."""
    assert list(renamed({"a": 1, "b": [{"x": 2}], "c": 3}, "x", "y").items()) == [("a", 1), ("b", [{"y": 2}]), ("c", 3)]


@pytest.mark.parametrize("name", ["LITELLM_MASTER_KEY", "master_key", "os.environ/LITELLM_MASTER_KEY", "general_settings.master_key"])
def test_the_master_key_is_known_by_all_its_names(name: str) -> None:
    """The variable is the same however the error or the file writes it."""
    assert variable(name) == "LITELLM_MASTER_KEY"
