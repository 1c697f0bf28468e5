"""How the two ends of a byte stream speak: frames of one JSON object and raw bytes.

This module travels to other hosts: the standard library of Python 3.8 is enough for it.
"""

import json
import struct
from collections.abc import Iterator
from typing import Any, Dict, Tuple  # noqa: UP035 - the alias below is evaluated by Python 3.8, too

_SIZES = struct.Struct(">II")

READY = b"\x00nostart-helper\x00"
"""What the helper says first: whatever a login shell or a banner printed before it is dropped."""

MOST = 64_000_000
"""Bytes of a frame's part, at most: what claims more is none of ours."""

Frame = Tuple[Dict[str, Any], bytes]  # noqa: UP006


def pack(header: dict[str, Any], body: bytes = b"") -> bytes:
    """One frame: the sizes of both parts, the header as JSON, the body. Words that are no UTF-8 travel as escaped surrogates."""
    text = json.dumps(header).encode("ascii")
    return _SIZES.pack(len(text), len(body)) + text + body


class Unpacker:
    """Cuts a stream that comes in pieces into its frames."""

    def __init__(self) -> None:
        self._data = bytearray()

    def feed(self, data: bytes) -> Iterator[Frame]:
        """The frames that are complete with `data`.

        Raises:
            ValueError: these are no frames.
        """
        self._data += data
        while len(self._data) >= _SIZES.size:
            head, body = _SIZES.unpack_from(self._data)
            if max(head, body) > MOST:
                raise ValueError("a frame of that size is none")
            end = _SIZES.size + head + body
            if len(self._data) < end:
                return
            header = json.loads(bytes(self._data[_SIZES.size : _SIZES.size + head]))
            content = bytes(self._data[_SIZES.size + head : end])
            del self._data[:end]
            yield header, content
