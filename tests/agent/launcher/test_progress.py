"""What a growing log says: progress, phases and the place where a server serves."""

import pytest

from agent.progress import HANG_OTHERWISE, Phases, Progress, hang_seconds, serving_at
from probes.frameworks.vllm import VLLM


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["cannot connect, attempt 1", "cannot connect, attempt 2"], [True, False]),
        (["loading 3%", "loading 9%", "loading 9%"], [True, True, False]),
        (["shards 1/4 |##  |", "shards 2/4 |####|"], [True, True]),
        (["at 0x7f00aa", "at 0x7f11bb"], [True, False]),
        (["request 0a1b2c3d-0000-4000", "request 9f8e7d6c-1111-4111"], [True, False]),
        (["\x1b[32mready\x1b[0m", "ready"], [True, False]),
        (["one", "two", "one"], [True, True, False]),
        (["", "   ", "12"], [False, False, True]),
    ],
)
def test_progress_is_news(lines: list[str], expected: list[bool]) -> None:
    """A kind of line not seen before, or a share that rises, is progress; another number, address or time of day is not."""
    progress = Progress()
    assert expected == [progress.take([line]) for line in lines]


def test_progress_is_bounded() -> None:
    """However many kinds of lines come, memory is bounded."""
    progress = Progress()
    progress.take("".join(chr(97 + int(digit)) for digit in str(number)) for number in range(60_000))
    assert len(progress._best) <= 50_000


def test_phases_go_forward_once() -> None:
    """A phase is said once, in order; one without a trace is passed over, and none comes after a later one."""
    phases = Phases(VLLM)
    texts = ["nothing\n", "Initializing a V1 LLM engine\n", "vLLM API server version 1\n", "Starting to load model X\nLoading weights took 3\n"]
    said = [phases.take(text) for text in texts]
    assert ([(), ("engine",), (), ("weights", "cache")], ("engine", "weights", "cache")) == (said, phases.reached)


def test_patience_depends_on_the_phase() -> None:
    """Weights may stay silent for longer than a phase that nothing is known of."""
    assert (900.0, HANG_OTHERWISE) == (hang_seconds("weights"), hang_seconds(""))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("INFO:     Uvicorn running on http://0.0.0.0:4000 (Press CTRL+C to quit)", ("http", "0.0.0.0", 4000)),
        ("INFO 12-01 [api_server.py:90] Starting vLLM API server 0 on http://127.0.0.1:8001", ("http", "127.0.0.1", 8001)),
        ("Starting vLLM server on https://[::1]:8443", ("https", "::1", 8443)),
        ("[INFO] Listening at: http://0.0.0.0:4000 (77)", ("http", "0.0.0.0", 4000)),
        ("connecting to redis on http://10.0.0.1:6379", None),
        ("curl --location 'http://0.0.0.0:4000/chat/completions'", None),
    ],
)
def test_where_it_serves(line: str, expected: tuple[str, str, int] | None) -> None:
    """The line in which a server says where it serves is understood, and other addresses in a log are not taken for it."""
    assert expected == serving_at(line)
