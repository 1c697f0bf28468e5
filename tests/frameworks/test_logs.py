"""Real logs of real launches: the decisive line, the kind of error, its parameters, the phase and the process."""

import io

import pytest

from agent.reading.scan import scan
from agent.reading.symptom import read_symptom
from probes.frameworks.catalogue import by_name
from tests.frameworks.samples import Sample, samples

SAMPLES = samples()


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: f"{sample.framework}-{sample.name}")
def test_the_log_is_read_right(sample: Sample) -> None:
    """The reader names the decisive line and what it proves, told the framework or not."""
    excerpt = scan(io.BytesIO(sample.data))
    for framework in (by_name(sample.framework), None):
        symptom = read_symptom(excerpt, framework, exit_status=sample.exit_status)
        signs = {sign.variable: sign for sign in symptom.signs}

        assert symptom.line_number in (sample.decisive or (0,))
        assert sample.truth["error"] == signs["error"].value
        assert sample.truth.get("parameters", {}).items() <= signs["error"].parameters.items()
        assert sample.truth.get("shape") == (signs["shape"].value if "shape" in signs else None)
        assert sample.truth["phase"] == symptom.phase
        assert sample.truth["process"] == symptom.process
