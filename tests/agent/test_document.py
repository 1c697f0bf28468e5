"""The JSON document: complete, valid against its published schema, and the schema is current."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from agent.document import document, json_schema, render
from transcripts.records import Belief, Diagnosis, Evidence, Fix, Hypothesis, Launch, Suggestion, Symptom, Verdict, Weighed

PUBLISHED = Path(__file__).parents[2] / "docs" / "nostart.schema.json"
SPLIT = Hypothesis(cause="quoting/json-split", parameters={"flag": "--speculative-config"})
OTHER = Hypothesis(cause="quoting/json-split", parameters={"flag": "--compilation-config"})
REMOVED = Hypothesis(cause="flag/removed", parameters={"flag": "--swap-space"})

NOTHING = Diagnosis(outcome="undetermined", belief=Belief())
WHOLE = Diagnosis(
    outcome="diagnosed",
    belief=Belief(
        weighed=(
            Weighed(hypothesis=SPLIT, probability=0.9),
            Weighed(hypothesis=OTHER, probability=0.07),
            Weighed(hypothesis=REMOVED, probability=0.01),
        ),
        unknown=0.02,
    ),
    cause=Verdict(hypothesis=SPLIT, probability=0.97, summary="The JSON was split."),
    also=(Verdict(hypothesis=REMOVED, probability=1.0, summary="--swap-space is gone."),),
    fix=Fix(
        summary="Give the keys one by one.",
        launch=Launch(argv=("bash", "-c", "vllm serve m --speculative-config.method mtp")),
        argv=("vllm", "serve", "m", "--speculative-config.method", "mtp"),
        shell="vllm serve m --speculative-config.method mtp",
        env={"HF_HOME": "/srv"},
        unset=("VLLM_PORT",),
        steps=("start.sh, line 3",),
    ),
    evidence=(
        Evidence(kind="symptom", text="Value {method:", source="log:12", supports=("quoting/json-split",), refutes=("flag/removed",)),
        Evidence(kind="reading", text="present", source="probe:help-grep"),
    ),
    next=(Suggestion(probe="argv-echo", command="bash -c 'printf …'", why="shows what arrives"),),
    symptom=Symptom(line="Value {method:", line_number=12, phase="arguments", process="APIServer"),
    launches=1,
    probes=2,
    seconds=1.8004,
)
WORDS = Diagnosis(outcome="diagnosed", belief=Belief(), fix=Fix(summary="Ask for access.", steps=("Accept the licence.",)))


def parsed(diagnosis: Diagnosis) -> dict[str, Any]:
    """The document as another program reads it."""
    whole: dict[str, Any] = json.loads(render(document(diagnosis, "/state/run")))
    return whole


def test_published_schema_is_current() -> None:
    """The schema in the documentation is the one that the code has (make schema writes it)."""
    assert json_schema() == json.loads(PUBLISHED.read_text(encoding="utf-8"))


@pytest.mark.parametrize("diagnosis", [NOTHING, WHOLE, WORDS], ids=["nothing", "whole", "words"])
def test_document_validates(diagnosis: Diagnosis) -> None:
    """Every document is valid against the published schema, which knows all its fields and no other."""
    jsonschema.Draft202012Validator(json_schema()).validate(parsed(diagnosis))

    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**parsed(diagnosis), "surprise": 1}, json_schema())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({key: value for key, value in parsed(diagnosis).items() if key != "schema"}, json_schema())


def test_whole_document() -> None:
    """Every part of a diagnosis is where the documentation says."""
    whole = parsed(WHOLE)

    assert "nostart/1" == whole["schema"]
    assert {
        "id": "quoting/json-split",
        "family": "quoting",
        "probability": 0.97,
        "confirmed": False,
        "summary": "The JSON was split.",
        "parameters": {"flag": "--speculative-config"},
    } == whole["cause"]
    assert [{"id": "flag/removed", "summary": "--swap-space is gone.", "parameters": {"flag": "--swap-space"}}] == whole["also"]
    assert ["vllm", "serve", "m", "--speculative-config.method", "mtp"] == whole["fix"]["argv"]
    assert {"line": "Value {method:", "line_number": 12, "phase": "arguments", "process": "APIServer"} == whole["symptom"]
    assert (1, 2, 1.8, "/state/run") == (whole["launches"], whole["probes"], whole["seconds"], whole["transcript"])


def test_ranking_is_by_cause() -> None:
    """The ranking adds up the hypotheses of one cause and leaves unknown aside."""
    assert [{"id": "quoting/json-split", "probability": 0.97}, {"id": "flag/removed", "probability": 0.01}] == parsed(WHOLE)["ranking"]


def test_what_is_not_known_is_null() -> None:
    """Without a cause, a fix or a symptom the field is there and null; a fix of words alone has no argv."""
    nothing = parsed(NOTHING)

    assert (None, None, None) == (nothing["cause"], nothing["fix"], nothing["symptom"])
    assert None is parsed(WORDS)["fix"]["argv"]


def test_bytes_that_are_no_text_do_not_break_the_document() -> None:
    """An argument that is no UTF-8 reads as the replacement character; the document stays JSON."""
    whole = parsed(Diagnosis(outcome="diagnosed", belief=Belief(), symptom=Symptom(line="bad \udcff byte", line_number=1)))

    assert "bad \N{REPLACEMENT CHARACTER} byte" == whole["symptom"]["line"]
