"""Situation files: one recorded question to a probe, with the exact command, the real output, and what must be read from it.

A file is TOML with these parts (`tests/probes/record.py` runs the command and fills in what is missing):

- ``probe``, and ``seen_on``: where the output was recorded;
- ``[question]``: its parameters;
- ``[situation]``: the launch: ``framework``, ``argv`` as it arrives, and where they matter ``program``, ``interpreter``, ``release``, ``env``,
  ``cwd``, ``meant``, ``raw`` (the words as written), ``layers``, ``arrival_env``, ``needs``, ``log``, ``environment``,
  ``data`` of other probes by name, and the ``error`` of the last attempt;
- ``[expect]``: ``argv`` of the command (a script of the probe stands there as ``{NAME}`` of its constant), ``outcome``, ``text``, ``signs``,
  ``data``, and ``asked = true`` where the probe asks this question in that situation by itself;
- ``[output]``: ``status``, ``stdout``, ``stderr``, ``failure``.
"""

from collections.abc import Mapping
from typing import Any

from probes.frameworks.catalogue import FRAMEWORKS, by_name
from probes.launches.arrival import Arrival, Word
from probes.probe import Situation
from transcripts.records import Launch, Layer, Output, Question, Sign, Symptom

LONG = 60
"""A word of a command that is at least this long, and a constant of the probe's module, is shown by the constant's name."""


def question_of(file: Mapping[str, Any]) -> Question:
    """The question that the file is about."""
    return Question(probe=file["probe"], parameters={name: str(value) for name, value in file.get("question", {}).items()})


def output_of(file: Mapping[str, Any]) -> Output:
    """The recorded output."""
    said = file.get("output", {})
    return Output(
        status=said.get("status"),
        stdout=said.get("stdout", ""),
        stderr=said.get("stderr", ""),
        seconds=float(said.get("seconds", 0.0)),
        truncated=bool(said.get("truncated", False)),
        failure=said.get("failure", ""),
    )


def situation_of(file: Mapping[str, Any]) -> Situation:
    """The situation in which the question is asked."""
    said = file.get("situation", {})
    argv = tuple(str(word) for word in said.get("argv", ()))
    framework = by_name(said.get("framework", ""))
    raw = tuple(said.get("raw", ()))
    words = tuple(Word(text=word, raw=raw[index] if index < len(raw) else "") for index, word in enumerate(argv))
    layers = tuple(
        Layer(kind=layer["kind"], words=tuple(layer.get("words", ())), text=layer.get("text", ""), shell=layer.get("shell", ""))
        for layer in said.get("layers", ())
    )
    data = {name: said[name] for name in ("needs", "log", "environment") if name in said} | dict(said.get("data", {}))
    return Situation(
        launch=Launch(argv=tuple(said.get("launch", argv)), env=dict(said.get("env", {})), cwd=said.get("cwd")),
        arrival=Arrival(words=words, layers=layers, meant=tuple(said.get("meant", argv)), env=dict(said.get("arrival_env", {}))),
        framework=framework,
        entry=framework.find_entry(argv) if framework else None,
        release=said.get("release", ""),
        program=said.get("program", ""),
        interpreter=said.get("interpreter", ""),
        data=data,
        symptom=Symptom(signs=(Sign(variable="error", value=said["error"]),)) if "error" in said else None,
    )


def shown(argv: tuple[str, ...], constants: Mapping[str, Any]) -> tuple[str, ...]:
    """`argv` with every long word that is a constant in `constants` (a module's names), or a framework's own, replaced by ``{NAME}``."""
    names = {value: name for name, value in constants.items() if isinstance(value, str) and len(value) >= LONG and name.isupper()}
    names |= {framework.parser_script: "parser_script" for framework in FRAMEWORKS if framework.parser_script}
    return tuple(f"{{{names[word]}}}" if word in names else word for word in argv)
