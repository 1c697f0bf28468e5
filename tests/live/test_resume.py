"""A triage of the real vLLM that is killed goes on."""

from pathlib import Path

import pytest

from tests.live.conftest import SERVING
from tests.resume.killing import goes_on

pytestmark = pytest.mark.live

SPECULATIVE = '{"method": "ngram", "num_speculative_tokens": 2, "prompt_lookup_max": 3}'


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize(("lines", "delay"), [(3, 4.0), (5, 0.0), (10, 2.0), (11, 6.0), (13, 3.0)])
def test_a_killed_triage_of_vllm_goes_on(
    tmp_path: Path, vllm: Path, model: Path, port: int, environment: dict[str, str], lines: int, delay: float
) -> None:
    """Killed while vLLM parses, between its launches and while its engine starts, it comes up after all, and no engine is left behind."""
    line = f"{vllm}/bin/vllm serve {model} --port {port} {' '.join(SERVING)} --speculative-config {SPECULATIVE}"
    assert goes_on(tmp_path, line, lines, delay, {**environment, "VLLM_CACHE_ROOT": str(tmp_path / "cache")})
