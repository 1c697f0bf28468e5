"""A file on the index, read in parts: what `zipfile` needs of a wheel of hundreds of megabytes is its directory and a few members."""

import io
import zipfile
from collections.abc import Callable, Iterable

_TAIL = 262_144
_BLOCK = 65_536
_GAP = 32_768
_LOCAL_HEADER = 30 + 64

Part = Callable[[str, str], tuple[bytes, int, int]]
"""Given a URL and a span of bytes as in a ``Range`` header: the bytes, their offset, the size of the whole file."""


class RemoteFile(io.RawIOBase):
    """A seekable file behind a URL; the pieces fetched so far are kept in memory."""

    def __init__(self, url: str, part: Part) -> None:
        self._url = url
        self._part = part
        self._at = 0
        self._pieces: list[tuple[int, bytes]] = []
        content, start, self.size = part(url, f"-{_TAIL}")
        self._pieces.append((start, content))

    def fetch(self, start: int, stop: int) -> None:
        """Have the bytes from `start` up to `stop`."""
        if start < stop and self._piece(start, stop) is None:
            content, offset, _ = self._part(self._url, f"{start}-{min(stop, self.size) - 1}")
            self._pieces.append((offset, content))

    def _piece(self, start: int, stop: int) -> bytes | None:
        for offset, content in reversed(self._pieces):
            if offset <= start and stop <= offset + len(content):
                return content[start - offset : stop - offset]
        return None

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is."""
        return True

    def tell(self) -> int:
        """The offset of the next byte read."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move as `io` has it."""
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self.size}[whence]
        return self._at

    def read(self, size: int = -1) -> bytes:
        """The next `size` bytes (all that is left for -1)."""
        stop = self.size if size is None or size < 0 else min(self._at + size, self.size)
        if stop <= self._at:
            return b""
        found = self._piece(self._at, stop)
        if found is None:
            self.fetch(self._at, min(max(stop, self._at + _BLOCK), self.size))
            found = self._piece(self._at, stop)
        self._at += len(found or b"")
        return found or b""


def prefetch(file: RemoteFile, members: Iterable[zipfile.ZipInfo]) -> None:
    """Fetch the members that are wanted, those near to each other in one request."""
    spans = sorted((info.header_offset, info.header_offset + _LOCAL_HEADER + len(info.filename) + info.compress_size) for info in members)
    joined: list[tuple[int, int]] = []
    for start, stop in spans:
        if joined and start <= joined[-1][1] + _GAP:
            joined[-1] = (joined[-1][0], max(stop, joined[-1][1]))
        else:
            joined.append((start, stop))
    for start, stop in joined:
        file.fetch(start, min(stop, file.size))
