"""A log copied without its secrets, however its bytes come."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.tailing import Redactor
from transcripts.redact import Vault

SECRET = "sk-abcdefgh12345678"
KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END RSA PRIVATE KEY-----\n"
LOG = f"first\nkey {SECRET} used\r\nhf_abcdefghijklmnopqrstu\n{KEY}last without a newline".encode() + b"\xff\xfe"


def _copied(pieces: list[bytes]) -> str:
    redactor = Redactor(Vault())
    return "".join([*(redactor.feed(piece) for piece in pieces), redactor.finish()])


@given(st.lists(st.integers(0, len(LOG)), max_size=6))
def test_pieces_do_not_matter(cuts: list[int]) -> None:
    """Wherever the stream is cut, the copy is the same, and no part of a secret is in it."""
    edges = [0, *sorted(cuts), len(LOG)]
    pieces = [LOG[start:stop] for start, stop in pairwise(edges)]
    expected = b"first\nkey $API_KEY used\r\n$HF_TOKEN\n$PRIVATE_KEY\nlast without a newline\xff\xfe"
    assert expected == _copied(pieces).encode("utf-8", "surrogateescape")


def test_a_line_without_end_is_not_held_for_ever() -> None:
    """A line of megabytes passes in bounded memory, and a secret where it is cut stays hidden."""
    redactor = Redactor(Vault())
    piece = b"x" * 99_990 + b" " + SECRET.encode()
    shown = [redactor.feed(piece) for _ in range(30)]
    whole = "".join([*shown, redactor.finish()])
    assert (True, False) == (len(redactor._held) + len(redactor._raw) < 1_000_000 and any(shown), SECRET in whole)


@pytest.mark.parametrize("text", ["", "\n", "no newline"])
def test_short_logs_are_whole(text: str) -> None:
    """Nothing is lost of a log that is empty or has no last newline."""
    assert text == _copied([text.encode()])
