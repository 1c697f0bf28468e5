"""Lets the framework's own parser judge the arguments, in its own interpreter, with the serve command itself replaced: no engine starts.

The one judge that is never wrong about its own arguments, at the price of the framework's imports.

Outcomes: accepted; refused, with the parser's own words (which prove whether the flag in question is registered: a converter is only called for one
that is); void where the parser could not even be built; could not look. Cost: eight seconds. Control: the parser was built and called.
"""

import json
import re
from typing import Any

from probes.asking import changes, environment, folder, seen, unreadable, unset
from probes.probe import Probe, Situation
from transcripts.records import Command, Finding, Outcome, Output, Question, Sign

NAME = "parser-dry-run"
_ABOUT = re.compile(r"(?:argument |option )'?(-{1,2}[\w-]+)")
_UNKNOWN = re.compile(r"unrecognized arguments: (.*)|[Nn]o such option:? '?(--?[\w-]+)")


def questions(situation: Situation) -> tuple[Question, ...]:
    """The arguments of the launch as they arrive, where a serving command and its interpreter are known."""
    if (
        not situation.can_ask
        or situation.framework is None
        or not situation.framework.parser_script
        or not situation.interpreter
        or not situation.entry
    ):
        return ()
    flag = _subject(situation)
    return (Question(probe=NAME, parameters={"framework": situation.framework.name, **({"flag": flag} if flag else {})}),)


def _subject(situation: Situation) -> str:
    """The flag that the error in question is about."""
    signs = situation.symptom.signs if situation.symptom else ()
    return next((s.parameters["flag"] for s in signs if s.variable == "error" and s.parameters.get("flag", "").startswith("-")), "")


def command(question: Question, situation: Situation) -> Command:
    """The framework's parser over the words as they arrive."""
    script = situation.framework.parser_script if situation.framework else ""
    # Isolated, unless the launch finds its packages by PYTHONPATH.
    flags = () if environment(situation).get("PYTHONPATH") else ("-I",)
    return Command(
        argv=(situation.interpreter or "python3", *flags, "-c", script, *situation.options),
        env=changes(situation),
        unset=unset(situation),
        cwd=folder(situation) or None,
        timeout=120.0,
    )


def read(question: Question, output: Output) -> Finding:
    """What the parser said."""
    result = _result(output)
    if result is None:
        return unreadable(output)
    error = result["error"].strip()
    last = error.splitlines()[-1] if error else ""
    data: dict[str, Any] = {"accepted": result["accepted"], "error": error}
    if not result["built"]:
        text = f"the framework's own parser could not be built: {last or 'no reason given'}"
        return Finding(outcome=Outcome.VOID, text=text, control="the parser was not reached", data={"crash": error, **data})
    control = "the parser was built and called"
    if result["accepted"]:
        return Finding(
            outcome=Outcome.OBSERVED, text="the framework's own parser accepts the arguments", control=control, data=data, signs=_yes(question)
        )
    text = f"the framework's own parser refuses the arguments: {last[:300]}"
    return Finding(outcome=Outcome.OBSERVED, text=text, signs=_signs(question, error), control=control, data=data)


def _result(output: Output) -> dict[str, Any] | None:
    if output.status != 0 or output.truncated:
        return None
    lines = output.stdout.strip().splitlines()
    try:
        result = json.loads(lines[-1]) if lines else None
    except ValueError:
        return None
    if not isinstance(result, dict) or not isinstance(result.get("error"), str):
        return None
    return result if isinstance(result.get("built"), bool) and isinstance(result.get("accepted"), bool) else None


def _yes(question: Question) -> tuple[Sign, ...]:
    flag = question.parameters.get("flag", "")
    return (seen(NAME, "registered", "yes", flag=flag),) if flag else ()


def _signs(question: Question, error: str) -> tuple[Sign, ...]:
    """What the refusal proves about the flag asked about."""
    flag = question.parameters.get("flag", "")
    plain = flag.replace("_", "-")
    about = _ABOUT.search(error)
    if flag and about is not None and plain in (about[1], about[1].replace("_", "-")):
        return (seen(NAME, "registered", "yes", flag=flag),)
    unknown = _UNKNOWN.search(error)
    tokens = [] if unknown is None else (unknown[1].split() if unknown[1] else [unknown[2]])
    if flag and any(token.partition("=")[0].replace("_", "-") == plain for token in tokens):
        return (seen(NAME, "registered", "no", flag=flag),)
    return ()


PROBE = Probe(
    name=NAME,
    about="what the framework's own parser says of the arguments",
    variables=("registered",),
    cost=8.0,
    control="the parser was built and called",
    questions=questions,
    command=command,
    read=read,
)
