"""The JSON document of ``--json``: the diagnosis as other programs read it. Its JSON Schema is ``docs/nostart.schema.json``."""

import re
from typing import Any, Literal

import msgspec
from msgspec import Struct

from agent.belief import ranking
from agent.report import placed
from transcripts.records import Diagnosis, Evidence, Fix, Suggestion, Symptom, Verdict

_UNPAIRED = re.compile("[\ud800-\udfff]")
_RAW = re.compile("[\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff\ufff9-\ufffb]")
"""What may move a terminal's cursor or turn its letters: in JSON it stands as an escape, and is the same text."""
SCHEMA: Literal["nostart/1"] = "nostart/1"


class Part(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of the document's parts: every field is always written."""


class Cause(Part, frozen=True, kw_only=True):
    """The cause of the first fault; `confirmed` only by a relaunch in which it was changed."""

    id: str
    family: str
    probability: float
    confirmed: bool
    summary: str
    parameters: dict[str, str]


class Ranked(Part, frozen=True, kw_only=True):
    """A cause's marginal probability; ``unknown`` is what is left of 1."""

    id: str
    probability: float


class Also(Part, frozen=True, kw_only=True):
    """Another fault of this launch, seen without launching."""

    id: str
    summary: str
    parameters: dict[str, str]


class EditPart(Part, frozen=True, kw_only=True):
    """A change of the file that the launch was read from: a unified diff for ``patch``."""

    path: str
    difference: str


class FixPart(Part, frozen=True, kw_only=True):
    """What to change. `argv` is null where only words can be given; `shell` is the line to paste; `unset` the variables to take away; `edits` the
    changes of the file that the launch was read from (``--from``)."""

    summary: str
    argv: tuple[str, ...] | None
    shell: str
    env: dict[str, str]
    unset: tuple[str, ...]
    steps: tuple[str, ...]
    edits: tuple[EditPart, ...]


class EvidencePart(Part, frozen=True, kw_only=True):
    """One thing seen, and which causes it speaks for and against."""

    kind: Literal["symptom", "reading"]
    text: str
    supports: tuple[str, ...]
    refutes: tuple[str, ...]
    source: str


class Next(Part, frozen=True, kw_only=True):
    """A question that nobody could ask here, as a command to paste."""

    probe: str
    command: str
    why: str


class SymptomPart(Part, frozen=True, kw_only=True):
    """The decisive line of the log. `line_number` is 0 where there is none."""

    line: str
    line_number: int
    phase: str
    process: str


class Document(Part, frozen=True, kw_only=True):
    """The whole document. `solved` are the causes that fixes of this run removed, in order."""

    schema: Literal["nostart/1"]
    outcome: Literal["up", "diagnosed", "undetermined", "error"]
    cause: Cause | None
    ranking: tuple[Ranked, ...]
    also: tuple[Also, ...]
    solved: tuple[Cause, ...]
    fix: FixPart | None
    evidence: tuple[EvidencePart, ...]
    next: tuple[Next, ...]
    symptom: SymptomPart | None
    launches: int
    probes: int
    seconds: float
    transcript: str


_INTERNAL = frozenset({"index", "length", "tokens", "choices", "after"})
"""Parameters that only the repair needs: positions in the argv, and lists."""


def _told(parameters: dict[str, str]) -> dict[str, str]:
    return {name: text for name, text in parameters.items() if name not in _INTERNAL}


def document(diagnosis: Diagnosis, transcript: str) -> Document:
    """The document of `diagnosis`; `transcript` is the path of the run's record (empty: none was kept)."""
    return Document(
        schema=SCHEMA,
        outcome=diagnosis.outcome,
        cause=_cause(diagnosis.cause) if diagnosis.cause else None,
        ranking=tuple(Ranked(id=name, probability=_rounded(probability)) for name, probability in ranking(diagnosis.belief)),
        also=tuple(_also(verdict) for verdict in diagnosis.also),
        solved=tuple(_cause(verdict) for verdict in diagnosis.solved),
        fix=_fix(placed(diagnosis.fix, transcript)) if diagnosis.fix else None,
        evidence=tuple(_evidence(item) for item in diagnosis.evidence),
        next=tuple(_next(item) for item in diagnosis.next),
        symptom=_symptom(diagnosis.symptom) if diagnosis.symptom else None,
        launches=diagnosis.launches,
        probes=diagnosis.probes,
        seconds=round(diagnosis.seconds, 3),
        transcript=transcript,
    )


def render(whole: Document) -> str:
    """The document as indented JSON with a newline at its end; bytes that are no UTF-8 read as the replacement character."""
    text = msgspec.json.format(msgspec.json.encode(speakable(msgspec.to_builtins(whole))), indent=2).decode() + "\n"
    return _RAW.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def speakable(value: Any) -> Any:
    """A value of built-in types in which every text can be written as UTF-8."""
    if isinstance(value, str):
        return _UNPAIRED.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, dict):
        return {speakable(key): speakable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [speakable(item) for item in value]
    return value


def json_schema() -> dict[str, Any]:
    """The document's JSON Schema, generated from these classes."""
    schema: dict[str, Any] = msgspec.json.schema(Document)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "The document of nostart --json", **schema}


def _rounded(probability: float) -> float:
    return round(min(max(probability, 0.0), 1.0), 6)


def _cause(verdict: Verdict) -> Cause:
    name = verdict.hypothesis.cause
    return Cause(
        id=name,
        family=name.partition("/")[0],
        probability=_rounded(verdict.probability),
        confirmed=verdict.confirmed,
        summary=verdict.summary,
        parameters=_told(verdict.hypothesis.parameters),
    )


def _also(verdict: Verdict) -> Also:
    return Also(id=verdict.hypothesis.cause, summary=verdict.summary, parameters=_told(verdict.hypothesis.parameters))


def _fix(fix: Fix) -> FixPart:
    edits = tuple(EditPart(path=edit.path, difference=edit.difference) for edit in fix.edits)
    return FixPart(summary=fix.summary, argv=fix.argv or None, shell=fix.shell, env=fix.env, unset=fix.unset, steps=fix.steps, edits=edits)


def _evidence(item: Evidence) -> EvidencePart:
    return EvidencePart(kind=item.kind, text=item.text, supports=item.supports, refutes=item.refutes, source=item.source)


def _next(item: Suggestion) -> Next:
    return Next(probe=item.probe, command=item.command, why=item.why)


def _symptom(symptom: Symptom) -> SymptomPart:
    return SymptomPart(line=symptom.line, line_number=symptom.line_number, phase=symptom.phase, process=symptom.process)
