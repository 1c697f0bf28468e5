"""Every event survives its line; what the schema does not know is refused."""

import hashlib
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transcripts import codec
from transcripts.errors import TranscriptError
from transcripts.events import AnyEvent, Noted
from transcripts.records import Outcome

KINDS = get_args(AnyEvent)
TEXT = st.text(max_size=12) | st.sampled_from(["blob:x", "\udc80raw", "a" * (codec.BLOB_LIMIT + 1), "$HF_TOKEN", "\x00\r\n\u2028"])


def values(kind: Any) -> st.SearchStrategy[Any]:
    """A strategy for every value that a field annotated `kind` can have."""
    node = msgspec.inspect.type_info(kind) if not isinstance(kind, msgspec.inspect.Type) else kind
    match node:
        case msgspec.inspect.StrType():
            return TEXT
        case msgspec.inspect.BoolType():
            return st.booleans()
        case msgspec.inspect.IntType():
            return st.integers(-(2**53), 2**53)
        case msgspec.inspect.FloatType():
            return st.floats(allow_nan=False, allow_infinity=False)
        case msgspec.inspect.NoneType():
            return st.none()
        case msgspec.inspect.AnyType():
            return st.none()
        case msgspec.inspect.LiteralType(values=literals):
            return st.sampled_from(list(literals))
        case msgspec.inspect.EnumType(cls=enumeration):
            return st.sampled_from(list(enumeration))
        case msgspec.inspect.UnionType(types=types):
            return st.one_of([values(item) for item in types])
        case msgspec.inspect.VarTupleType(item_type=item):
            return st.lists(values(item), max_size=2).map(tuple)
        case msgspec.inspect.DictType():
            return st.dictionaries(st.text(max_size=6), TEXT, max_size=2)
        case msgspec.inspect.StructType(cls=struct):
            return built(struct)
        case _:
            raise TypeError(f"no strategy for {node}")


def built(struct: type[Any]) -> st.SearchStrategy[Any]:
    """A strategy for every value of a record class."""
    known = msgspec.inspect.type_info(struct)
    assert isinstance(known, msgspec.inspect.StructType)
    return st.builds(struct, **{field.name: values(field.type) for field in known.fields})


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_event_survives_its_line(kind: type[AnyEvent]) -> None:
    """Whatever an event holds (long texts, bytes that are no UTF-8, texts that look like blobs), reading gives it back equal.

    The line is the same whether it is made of the event or of its plain values, and holds no long text.
    """

    @settings(max_examples=40, deadline=None, database=None)
    @given(event=built(kind))
    def survives(event: AnyEvent) -> None:
        blobs: dict[str, bytes] = {}
        line = codec.line(codec.ordered(event), blobs.__setitem__)

        assert event == codec.decode(line, blobs.__getitem__)
        assert line == codec.line_of(event, blobs.__setitem__)
        assert b"a" * (codec.BLOB_LIMIT + 1) not in line
        assert line.startswith((b'{"seq":', b'{"event":')) and line.endswith(b"}\n")

    survives()


def test_every_kind_has_a_tag_of_its_own() -> None:
    """The tag names the class, so two classes never share one."""
    tags = [kind.__struct_config__.tag for kind in KINDS]

    assert len(KINDS) == len(set(tags))


@pytest.mark.parametrize(
    "line",
    [
        b'{"event":"never-heard-of","text":"x"}',
        b'{"event":"noted","text":"x","surprise":1}',
        b'{"event":"noted","text":1}',
        b'{"text":"x"}',
        b"{",
        b"[]",
        b"\xff\xfe",
    ],
)
def test_what_the_schema_does_not_know_is_refused(line: bytes) -> None:
    """An unknown tag, an unknown field, a wrong type and no JSON at all are errors, never guesses."""
    with pytest.raises(TranscriptError, match="not an event of this schema"):
        codec.decode(line, lambda name: b"")


def test_unknown_field_inside_a_record_is_refused() -> None:
    """A field that a nested record does not have is refused like one of the event itself."""
    with pytest.raises(TranscriptError, match="unknown field"):
        codec.decode(b'{"event":"fault-seen","fault":{"signs":[],"order":1,"text":"x","surprise":1}}', lambda name: b"")


def test_long_text_becomes_a_blob_named_by_its_hash() -> None:
    """A text over the limit is stored once under its hash, and the line holds the name."""
    blobs: dict[str, bytes] = {}
    text = "x" * (codec.BLOB_LIMIT + 1)
    line = codec.line_of(Noted(text=text), blobs.__setitem__)

    assert {hashlib.sha256(text.encode()).hexdigest(): text.encode()} == blobs
    assert f"blob:{hashlib.sha256(text.encode()).hexdigest()}".encode() in line


def test_a_blob_name_is_a_hash_and_no_path() -> None:
    """A transcript from elsewhere cannot make the reader open a file outside its blobs."""
    name = "blob:" + ("../" * 22)[:64]
    event = codec.decode(msgspec.json.encode({"event": "noted", "text": name}), lambda blob: b"stolen")

    assert Noted(text=name) == event


def test_outcomes_are_written_as_their_names() -> None:
    """An outcome is a word in the record, so that a person can read it."""
    assert b'"no-tool"' == msgspec.json.encode(Outcome.NO_TOOL)


def test_schema_of_a_line_names_every_kind() -> None:
    """The JSON Schema of a line offers every kind of event."""
    schema = codec.json_schema()

    assert len(KINDS) == len(schema["anyOf"])
