"""The excerpt of a log: whole when short; of a long one the head, the tail and what lies around trouble, with true numbers and offsets."""

import io
import tracemalloc

import pytest

from agent.reading.scan import WHOLE, scan
from agent.reading.symptom import read_symptom
from probes.frameworks.vllm import VLLM
from transcripts.records import Excerpt

CALM = b'(APIServer pid=1) INFO:     127.0.0.1:5 - "POST /v1/completions HTTP/1.1" 200 OK\n'
CRASH = b'Traceback (most recent call last):\n  File "/v/x.py", line 1, in f\n    f()\nValueError: the root\n'


def true_pieces(excerpt: Excerpt, data: bytes) -> bool:
    """Whether every piece stands in the log where it says."""
    for piece in excerpt.pieces:
        text = piece.text.encode()
        if data[piece.offset : piece.offset + len(text)] != text or data.count(b"\n", 0, piece.offset) + 1 != piece.line:
            return False
    return True


def test_a_short_log_is_one_piece() -> None:
    """A log below the limit is kept whole, and counted."""
    excerpt = scan(io.BytesIO(CALM * 3 + b"end"))

    assert (1, 4, len(CALM) * 3 + 3) == (len(excerpt.pieces), excerpt.lines, excerpt.size)
    assert CALM.decode() * 3 + "end" == excerpt.pieces[0].text


def test_an_empty_log_has_no_pieces() -> None:
    """Nothing gives nothing."""
    assert Excerpt() == scan(io.BytesIO(b""))


@pytest.mark.parametrize("before", [10, 100_000, 150_000])
@pytest.mark.parametrize("after", [10, 100_000])
def test_trouble_is_found_anywhere(before: int, after: int) -> None:
    """A crash in the middle of megabytes is kept with its true line number and offset, in a bounded excerpt."""
    data = CALM * before + CRASH + CALM * after
    excerpt = scan(io.BytesIO(data), VLLM)
    symptom = read_symptom(excerpt, VLLM)

    assert (before + 4, data.index(b"ValueError")) == (symptom.line_number, symptom.offset)
    assert (before + after + 4, len(data)) == (excerpt.lines, excerpt.size)
    assert true_pieces(excerpt, data)
    assert sum(len(piece.text) for piece in excerpt.pieces) < max(WHOLE, 400_000)


def test_trouble_everywhere_stays_bounded() -> None:
    """A log that is all tracebacks keeps its first and last ones."""
    data = CRASH * 200_000
    excerpt = scan(io.BytesIO(data), VLLM)

    assert true_pieces(excerpt, data)
    assert sum(len(piece.text) for piece in excerpt.pieces) < 2_500_000
    assert data.startswith(excerpt.pieces[0].text.encode()) and data.endswith(excerpt.pieces[-1].text.encode())


def test_a_server_that_came_up_long_ago() -> None:
    """The mark of a phase is kept, however much was served behind it."""
    up = b"(APIServer pid=1) INFO:     Application startup complete.\n"
    symptom = read_symptom(scan(io.BytesIO(CALM * 5_000 + up + CALM * 200_000), VLLM), VLLM)

    assert ["up"] == [sign.value for sign in symptom.signs]


@pytest.mark.parametrize("size", [100, 3_000_000])
def test_one_endless_line(size: int) -> None:
    """A line without an end is one line, and only its ends are kept."""
    excerpt = scan(io.BytesIO(b"x" * size))

    assert (1, size) == (excerpt.lines, excerpt.size)
    assert sum(len(piece.text) for piece in excerpt.pieces) <= WHOLE


def test_bytes_that_are_no_utf8_are_shown() -> None:
    """Undecodable bytes are shown with backslashes, and the rest is read."""
    excerpt = scan(io.BytesIO(b"caf\xe9 \xff\nvllm: error: unrecognized arguments: --x\n"))

    assert "caf\\xe9 \\xff" == excerpt.pieces[0].text.split("\n")[0]
    assert 2 == read_symptom(excerpt, VLLM).line_number


def test_utf16_is_decoded() -> None:
    """A log that PowerShell redirected is read like any other."""
    excerpt = scan(io.BytesIO("usage: vllm\nvllm: error: unrecognized arguments: --x\n".encode("utf-16")))

    assert 2 == read_symptom(excerpt, VLLM).line_number


def test_binary_data_is_said_to_be_so() -> None:
    """Bytes that are no text have no pieces, and are counted."""
    excerpt = scan(io.BytesIO(b"\x7fELF" + b"\x00\n" * 1000))

    assert (True, (), 1000, 2004) == (excerpt.binary, excerpt.pieces, excerpt.lines, excerpt.size)


def test_memory_is_bounded() -> None:
    """Sixty megabytes are scanned in a few blocks of memory."""

    class Endless(io.BytesIO):
        left = 15

        def read(self, size: int | None = -1) -> bytes:
            self.left -= 1
            return CALM * (4 * 1024 * 1024 // len(CALM)) if self.left >= 0 else b""

    tracemalloc.start()
    scan(Endless(), VLLM)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 40_000_000
