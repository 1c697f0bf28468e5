"""The recorded logs, as daemons and terminals show them: the decisive line stays the same line."""

import io
import json
from collections.abc import Callable

import pytest

from agent.reading.scan import scan
from agent.reading.symptom import read_symptom
from probes.frameworks.catalogue import by_name
from tests.frameworks.samples import Sample, samples

SAMPLES = [sample for sample in samples() if len(sample.data) < 20_000]
WRAPPERS: dict[str, Callable[[str], str]] = {
    "docker": lambda line: f"2026-12-01T16:28:20.123456789Z {line}",
    "kubernetes": lambda line: f"2026-12-01T16:28:20.123456789+00:00 stderr F {line}",
    "compose": lambda line: f"vllm-1  | {line}",
    "pods": lambda line: f"[pod/vllm-7d4b9-x/server] {line}",
    "journal": lambda line: f"Dec 01 16:28:20 gpu-host vllm[4711]: {line}",
    "colour": lambda line: f"\x1b[33m{line}\x1b[0m",
    "json-file": lambda line: json.dumps({"log": line + "\n", "stream": "stderr", "time": "2026-12-01T16:28:20Z"}),
    "returns": lambda line: line + "\r",
    "progress": lambda line: f"Downloading:  10%|#  | 1/9\rDownloading: 100%|###| 9/9\r{line}",
}


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("sample", SAMPLES[::4], ids=lambda sample: f"{sample.framework}-{sample.name}")
def test_wrappers_change_nothing(sample: Sample, wrapper: str) -> None:
    """Line and kind of error are those of the bare log, whatever stands before and behind its lines."""
    lines = sample.data.decode().replace("\r", "").split("\n")
    wrapped = "\n".join(WRAPPERS[wrapper](line) for line in lines[:-1]) + "\n"
    symptom = read_symptom(scan(io.BytesIO(wrapped.encode())), by_name(sample.framework), exit_status=sample.exit_status)

    assert symptom.line_number in (sample.decisive or (0,))
    assert sample.truth["error"] == next(sign.value for sign in symptom.signs if sign.variable == "error")
