"""Short ways to read a text as a log."""

import io

from agent.reading.scan import scan
from agent.reading.symptom import read_symptom
from probes.frameworks.catalogue import by_name
from transcripts.records import Sign, Symptom


def read(text: str | bytes, framework: str = "vllm", *, exit_status: int | None = None, ended: bool = True) -> Symptom:
    """The symptom of a log that holds `text`."""
    data = text.encode() if isinstance(text, str) else text
    return read_symptom(scan(io.BytesIO(data)), by_name(framework), exit_status=exit_status, ended=ended)


def sign(symptom: Symptom, variable: str = "error") -> Sign:
    """The one sign of `variable`; one with an empty value where there is none."""
    return next((one for one in symptom.signs if one.variable == variable), Sign(variable=variable, value=""))
