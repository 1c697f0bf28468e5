"""The parts of a log that are worth reading, found in one bulk pass: bounded memory and time whatever the size of the log.

A short log is kept whole. Of a long one the head and the tail are kept, and windows around the first and the last lines that hold a marker of
trouble, and around the first ones that hold a mark of a phase. A regex a line would be ten times slower than these searches for literals.
"""

import codecs
from collections import deque
from collections.abc import Iterator
from typing import BinaryIO

from probes.frameworks.catalogue import FRAMEWORKS
from probes.frameworks.framework import Framework
from transcripts.records import Excerpt, Piece

WHOLE = 512 * 1024
"""A log of fewer bytes is kept whole."""
_EDGE = 64 * 1024
_BLOCK = 4 * 1024 * 1024
_LONGEST_LINE = 1024 * 1024
_BEFORE, _AFTER = 3 * 1024, 5 * 1024
_FIRST, _LAST = 40, 40
# "rror" is in Error and error, "RROR" in the level. Each costs one pass over the log, the less the longer it is.
_TROUBLE = (b"Traceback (most recent call last):", b"rror", b"RROR")
# Marks of phases are looked for at the start of a log alone, save those of the last phase: a server may take long to come up.
_MARKED_BYTES = 2 * _BLOCK


def scan(file: BinaryIO, framework: Framework | None = None) -> Excerpt:
    """The excerpt of `file`, read from where it stands to its end.

    Text that is not UTF-8 is shown with backslashes; UTF-16 (a PowerShell redirection) is decoded, offsets then count the decoded bytes.
    """
    head = file.read(_BLOCK)
    if head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return _scan(_decoded(file, head), framework)
    if _is_binary(head[:_EDGE]):
        return _counted(file, head)
    return _scan(_blocks(file, head), framework)


def _blocks(file: BinaryIO, block: bytes) -> Iterator[bytes]:
    while block:
        yield block
        block = file.read(_BLOCK)


def _decoded(file: BinaryIO, block: bytes) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder("utf-16")(errors="replace")
    for part in _blocks(file, block):
        yield decoder.decode(part).encode("utf-8", "replace")


def _is_binary(sample: bytes) -> bool:
    """Whether bytes are no text: a tenth of them NUL, or a third control characters."""
    if not sample:
        return False
    if sample.count(0) * 10 > len(sample):
        return True
    control = len(sample) - len(sample.translate(None, bytes(byte for byte in range(32) if byte not in (8, 9, 10, 12, 13, 27))))
    return control * 3 > len(sample)


def _counted(file: BinaryIO, head: bytes) -> Excerpt:
    size = lines = 0
    for block in _blocks(file, head):
        size += len(block)
        lines += block.count(b"\n")
    return Excerpt(lines=lines, size=size, binary=True)


class _Window:
    """A part of the log: `offset` of its first byte, `line` the number of its first line, which begins there (set when its block is done)."""

    __slots__ = ("data", "line", "offset")

    def __init__(self, offset: int, line: int, data: bytes) -> None:
        self.offset, self.line, self.data = offset, line, data


class _Collector:
    """Windows around markers: the first ones of each kind for good, the last ones in a ring."""

    def __init__(self, framework: Framework | None) -> None:
        self.head: list[_Window] = []
        self.first: dict[bytes, list[_Window]] = {marker: [] for marker in _TROUBLE}
        self.last: dict[bytes, deque[_Window]] = {marker: deque(maxlen=_LAST) for marker in _TROUBLE}
        self.marks = _marks(framework)
        self.marked: list[_Window] = []
        self.size = self.lines = 0

    def take(self, block: bytes) -> None:
        """Look through one block, which holds whole lines."""
        if not self.size:
            self.head.append(_Window(0, 1, _line_end(block, _EDGE)))
        made: list[_Window] = []
        for marker in _TROUBLE:
            self._trouble(block, marker, made)
        self._phases(block, made)
        self._number(block, made)
        self.size += len(block)

    def _trouble(self, block: bytes, marker: bytes, made: list[_Window]) -> None:
        first, last = self.first[marker], self.last[marker]
        at = block.find(marker)
        while at >= 0 and len(first) < _FIRST:
            window = self._window(block, at)
            first.append(window)
            at = block.find(marker, max(window.offset - self.size + len(window.data), at + 1))
        found: list[_Window] = []
        end = len(block)
        while at >= 0 and len(found) < _LAST and (back := block.rfind(marker, at, end)) >= 0:
            window = self._window(block, back)
            found.append(window)
            end = min(max(window.offset - self.size, 0), back)
        last.extend(reversed(found))
        made += [*first, *found]

    def _phases(self, block: bytes, made: list[_Window]) -> None:
        late = self.size > _MARKED_BYTES
        for mark, (up, seen) in list(self.marks.items()):
            if seen >= 2 or (late and not up):
                del self.marks[mark]
                continue
            at = block.find(mark)
            if at >= 0:
                start = block.rfind(b"\n", 0, at) + 1
                self.marked.append(_Window(self.size + start, 0, block[start : _stop(block, at + len(mark))]))
                made.append(self.marked[-1])
                self.marks[mark] = (up, seen + 1)

    def _window(self, block: bytes, at: int) -> _Window:
        start = block.rfind(b"\n", 0, max(at - _BEFORE, 0)) + 1
        start = max(start, at - 4 * _BEFORE)
        return _Window(self.size + start, 0, block[start : _stop(block, min(at + _AFTER, len(block)))])

    def _number(self, block: bytes, made: list[_Window]) -> None:
        """Give this block's windows the numbers of their first lines, in one pass over it."""
        at, line = 0, self.lines + 1
        for window in sorted((one for one in made if not one.line), key=lambda one: one.offset):
            start = window.offset - self.size
            line += block.count(b"\n", at, start)
            at = start
            window.line = line
        self.lines = line - 1 + block.count(b"\n", at)


def _stop(block: bytes, at: int) -> int:
    """The end of the line that `at` stands in, or of its first part where it is very long."""
    stop = block.find(b"\n", at, at + _AFTER)
    return min(at + _AFTER, len(block)) if stop < 0 else stop + 1


def _marks(framework: Framework | None) -> dict[bytes, tuple[bool, int]]:
    """The phase marks looked for, each with whether it means up and how often it was seen."""
    marks: dict[bytes, tuple[bool, int]] = {}
    for one in (framework,) if framework else FRAMEWORKS:
        for phase, texts in one.phases:
            marks.update({text.encode(): (phase == "up", 0) for text in texts})
    return marks


def _line_end(block: bytes, limit: int) -> bytes:
    """The whole lines at the start of `block`, of at least `limit` bytes; cut where a line is very long."""
    stop = block.find(b"\n", limit, 2 * limit)
    return block[: 2 * limit] if stop < 0 else block[: stop + 1]


def _scan(blocks: Iterator[bytes], framework: Framework | None) -> Excerpt:
    collector = _Collector(framework)
    rest, tail, short = b"", b"", []
    total = 0
    for block in blocks:
        total += len(block)
        if total <= WHOLE:
            short.append(block)
        data = rest + block
        cut = data.rfind(b"\n") + 1
        if not cut and len(data) < _LONGEST_LINE:
            rest = data
            continue
        cut = cut or len(data)
        rest = data[cut:]
        collector.take(data[:cut])
        tail = (tail + data[max(cut - _EDGE, 0) : cut])[-_EDGE:]
    if total <= WHOLE:
        return _whole(b"".join(short))
    if rest:
        collector.take(rest)
        tail = (tail + rest)[-_EDGE:]
    lines = collector.lines + (not tail.endswith(b"\n"))
    begin = tail.find(b"\n") + 1
    line = collector.lines + 1 - tail.count(b"\n", begin)
    windows = [*collector.head, *collector.marked, _Window(total - len(tail) + begin, line, tail[begin:])]
    for marker in _TROUBLE:
        windows += [*collector.first[marker], *collector.last[marker]]
    return Excerpt(pieces=tuple(_pieces(windows)), lines=lines, size=total)


def _whole(data: bytes) -> Excerpt:
    if not data:
        return Excerpt()
    lines = data.count(b"\n") + (not data.endswith(b"\n"))
    return Excerpt(pieces=(Piece(line=1, offset=0, text=_text(data)),), lines=lines, size=len(data))


def _pieces(windows: list[_Window]) -> Iterator[Piece]:
    """The windows as pieces: in order, those that overlap or touch joined."""
    windows.sort(key=lambda window: (window.offset, -len(window.data)))
    joined: list[_Window] = []
    for window in windows:
        last = joined[-1] if joined else None
        end = last.offset + len(last.data) if last else -1
        if last is not None and window.offset <= end:
            last.data += window.data[end - window.offset :]
        else:
            joined.append(_Window(window.offset, window.line, window.data))
    for window in joined:
        yield Piece(line=window.line, offset=window.offset, text=_text(window.data))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")
