"""The shapes of values, and the JSON that damaged ones were."""

import json

import pytest

from probes.launches.shapes import json_pieces, repaired_json, shape_of
from transcripts.variables import SHAPE

WANTS_JSON = [
    ("{method: mtp, n: 1}", "stripped"),
    ("{method:x,n:1}", "stripped"),
    ("[1, {a: b}]", "stripped"),
    ("{method:", "cut-stripped"),
    ("{n:", "cut-stripped"),
    ("method:x", "alternative"),
    ("image:4", "alternative"),
    ('"video":1', "alternative"),
    ('{"a":', "cut-kept"),
    ('{"method":"x",', "cut-kept"),
    ('\\{\\"a\\":1\\}', "escaped"),
    ('{\\"a\\": 1}', "escaped"),
    ("'{\"a\":1}'", "quoted"),
    ('"{"a": 1}"', "quoted"),
    ("“{method:1}”", "typographic"),
    ("{“a”: 1}", "typographic"),
    ('{"a": 1}\r', "typographic"),
    ('{"n":{name}}', "template"),
    ('{{"method": "x"}}', "template"),
    ("${X}", "dollar"),
    ("$SPEC", "dollar"),
    ("~/spec.json", "dollar"),
    ('{"model": "$DRAFT"}', "dollar"),
    ("", "empty"),
    ("--port", "next-flag"),
    ('{"a": 1, "b": {"c": [1, 2]}}', "intact-json"),
    ("[]", "intact-json"),
    ("{'a': 1}", "python-literal"),
    ("{'a': True, 'b': None}", "python-literal"),
    ('{"a": 1,}', "python-literal"),
    ('{"a": 1 "b": 2}', "broken-json"),
    ('{"a": 1', "broken-json"),
    ("/tmp/spec.json", "path"),
    ("spec.json", "path"),
    ("image=4,audio=1", "old-format"),
    ("dflash,", "json-tail"),
    ("15}", "json-tail"),
    ("n:", "json-tail"),
    ("C:/Program Files/Git/spec", "windows-path"),
    ("true", "boolean-word"),
    ("dflash", "word"),
]
PLAIN = [
    ("auto", "intact"),
    ("8000", "intact"),
    ("-1", "intact"),
    ("meta-llama/Llama-3.1-8B", "intact"),
    ("qwen:7b", "intact"),
    ("localhost:8000", "intact"),
    ("http://127.0.0.1:80/v1", "intact"),
    ("--host 127.0.0.1", "joined"),
    ("--dtype=auto --port=80", "joined-equals"),
    ("--dtype=float32", "flag"),
    ("--port", "flag"),
    ("-tp", "single-dash"),
    ("-config", "single-dash"),
    ("vllm serve m --port 80", "whole-command"),
    (" ", "backslash"),
    ("\\ ", "backslash"),
    ("–-port", "typographic"),
    ("--port\u00a080", "typographic"),
    ("/models/x", "path"),
    ("./m", "path"),
    ("False", "boolean-word"),
    ("image=4", "old-format"),
    ("num_speculative_tokens:15", "alternative"),
    ("'auto'", "quoted"),
]


@pytest.mark.parametrize(("value", "shape"), WANTS_JSON)
def test_shape_where_json_is_wanted(value: str, shape: str) -> None:
    """What is left of a JSON value tells what happened to it."""
    assert shape_of(value, wants_json=True) == shape


@pytest.mark.parametrize(("value", "shape"), PLAIN)
def test_shape_of_plain_values(value: str, shape: str) -> None:
    """Ordinary values are intact, and words that a layer damaged are told from them."""
    assert shape_of(value) == shape


@pytest.mark.parametrize("value", [value for value, _ in WANTS_JSON + PLAIN])
def test_shapes_are_values_of_the_variable(value: str) -> None:
    """No shape is given that the variable does not list."""
    assert {shape_of(value), shape_of(value, wants_json=True)} <= set(SHAPE.rates)


@pytest.mark.parametrize(
    ("damaged", "meant"),
    [
        ('{"a": 1}', {"a": 1}),
        ("{method: dflash, n: 15}", {"method": "dflash", "n": 15}),
        ("{method:dflash,n:15}", {"method": "dflash", "n": 15}),
        ("{a: true, b: false, c: null, d: 1.5, e: -2}", {"a": True, "b": False, "c": None, "d": 1.5, "e": -2}),
        ("{a: {b: [1, x]}, c: org/model-7B}", {"a": {"b": [1, "x"]}, "c": "org/model-7B"}),
        ("{url: http://h:80/x}", {"url": "http://h:80/x"}),
        ("{'a': 'b', 'c': True}", {"a": "b", "c": True}),
        (["{method:", "dflash,", "n:", "15}"], {"method": "dflash", "n": 15}),
        (['{"method":', '"x y",', '"n":', "15}"], {"method": "x y", "n": 15}),
        (["image:4", "video:1"], {"image": 4, "video": 1}),
        ('\\{\\"a\\": 1\\}', {"a": 1}),
        ("'{\"a\": 1}'", {"a": 1}),
        ("{“a”: “b”}", {"a": "b"}),
        ('{"a": 1,}', {"a": 1}),
        ('{{"a": {{"b": 1}}}}', {"a": {"b": 1}}),
        ('{"a": {"b": 1}', {"a": {"b": 1}}),
        ("[a, b]", ["a", "b"]),
    ],
)
def test_repaired_json(damaged: str | list[str], meant: object) -> None:
    """The JSON that was meant comes back from what is left of it, numbers and true, false, null bare."""
    repaired = repaired_json(damaged)
    assert repaired is not None
    assert json.loads(repaired) == meant


@pytest.mark.parametrize(
    "value", ["", "abc", "{method:", "{abc}", "image=4", "image:4", "/x.json", "{% raw %}", '{"a": {name}}', "{a: b: c}", "}{", "[" * 5000]
)
def test_what_cannot_be_repaired(value: str) -> None:
    """A value that does not say what was meant is left alone."""
    assert repaired_json(value) is None


@pytest.mark.parametrize(
    ("argv", "count"),
    [
        (["{method:", "x,", "n:", "15}", "--port"], 3),
        (["--x={method:", "x}", "y"], 1),
        (["{a:1}", "b"], 0),
        (["{a:", "--port", "1}"], 0),
        (["{a:", "b"], 0),
        (["image:4", "audio:1", "--port"], 1),
        (["auto", "b"], 0),
        (['{"a":', '{"b":', '"x}"', "}}"], 3),
    ],
)
def test_json_pieces(argv: list[str], count: int) -> None:
    """The words of a cut JSON value are counted up to its closing bracket, never past a flag."""
    assert json_pieces(argv, 0) == count
