"""A flag of another subcommand or entry point, one before the subcommand, or a subcommand that is none.

What happens
    ``vllm servee M``; ``vllm --port 8000 serve M``; an option of ``vllm bench`` given to ``vllm serve``; the demo server of ``api_server`` in
    place of the OpenAI one.
How it shows
    ``argument subparser: invalid choice: 'servee' (choose from …)``, or an unrecognised argument that another command takes.
How to tell
    The subcommand is not in the list, or another command's parser has the flag.
Fix
    The subcommand that was meant, and the flags behind it.
Fix safety
    Only the order of the words, or the name of the subcommand, changes.
References
    Python ``argparse``, "Sub-commands".
"""

from rapidfuzz import fuzz, process

from agent.causes.cause import Cause
from agent.causes.mending import in_words, option_of, parameter, word_at
from agent.causes.suggesting import listed
from probes.probe import Situation
from transcripts.records import Change, Hypothesis, Repair

_COMMON = ("serve", "chat", "complete", "bench", "run-batch", "launch")


def _mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """The nearest subcommand, or the flag dropped here with the words that say where it belongs."""
    moved = _behind_subcommand(hypothesis, situation)
    if moved is not None:
        return (moved,)
    value = parameter(hypothesis, "value", "")
    index = word_at(situation, value, hypothesis) if value and not value.startswith("-") else None
    near = _nearest(value, _choices(hypothesis))
    if near and index is not None:
        change = Change(start=index, stop=index + 1, words=(near,))
        return (Repair(summary=f"write {near} instead of {value}", changes=(change,), predicts=f"{near} is recognised as the subcommand"),)
    option = option_of(hypothesis, situation)
    command = parameter(hypothesis, "command", "another command")
    if option is not None:
        flag = option.name
        summary = f"leave {flag} out here: it belongs to {command}"
        return (Repair(summary=summary, changes=(option.becomes(),), predicts=f"nothing is said of {flag} any more"),)
    flag = hypothesis.parameters.get("flag", "")
    if flag and not flag.startswith("-"):
        return in_words(f"the word {flag} belongs to no option: take it out, or write the option that it belongs to before it")
    if flag:
        return in_words(f"use {command}, which takes {flag}, or leave {flag} out")
    return in_words(f"write {near} instead of {value}" if near else "name the subcommand right behind the program (vllm serve MODEL …)")


def _behind_subcommand(hypothesis: Hypothesis, situation: Situation) -> Repair | None:
    """Options that stand before the subcommand, moved to the end of its own."""
    argv, entry = situation.arrival.argv, situation.entry
    index, length = hypothesis.parameters.get("index", ""), hypothesis.parameters.get("length", "")
    if entry is None or not index.isdigit() or not length.isdigit() or not entry.start < int(index) < entry.options - 1:
        return None
    start, stop = int(index), int(index) + int(length)
    words = argv[start:stop]
    changes = (Change(start=start, stop=stop), Change(start=len(argv), stop=len(argv), words=words))
    return Repair(summary=f"write {' '.join(words)} behind {argv[entry.options - 1]}", changes=changes, predicts="the subcommand is recognised")


def _choices(hypothesis: Hypothesis) -> tuple[str, ...]:
    return tuple(choice.strip("'\"") for choice in listed(hypothesis.parameters.get("choices", ""))) or _COMMON


def _nearest(value: str, choices: tuple[str, ...]) -> str:
    found = process.extractOne(value, choices, scorer=fuzz.ratio, score_cutoff=60) if value else None
    return found[0] if found else ""


CAUSE = Cause(
    id="flag/wrong-command",
    prior=0.025,
    subject=("flag",),
    parameters=("command", "value", "choices", "tokens", "index", "length"),
    table={
        # Together all but one in a million: a converter runs for a registered flag only, so no other error of an argument can come of it.
        "error": {"unrecognised": 0.35, "invalid-subcommand": 0.59, "required-missing": 0.02, "invalid-choice": 0.01, "missing-module": 0.029999},
        "shape": {"flag": 0.55, "word": 0.13, "intact": 0.28, "command": 0.01},
        "registered": {"no": 0.97},
        "kin": {"other-command": 0.93, "nowhere": 0.04},
        "delivery": {"as-meant": 0.98},
        "sent": {"consistent": 0.9999},
        "exit": {"usage": 0.95},
    },
    summary="{value} is not what this command takes: it belongs to another command, or names none.",
    advice="Name the subcommand right behind the program, and give each flag to the command that takes it.",
    mend=_mend,
    related=("process/wrong-entrypoint", "flag/misspelt"),
)
