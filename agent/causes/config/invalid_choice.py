"""The flag exists, and its value is none of those it allows.

What happens
    A closed list of values is enforced, by the parser or by a configuration object, and the value is not one of them.

How it shows
    argument --dtype: invalid choice: 'float17' (choose from 'auto', 'bfloat16', …), exit status 2; where the type is open, a later error that
    lists the choices.

How to tell
    The error prints the value as it was typed, and the list.

Fix
    The nearest value of the list, or a common other name of one (fp16 is float16).

Fix safety
    Changes one value. The nearest one is a guess about what was meant: look at it.

References
    https://docs.python.org/3/library/argparse.html#choices
"""

import ast
import json

from rapidfuzz import fuzz, process

from agent.causes.cause import Cause
from agent.causes.mending import in_words, option_of, parameter
from probes.probe import Situation
from transcripts.records import Hypothesis, Repair

_OTHER_NAMES = {
    "fp16": "float16",
    "f16": "float16",
    "float-16": "float16",
    "bf16": "bfloat16",
    "fp32": "float32",
    "f32": "float32",
    "single": "float32",
    "none": "none",
}
_NEAR = 60.0
"""How alike two values must be, in per cent, to be proposed."""


def nearest(value: str, choices: tuple[str, ...]) -> tuple[str, ...]:
    """The choices that `value` may have meant, best first, at most two; a value that differs by case alone has one."""
    plain = value.strip().strip("'\"").lower()
    same = [choice for choice in choices if choice.lower() == plain or choice.lower() == _OTHER_NAMES.get(plain)]
    if same:
        return tuple(same[:1])
    scored = process.extract(plain, choices, scorer=fuzz.ratio, processor=str.lower, score_cutoff=_NEAR, limit=2)
    return tuple(choice for choice, _, _ in scored)


def listed(text: str) -> tuple[str, ...]:
    """The choices as the error prints them: a JSON or Python list, or words with commas between them."""
    for reader in (json.loads, ast.literal_eval):
        try:
            items = reader(text if text.lstrip().startswith(("[", "(", "{")) else f"[{text}]")
        except (ValueError, SyntaxError):
            continue
        return tuple(str(item) for item in items)
    return tuple(item.strip().strip("'\"") for item in text.split(",") if item.strip())


def _choices(hypothesis: Hypothesis, situation: Situation) -> tuple[str, ...]:
    printed = hypothesis.parameters.get("choices", "")
    if printed:
        return listed(printed)
    known = situation.table.find(hypothesis.parameters.get("flag", "")) if situation.table else None
    return (known.choices or ()) if known else ()


def mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """The nearest choices, best first; the list in words where none is near."""
    flag = parameter(hypothesis, "flag")
    choices = _choices(hypothesis, situation)
    option = option_of(hypothesis, situation)
    value = hypothesis.parameters.get("value") or (option.value if option else "")
    near = nearest(value, choices)
    if option is None or not near:
        return in_words(f"give {flag} one of: {', '.join(choices) or 'the values that its help lists'}")
    return tuple(
        Repair(
            summary=f"give {flag} the value {choice}, the nearest to {value}",
            changes=(option.with_value(choice),),
            predicts=f"{flag} accepts {choice} and the launch gets past its arguments",
        )
        for choice in near
    )


CAUSE = Cause(
    id="config/invalid-choice",
    prior=0.045,
    table={
        "error": {"invalid-choice": 0.94, "validation": 0.02, "other": 0.02},
        "shape": {
            "intact": 0.82,
            "word": 0.08,
            "boolean-word": 0.05,
            "empty": 0.003,
            "path": 0.01,
            "dollar": 0.0005,
            "typographic": 0.0005,
            "quoted": 0.0005,
            "joined": 0.0005,
            "template": 0.0005,
            "next-flag": 0.0005,
            "flag": 0.001,
        },
        "registered": {"yes": 0.999},
        "sent": {"consistent": 0.9999},
        "delivery": {"as-meant": 0.97},
        "phase": {"arguments": 0.93, "config": 0.05},
    },
    summary="{flag} does not take the value {value}.",
    advice="Give one of the values that the error, or the flag's help, lists.",
    subject=("flag",),
    parameters=("value", "choices", "index", "length"),
    mend=mend,
)
