"""A file path was given where the JSON itself is wanted.

What happens
    The option takes JSON text, not the name of a file that holds it; the path goes to the JSON converter as it is.
How it shows
    ``Value /srv/spec.json cannot be converted to <function loads>``: the value in the error is a path.
How to tell
    The value names a file (often one that exists and holds the right JSON).
Fix
    Give the file's content: key by key with dotted flags (vLLM since 0.9), or as one quoted word.
Fix safety
    The file is only read.
References
    vLLM ``EngineArgs``: these options have ``json.loads`` as their type.
"""

from collections.abc import Iterator, Mapping

from agent.causes.cause import Cause
from agent.causes.mending import in_words, is_json, json_repairs, option_of, parameter
from probes.probe import Situation
from transcripts.records import Hypothesis, Repair


def _mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """The file's JSON in the place of its path where an earlier look read it, else in words."""
    option = option_of(hypothesis, situation)
    path = option.value if option else parameter(hypothesis, "value", "")
    content = next((text for text in _texts(situation.data, path) if is_json(text)), None)
    if option is not None and content is not None:
        return json_repairs(hypothesis, situation, text=" ".join(content.split()))
    flag = parameter(hypothesis, "flag", "--FLAG")
    return in_words(
        f"give {flag} the JSON itself instead of the path of a file",
        f'in a shell, the file\'s content as one word: {flag} "$(cat {path or "FILE"})"',
    )


def _texts(data: Mapping[str, object], path: str) -> Iterator[str]:
    """Every text that earlier looks read under this path."""
    for found in data.values():
        text = found.get(path) if isinstance(found, Mapping) else None
        if isinstance(text, Mapping):
            text = text.get("text")
        if isinstance(text, str):
            yield text


CAUSE = Cause(
    id="quoting/path-for-json",
    prior=0.012,
    subject=("flag",),
    parameters=("value", "index", "length"),
    table={
        "error": {"converter-refused": 0.78, "json-invalid": 0.18, "invalid-value": 0.03},
        "shape": {"path": 0.985},
        "file": {"present": 0.85, "absent": 0.1},
        "delivery": {"as-meant": 0.93},
        "sent": {"consistent": 0.9999},
        "exit": {"usage": 0.9},
    },
    summary="{flag} takes JSON, and was given the path of a file: {value}.",
    advice="Give the file's content, not its path.",
    mend=_mend,
    related=("config/invalid-json", "config/file-missing"),
)
