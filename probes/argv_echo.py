"""Runs the launch through its own shell layers with the server program replaced by one that prints its argv, and compares that with what was meant.

How the program is replaced: in the text that the outermost shell evaluates, the program word gives way to ``python3 -I -S -``, whose script comes
in through stdin. That needs no quoting at any depth, so every other character of the text passes the same shells as in the launch. It works for a
bare name and for an absolute path alike (an alias, a function or a folder first on PATH could stand in for a bare name only).

Nothing else of the line may run: it is asked only where every layer's text consists of assignments, exports and one simple command, without
substitutions, redirections, pipes or lists of other commands. Layers that lead to another machine or through a script file are not entered.

Outcomes: as meant, or what became of each value (split, stripped, expanded, joined, dollar, cut, altered); could not look.
Cost: two starts of a shell and one of a Python. Control: a known word is put first among the arguments and must arrive unharmed.
"""

import json
import re
from collections.abc import Sequence

from probes.asking import answer, seen, unreadable
from probes.launches.shapes import plain_dashes
from probes.probe import Probe, Situation
from probes.simple_command import SHELLS, runs_only
from transcripts.records import Command, Finding, Layer, Outcome, Output, Question, Sign

NAME = "argv-echo"
CONTROL = "nostart-control"
STAND_IN = f"python3 -I -S - {CONTROL}"

SCRIPT = "import json, sys\nprint(json.dumps(sys.argv[1:]))\n"

_FAR = frozenset({"ssh", "container", "script", "python"})


def _outermost(situation: Situation) -> Layer | None:
    return next((layer for layer in situation.arrival.layers if layer.kind in ("typed", "shell")), None)


def replaced(text: str, raw: str) -> str | None:
    """`text` with its one occurrence of the program word `raw` replaced by the stand-in, or None where it does not stand there exactly once."""
    pattern = re.compile(r"(?<![\w./$~-])" + re.escape(raw) + r"(?![\w./-])")
    return pattern.sub(lambda _: STAND_IN, text, count=1) if raw and len(pattern.findall(text)) == 1 else None


def questions(situation: Situation) -> tuple[Question, ...]:
    """One question, where the launch goes through shells of this machine that run nothing but the server."""
    arrival = situation.arrival
    layer = _outermost(situation)
    texts = [one.text for one in arrival.layers if one.kind in ("typed", "shell")]
    if layer is None or not arrival.words or any(one.kind in _FAR for one in arrival.layers):
        return ()
    program = situation.entry.start if situation.entry else 0
    if arrival.trailing or program >= len(arrival.words):
        return ()
    word = arrival.words[program]
    if not all(runs_only(text, word.raw or word.text) for text in texts):
        return ()
    text = replaced(layer.text, word.raw or word.text)
    shell = (layer.shell or (layer.words[0] if layer.words else "bash")).rpartition("/")[2]
    if text is None or shell not in SHELLS:
        return ()
    meant = list(arrival.meant or arrival.argv)[program:]
    return (Question(probe=NAME, parameters={"shell": shell, "text": text, "meant": json.dumps(meant), "program": word.text}),)


def command(question: Question, situation: Situation) -> Command:
    """Let the launch's own shell evaluate the text, with the program replaced."""
    argv = (question.parameters["shell"], "-c", question.parameters["text"])
    return Command(argv=argv, stdin=SCRIPT, env=situation.launch.env, unset=("BASH_ENV", "ENV"), timeout=15.0)


def read(question: Question, output: Output) -> Finding:
    """What arrived, against what was meant."""
    value = answer(output)
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        return unreadable(output)
    if value[:1] != [CONTROL]:
        return Finding(outcome=Outcome.VOID, text="the stand-in did not get the word that was put first", control=f"{CONTROL} did not arrive")
    argv = [question.parameters["program"], *value[1:]]
    meant = [str(word) for word in json.loads(question.parameters["meant"])]
    control = f"{CONTROL} arrived unharmed"
    if argv == meant:
        sign = seen(NAME, "delivery", "as-meant")
        return Finding(outcome=Outcome.OBSERVED, text="the argv arrives as it was meant", signs=(sign,), control=control, data=argv)
    signs = differences(meant, argv)
    what = "; ".join(f"{sign.parameters.get('flag') or 'a word'}: {sign.parameters.get('value', '')!r} ({sign.value})" for sign in signs)
    text = f"what arrives is {json.dumps(argv, ensure_ascii=False)}; {what}"
    return Finding(outcome=Outcome.OBSERVED, text=text, signs=signs, control=control, data=argv)


def differences(meant: Sequence[str], argv: Sequence[str]) -> tuple[Sign, ...]:
    """A sign for each flag whose value did not arrive as meant (for the argv as a whole where no flag can be named)."""
    signs: list[Sign] = []
    for index, word in enumerate(meant):
        flag, equals, value = word.partition("=")
        if not flag.startswith("-") or (not equals and (index + 1 >= len(meant) or meant[index + 1].startswith("--"))):
            continue
        wanted = value if equals else meant[index + 1]
        got = _arrived(flag, bool(equals), argv)
        alike = next((word for word in argv if got is None and plain_dashes(word).partition("=")[0] == flag), "")
        if alike:
            signs.append(seen(NAME, "delivery", "altered", flag=alike.partition("=")[0], value=alike, before=flag, after=json.dumps([alike])))
        elif got is None or got[:1] != [wanted] or len(got) > 1 + _extra(meant, index, bool(equals)):
            kind = _cut_or_joined(flag, argv) if got is None else became(wanted, got)
            signs.append(seen(NAME, "delivery", kind, flag=flag, value=got[0] if got else "", before=wanted, after=json.dumps(got or [])))
    return tuple(signs) or (seen(NAME, "delivery", "altered", value=" ".join(argv)[:500], before=" ".join(meant)[:500]),)


def _extra(meant: Sequence[str], index: int, joined: bool) -> int:
    """How many further words were meant to follow a flag's first value."""
    rest = meant[index + (1 if joined else 2) :]
    return next((count for count, word in enumerate(rest) if word.startswith("-")), len(rest))


def _arrived(flag: str, joined: bool, argv: Sequence[str]) -> list[str] | None:
    """The words that arrived as the value of `flag`, up to the next flag."""
    for index, word in enumerate(argv):
        if word == flag or (joined and word.startswith(flag + "=")):
            rest = list(argv[index + 1 :])
            count = next((n for n, other in enumerate(rest) if other.startswith("--")), len(rest))
            return [word.partition("=")[2], *rest[:count]] if joined and word != flag else rest[:count]
    return None


def _cut_or_joined(flag: str, argv: Sequence[str]) -> str:
    return "joined" if any(word.startswith(flag + " ") or f" {flag} " in word for word in argv) else "cut"


def became(before: str, after: Sequence[str]) -> str:
    """What a layer did to the value `before` that arrived as the words `after`: one value of the variable ``delivery``."""
    bare = re.sub(r"[\"'\\]", "", before)
    first = after[0] if after else ""
    if not after or not first or (first.startswith("$") and not before.startswith("$")):
        return "dollar"
    if before.startswith(("{", "[")) and first[:1] not in "{[\"'\\" and "," in before:
        return "expanded"
    if len(after) > 1 and " ".join(after).startswith((bare[: len(first)], before[: len(first)])):
        return "split"
    if first == bare or re.sub(r"\s", "", first) == re.sub(r"\s", "", bare):
        return "stripped"
    if len(first) < len(before) and (before.startswith(first) or bare.startswith(first)):
        return "split"
    return "joined" if first.startswith(before + " ") else "altered"


PROBE = Probe(
    name=NAME,
    about="the argv that arrives through the same shell layers",
    variables=("delivery",),
    cost=0.2,
    control="a known word is put first and must arrive unharmed",
    check=True,
    near=True,
    paste="run your line with the program replaced by: printf '[%s]\\n'",
    questions=questions,
    command=command,
    read=read,
)
