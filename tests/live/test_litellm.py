"""The real LiteLLM proxy: the demonstration as a newcomer runs it, and a port that somebody holds."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.running import ROOT, Run

pytestmark = pytest.mark.live
CONFIG = """model_list:
  - model_name: small
    litellm_params:
      model: openai/small
      api_base: http://127.0.0.1:9/v1
      api_key: none
"""


@pytest.mark.quick
@pytest.mark.usefixtures("litellm", "nothing_left")
def test_the_demonstration_brings_the_proxy_up() -> None:
    """A mistyped option, a configuration that the proxy refuses and a missing master key: it ends with the proxy answering a real request."""
    done = subprocess.run([sys.executable, ROOT / "docs" / "demo" / "run.py"], capture_output=True, text=True, cwd=ROOT)
    assert 0 == done.returncode, done.stdout[-3000:] + done.stderr[-2000:]


@pytest.mark.usefixtures("nothing_left")
def test_each_fault_of_the_proxy_alone(nostart: Callable[..., Run], litellm: Path, tmp_path: Path, port: int) -> None:
    """A mistyped option, a malformed file and a missing key are each known before a launch and mended."""
    good, bad = tmp_path / "good.yaml", tmp_path / "bad.yaml"
    good.write_text(CONFIG)
    bad.write_text(CONFIG.replace("    litellm_params:", "\tlitellm_params:"))
    program = litellm / "bin" / "litellm"
    for words, cause, variables in (
        (("--config", good, "--prot", str(port)), "flag/misspelt", {"LITELLM_MASTER_KEY": "sk-" + "a1" * 20}),
        (("--config", bad, "--port", str(port)), "config/file-malformed", {"LITELLM_MASTER_KEY": "sk-" + "a1" * 20}),
        (("--config", good, "--port", str(port)), "config/credentials", {}),
    ):
        run = nostart("triage", "--fix", "--", program, *words, **variables)
        assert (cause, "up") == (run.cause, run.document["outcome"]), run.stderr[-3000:]
        assert not any("dangerous" in word.lower() for word in run.argv)
    assert CONFIG.replace("    litellm_params:", "\tlitellm_params:") == bad.read_text()
