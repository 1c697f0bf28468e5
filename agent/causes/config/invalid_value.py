"""The value has the wrong type, or lies outside the range.

What happens
    A number is written in a way that this option does not read (80%, 4k, 128.0), or it is no number; or it is one that makes no sense there.

How it shows
    argument --max-model-len: invalid int value: '4k', exit status 2; a range shows later, as a validation error; a few bad values are accepted
    and the launch then waits for ever.

How to tell
    The error names the type it wanted and prints the value as it was typed.

Fix
    The same quantity as this option reads it, where that is beyond doubt; otherwise words.

Fix safety
    Changes the notation of one value, never its size.

References
    https://docs.python.org/3/library/argparse.html#type
"""

import re

from agent.causes.cause import Cause
from agent.causes.mending import in_words, option_of, parameter
from probes.probe import Situation
from transcripts.records import Hypothesis, Repair

_UNITS = {"k": 1024, "m": 1024**2, "g": 1024**3, "t": 1024**4}
YAML_TYPES = frozenset({"number", "boolean", "null", "date", "mapping", "list"})
"""What YAML reads a text as that stands without quotes, in a file of which a launch is made."""
_SHARES = re.compile(r"utili[sz]ation|fraction|ratio|threshold|top-p|percent", re.IGNORECASE)


def corrected(value: str, kind: str, flag: str = "") -> str | None:
    """`value` as an option of type `kind` (``int``, ``float``, ``human_readable_int``…) reads it, or None where that is not beyond doubt.

    Units count in powers of two, as memory and context lengths do: ``4k`` is 4096.
    """
    text = value.strip().strip("'\"").replace("\u00a0", "")
    if "float" in kind or _SHARES.search(flag):
        return _share(text, value)
    if "int" in kind:
        return _integer(text, value)
    return None


def _integer(text: str, value: str) -> str | None:
    plain = re.sub(r"(?<=\d)[_,' ](?=\d{3}\b)", "", text)
    if found := re.fullmatch(r"([+-]?\d+)(?:\.0*)?", plain):
        return found.group(1) if found.group(1) != value else None
    if found := re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt])(?:i?b|tokens?)?", plain, re.IGNORECASE):
        size = float(found.group(1)) * _UNITS[found.group(2).lower()]
        return str(int(size)) if size.is_integer() else None
    if found := re.fullmatch(r"(\d+)\s*(?:tokens?|seqs?|gpus?|s|sec(?:onds)?)", plain, re.IGNORECASE):
        return found.group(1)
    return None


def _share(text: str, value: str) -> str | None:
    if found := re.fullmatch(r"(\d+(?:[.,]\d+)?)\s*%", text):
        return f"{float(found.group(1).replace(',', '.')) / 100:g}"
    if re.fullmatch(r"\d+,\d+", text):
        return text.replace(",", ".")
    if re.fullmatch(r"\.?\d+(?:\.\d*)?", text) and text != value:
        return text
    return None


def mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """The value in the notation that the option reads, or words."""
    flag = parameter(hypothesis, "flag", "the option")
    if hypothesis.parameters.get("type") in YAML_TYPES and situation.launch.origin is not None:
        told = hypothesis.parameters.get("value", "")
        return (Repair(summary=f"put {told} in quotes: {flag} takes only text", predicts="the file is accepted"),)
    option = option_of(hypothesis, situation)
    known = situation.table.find(flag) if situation.table else None
    kind = hypothesis.parameters.get("type") or (known.type if known else "")
    value = hypothesis.parameters.get("value") or (option.value if option else "")
    right = corrected(value, kind, flag)
    if option is None or right is None:
        wanted = f" of type {kind}" if kind else ""
        return in_words(f"give {flag} a value{wanted} that it can take" + (f", not {value}" if value else ""))
    return (
        Repair(
            summary=f"write the value of {flag} as {right}",
            changes=(option.with_value(right),),
            predicts=f"{flag} accepts {right} and the launch gets past its arguments",
        ),
    )


CAUSE = Cause(
    id="config/invalid-value",
    prior=0.04,
    table={
        "memory-of": {"share": 0.8},
        "topic": {"range": 0.25, "setting": 0.25},
        "error": {
            "invalid-value": 0.62,
            "validation": 0.1,
            "expected-argument": 0.03,
            "hang": 0.01,
            "free-memory": 0.05,
            "service": 0.02,
            "cache-memory": 0.01,
            "other": 0.14,
            "file-refused": 0.005,
        },
        "shape": {
            "intact": 0.75,
            "word": 0.1,
            "boolean-word": 0.05,
            "path": 0.02,
            "single-dash": 0.03,
            "empty": 0.002,
            "dollar": 0.0005,
            "typographic": 0.0005,
            "quoted": 0.0005,
            "joined": 0.0005,
            "template": 0.0005,
            "next-flag": 0.001,
            "flag": 0.001,
        },
        "manifest": {"wrong-type": 0.9},
        "registered": {"yes": 0.999},
        "sent": {"consistent": 0.9999},
        "delivery": {"as-meant": 0.97},
        "phase": {"arguments": 0.7, "config": 0.15, "model": 0.12},
    },
    summary="{flag} cannot take the value {value}.",
    advice="Give a value of the type and range that the error, or the flag's help, states.",
    subject=("flag",),
    parameters=("value", "type", "message", "index", "length"),
    mend=mend,
)
