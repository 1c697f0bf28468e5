"""A shell variable or ``~`` arrived literally, or expanded to nothing.

What happens
    Nobody expands ``$NAME`` in single quotes, in a YAML list, an exec form or a Python list; ``~`` is expanded only at the start of a word and
    by a shell. A variable that is not set leaves an empty word, or none: then the next flag stands where the value should.
How it shows
    A literal ``$`` or ``~`` in the value of the error, an empty value, or ``expected one argument`` with another flag right behind.
How to tell
    The argv as it arrives; whether the variable is set on the target.
Fix
    The value itself in its place where the environment has it.
Fix safety
    Only a value that the environment already holds is put in.
References
    POSIX shell, "Parameter Expansion"; Kubernetes: ``$(NAME)`` is its own syntax; Docker exec form: no shell.
"""

import re

from agent.causes.cause import Cause
from agent.causes.mending import in_words, option_of, parameter, replaced
from probes.probe import Situation
from transcripts.records import Hypothesis, Repair
from transcripts.redact import names_secret

_NAME = re.compile(r"\$(?:\{(\w+)\}|\((\w+)\)|(\w+))")


def _mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """The variable's value where the environment has it, else in words."""
    option = option_of(hypothesis, situation)
    flag = parameter(hypothesis, "flag", "the option")
    typed = [loss.before for loss in situation.arrival.losses if loss.kind == "dollar" and option and option.start <= loss.position <= option.stop]
    value = (option.value if option else parameter(hypothesis, "value", "")) or next(iter(typed), "")
    full = _expanded(value, _environment(situation))
    change = option.with_value(full) if option and full else replaced(situation, value, full, hypothesis) if full else None
    if change is not None and full != value:
        return (Repair(summary=f"put the value of {value} in its place", changes=(change,), predicts=f"{flag} receives {full}"),)
    names = ", ".join(_names(" ".join((value, *typed)))) or "the variable"
    return in_words(
        f"set {names} where the launch runs, or write its value in its place",
        f"{names} reaches the program unexpanded or empty: single quotes, a list without a shell, or a variable that is not set there",
    )


def _names(text: str) -> list[str]:
    return [next(group for group in match.groups() if group) for match in _NAME.finditer(text)]


def _environment(situation: Situation) -> dict[str, str]:
    known = situation.data.get("environment")
    outside = {str(name): str(text) for name, text in known.items()} if isinstance(known, dict) else {}
    return {**outside, **situation.launch.env, **situation.arrival.env}


def _expanded(text: str, environment: dict[str, str]) -> str:
    """The text with its variables' values; empty where one of them is not known, or is a secret (which belongs in no argv)."""
    if text.startswith("~/") and "HOME" in environment:
        text = environment["HOME"] + text[1:]
    names = _names(text)
    if text.startswith("~") or not all(environment.get(name) and not names_secret(name) for name in names):
        return ""
    return _NAME.sub(lambda match: environment[next(group for group in match.groups() if group)], text)


CAUSE = Cause(
    id="quoting/unexpanded-variable",
    prior=0.015,
    subject=("flag",),
    parameters=("value", "name", "model", "path", "tokens", "index", "length"),
    table={
        "error": {
            "expected-argument": 0.25,
            "converter-refused": 0.2,
            "invalid-value": 0.2,
            "repository-invalid": 0.09,
            "no-such-file": 0.06,
            "invalid-choice": 0.05,
            "repository-not-found": 0.05,
            "unrecognised": 0.04,
            "json-invalid": 0.03,
            "interpolation": 0.02,
            "container-exec": 0.005,
        },
        "shape": {"dollar": 0.72, "next-flag": 0.15, "empty": 0.12},
        "delivery": {"dollar": 0.94, "altered": 0.02},
        "sent": {"consistent": 0.9999},
        "exit": {"usage": 0.6},
    },
    summary="A variable in the value of {flag} was not expanded, or is empty: what arrived is {value}.",
    advice="Let a shell expand it (double quotes, not single), set it where the launch runs, or write the value itself.",
    mend=_mend,
    related=("quoting/template", "config/credentials"),
)
