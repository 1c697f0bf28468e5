"""The dotted form of JSON options."""

import pytest

from probes.launches.dotted import dotted


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ('{"method": "dflash", "n": 15}', ("--x.method", "dflash", "--x.n", "15")),
        ('{"a": {"b": {"c": 1}}}', ("--x.a.b.c", "1")),
        ('{"a": true, "b": null, "c": 0.5}', ("--x.a", "true", "--x.b", "null", "--x.c", "0.5")),
        ('{"a": ["x", "15"]}', ("--x.a+", "x", "--x.a+", "15")),
        ('{"a": [1, 2]}', ("--x.a", "[1,2]")),
    ],
)
def test_dotted(value: str, words: tuple[str, ...]) -> None:
    """A JSON object becomes one option a member."""
    assert dotted("--x", value) == words


@pytest.mark.parametrize(
    "value",
    [
        "{}",
        '{"a": {}}',
        '{"a": []}',
        '{"a": [{"b": 1}]}',
        '{"a.b": 1}',
        '{"a": "15"}',
        '{"a": "true"}',
        '{"a": "4k"}',
        '{"a": "--b"}',
        '{"a": ["x,y"]}',
        '{"a": ["x", 1]}',
        "[1]",
        "3",
        "not json",
        '{"a": "[1]"}',
    ],
)
def test_what_cannot_be_said(value: str) -> None:
    """What the parser would read as something else is not said in dotted form."""
    assert dotted("--x", value) is None
