"""The format as it is written down is the format as it is."""

import json
import re
from pathlib import Path
from typing import get_args

import jsonschema
import msgspec
import pytest

from transcripts.codec import decode, json_schema
from transcripts.errors import TranscriptError
from transcripts.events import SCHEMA, AnyEvent

HERE = Path(__file__).parent
DOCS = HERE.parents[1] / "docs"
PAGE = (DOCS / "transcript.md").read_text()
KINDS = get_args(AnyEvent)
SAMPLES = sorted(HERE.glob("v1/*/transcript.jsonl"))


def described(kind: type[AnyEvent]) -> msgspec.inspect.StructType:
    """What the codec knows of a kind of event."""
    told = msgspec.inspect.type_info(kind)
    assert isinstance(told, msgspec.inspect.StructType)
    return told


def test_the_written_schema_is_the_schema() -> None:
    """What stands in docs/transcript.schema.json is what the events declare (make schema writes it again)."""
    assert json.loads((DOCS / "transcript.schema.json").read_text()) == json.loads(json.dumps(json_schema()))
    jsonschema.Draft202012Validator.check_schema(json_schema())


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.parent.name)
def test_a_kept_record_satisfies_the_schema(sample: Path) -> None:
    """Every line of every kept record is valid by the written schema, and is an event."""
    validator = jsonschema.Draft202012Validator(json_schema())
    for line in sample.read_bytes().splitlines():
        validator.validate(json.loads(line))
        assert decode(line, lambda name: (sample.parent / "blobs" / name).read_bytes()).seq > 0


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_event_is_described(kind: type[AnyEvent]) -> None:
    """The page has a section for every event that names each of its fields, and none that there is not."""
    told = described(kind)
    section = re.search(rf"^### `{told.tag}`\n(.*?)(?=^##)", PAGE, re.S | re.M)
    assert section is not None
    rows = re.findall(r"^\| (`.*?`) \|", section[1], re.M)
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert [field.name for field in told.fields if field.name not in ("seq", "at")] == named


def test_the_page_knows_no_other_event() -> None:
    """Sections of the page are the kinds of event in their order, and the page names this schema."""
    assert [described(kind).tag for kind in KINDS] == re.findall(r"^### `([\w-]+)`$", PAGE, re.M)
    assert f"`{SCHEMA}`" in PAGE


def test_an_unknown_field_is_refused() -> None:
    """What a later schema may add is refused by this one, not dropped."""
    with pytest.raises(TranscriptError, match="not an event"):
        decode(b'{"event":"noted","text":"x","mood":"good"}', lambda name: b"")
