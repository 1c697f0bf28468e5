"""Event ↔ one line of JSON. Unknown tags and fields are refused on reading; long texts lie in blobs.

A text longer than `BLOB_LIMIT` characters is written as ``blob:SHA256`` and stored under that name beside the transcript; so is one that
JSON cannot hold (an argument whose bytes are no UTF-8), whatever its length.
"""

import hashlib
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import Struct

from transcripts.errors import TranscriptError
from transcripts.events import AnyEvent

BLOB_LIMIT = 4000
BLOB_PREFIX = "blob:"
_PREFIX = BLOB_PREFIX.encode()
_FEW = 16

_decoder: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)
_BLOB = re.compile(BLOB_PREFIX + "[0-9a-f]{64}")
_UNPAIRED = re.compile("[\ud800-\udfff]")


def encode(event: AnyEvent) -> dict[str, Any]:
    """The event as plain values, in the order in which its fields are declared."""
    plain: dict[str, Any] = msgspec.to_builtins(event)
    return plain


def line(value: Mapping[str, Any], store: Callable[[str, bytes], None]) -> bytes:
    """An event's plain values as one line of a transcript; what needs a blob is given to `store(name, data)`."""
    whole = _whole(value)
    return (msgspec.json.encode(condense(value, store)) if whole is None else whole) + b"\n"


def line_of(event: AnyEvent, store: Callable[[str, bytes], None]) -> bytes:
    """The line of an event as it stands: that of `line(encode(event))` in its usual order, without the way through plain values."""
    whole = _whole(event)
    if whole is not None:
        # A tagged value begins with its tag, a line with the number and the time: they change places as bytes.
        tag, place = f'"event":"{event.__struct_config__.tag}",'.encode(), f'"seq":{event.seq},"at":"{event.at}"'.encode()
        if whole.startswith(b"{" + tag + place + b","):
            return b"{" + place + b"," + tag + whole[len(tag) + len(place) + 2 :] + b"\n"
    return line(ordered(event), store)


def ordered(event: AnyEvent) -> dict[str, Any]:
    """The plain values of an event in the order in which a line has them."""
    plain = encode(event)
    return {"seq": plain.pop("seq", 0), "at": plain.pop("at", ""), "event": plain.pop("event"), **plain}


def _whole(value: Any) -> bytes | None:
    """The JSON of a value in which nothing needs a blob: every text is short and none is a blob's name. None for any other."""
    if _shows_long(value):
        return None
    try:
        data = msgspec.json.encode(value)
    except UnicodeEncodeError:
        return None  # a text that JSON cannot hold is a blob
    if _PREFIX in data:
        return None
    if len(data) > BLOB_LIMIT and _may_hold_long(data):
        return None
    return data


def _may_hold_long(data: bytes) -> bool:
    """Whether somewhere in a JSON text no quote of its own stands for so long that this may be a text over the limit."""
    if b"\\" in data:
        data = data.replace(b"\\\\", b"..").replace(b'\\"', b"..")
    step = BLOB_LIMIT // 2  # of so long a text, one such stretch is a part
    return any(data.find(b'"', start, start + step) < 0 for start in range(0, len(data) - step, step))


def _shows_long(value: Any) -> bool:
    """Whether a long text is seen at a glance, in the value's own fields or in those of its records: most such texts stand there."""
    if isinstance(value, Struct):
        items = [getattr(value, name) for name in value.__struct_fields__]
    elif isinstance(value, dict) and len(value) <= _FEW:
        items = list(value.values())
    elif isinstance(value, tuple | list) and len(value) <= _FEW:
        return any(isinstance(item, str) and len(item) > BLOB_LIMIT for item in value)
    else:
        return False
    return any(len(item) > BLOB_LIMIT if isinstance(item, str) else isinstance(item, Struct | dict | tuple) and _shows_long(item) for item in items)


def condense(value: Any, store: Callable[[str, bytes], None]) -> Any:
    """`value` with every long text replaced by its blob name; `store(name, data)` is called for each of them."""
    if isinstance(value, str):
        if len(value) <= BLOB_LIMIT and not value.startswith(BLOB_PREFIX) and not _UNPAIRED.search(value):
            return value
        name, data = _blob(value)
        store(name, data)
        return BLOB_PREFIX + name
    if isinstance(value, Mapping):
        return {key: _condensed(item, store) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_condensed(item, store) for item in value]
    return value


def _condensed(value: Any, store: Callable[[str, bytes], None]) -> Any:
    """`condense`, which looks into nothing that can stay as it is."""
    return value if isinstance(value, dict | list | tuple) and _whole(value) is not None else condense(value, store)


@lru_cache(maxsize=128)
def _blob(text: str) -> tuple[str, bytes]:
    """The name of a text's blob, and its bytes."""
    data = text.encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest(), data


def expand(value: Any, load: Callable[[str], bytes]) -> Any:
    """The inverse of `condense`: blob names become their texts, through `load(name)`."""
    if isinstance(value, str):
        if _BLOB.fullmatch(value):
            return load(value[len(BLOB_PREFIX) :]).decode("utf-8", "surrogatepass")
        return value
    if isinstance(value, dict):
        return {key: expand(item, load) for key, item in value.items()}
    if isinstance(value, list):
        return [expand(item, load) for item in value]
    return value


def decode(line: bytes, load: Callable[[str], bytes]) -> AnyEvent:
    """One line of a transcript as an event.

    Raises:
        TranscriptError: the line is no JSON, or no event of this schema.
    """
    try:
        if _PREFIX not in line:
            return _decoder.decode(line)
        event: AnyEvent = msgspec.convert(expand(msgspec.json.decode(line), load), AnyEvent)
        return event
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise TranscriptError(f"not an event of this schema: {error}") from error


def json_schema() -> dict[str, Any]:
    """The JSON Schema of one line of a transcript."""
    schema: dict[str, Any] = msgspec.json.schema(AnyEvent)
    return schema
