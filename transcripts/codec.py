"""Event ↔ one line of JSON. Unknown tags and fields are refused on reading; long texts lie in blobs.

A text longer than `BLOB_LIMIT` characters is written as ``blob:SHA256`` and stored under that name beside the transcript; so is one that
JSON cannot hold (an argument whose bytes are no UTF-8), whatever its length.
"""

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from transcripts.errors import TranscriptError
from transcripts.events import AnyEvent

BLOB_LIMIT = 4000
BLOB_PREFIX = "blob:"

_decoder: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)
_BLOB = re.compile(BLOB_PREFIX + "[0-9a-f]{64}")
_UNPAIRED = re.compile("[\ud800-\udfff]")


def encode(event: AnyEvent) -> dict[str, Any]:
    """The event as plain values, in the order in which its fields are declared."""
    plain: dict[str, Any] = msgspec.to_builtins(event)
    return plain


def fits(value: Any) -> bool:
    """Whether nothing in `value` can need a blob: it is short as a whole and holds no blob's name (a quick look before `condense`)."""
    try:
        data = msgspec.json.encode(value)
    except UnicodeEncodeError:
        return False  # a text that JSON cannot hold is a blob
    return len(data) <= BLOB_LIMIT and BLOB_PREFIX.encode() not in data


def condense(value: Any, store: Callable[[str, bytes], None]) -> Any:
    """`value` with every long text replaced by its blob name; `store(name, data)` is called for each of them."""
    if isinstance(value, str):
        if len(value) <= BLOB_LIMIT and not value.startswith(BLOB_PREFIX) and not _UNPAIRED.search(value):
            return value
        data = value.encode("utf-8", "surrogatepass")
        name = hashlib.sha256(data).hexdigest()
        store(name, data)
        return BLOB_PREFIX + name
    if isinstance(value, Mapping):
        return {key: condense(item, store) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [condense(item, store) for item in value]
    return value


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
        if BLOB_PREFIX.encode() not in line:
            return _decoder.decode(line)
        event: AnyEvent = msgspec.convert(expand(msgspec.json.decode(line), load), AnyEvent)
        return event
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise TranscriptError(f"not an event of this schema: {error}") from error


def json_schema() -> dict[str, Any]:
    """The JSON Schema of one line of a transcript."""
    schema: dict[str, Any] = msgspec.json.schema(AnyEvent)
    return schema
