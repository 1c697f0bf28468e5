"""A flag and its value arrived as ONE argument.

What happens
    An element of a list holds both: ``args: ["--dtype float32"]`` in YAML, ``"--host 127.0.0.1"`` in a subprocess list, a quoted ``"$OPTS"``.
    argparse takes a word with a space in it for no option at all.
How it shows
    ``unrecognized arguments: --dtype float32`` although the flag surely exists; or the word becomes the model and is refused as a repository id.
How to tell
    The flag is registered. The message prints joined and separate words alike: only the argv as a list shows it.
Fix
    Two elements: the flag and its value.
Fix safety
    Same words, separated.
References
    Python ``argparse._parse_optional``: a string with a space is positional.
"""

import json
import shlex

from agent.causes.cause import Cause, Parameters
from agent.causes.mending import in_words, parameter, word_at
from agent.causes.suggesting import by_flag, listed
from probes.probe import Situation
from transcripts.records import Change, Hypothesis, Repair


def _mend(hypothesis: Hypothesis, situation: Situation) -> tuple[Repair, ...]:
    """Every word of the argv that holds an option with its value, split; the other joined words go with the one that was named."""
    argv = situation.arrival.argv
    first = situation.entry.options if situation.entry else 1
    named = word_at(situation, parameter(hypothesis, "value", ""), hypothesis)
    joined = {index for index in range(first, len(argv)) if _is_joined(argv[index])} | ({named} if named is not None else set())
    changes = tuple(Change(start=index, stop=index + 1, words=_split(argv[index])) for index in sorted(joined) if len(_split(argv[index])) > 1)
    flag = parameter(hypothesis, "flag", "--FLAG")
    if not changes:
        return in_words("write the flag and its value as two separate arguments", f'in a list: "{flag}", "VALUE" instead of "{flag} VALUE"')
    return (
        Repair(
            summary="split the arguments that hold a flag and its value in one: " + ", ".join(json.dumps(argv[c.start]) for c in changes),
            changes=changes,
            predicts=f"{flag} is recognised and the launch gets past its arguments",
        ),
    )


def _is_joined(word: str) -> bool:
    """Whether the word is ``--flag value`` or ``--flag=a --other=b``: a value may hold spaces, a flag's name may not."""
    head, _, rest = word.partition(" ")
    return word.startswith("--") and bool(rest) and ("=" not in head or rest.lstrip().startswith("--"))


def _split(word: str) -> tuple[str, ...]:
    head, _, rest = word.partition(" ")
    if not rest and word.startswith("--config="):
        # good for every other option: vLLM looks for this one as a word of its own
        return tuple(word.split("=", 1))
    if not word.startswith("-") or rest.strip()[:1] in ("{", "["):
        return (head, rest.strip()) if word.startswith("-") else (word,)
    try:
        return tuple(shlex.split(word))
    except ValueError:
        return (head, rest.strip())


def _may_hold_a_value(about: Parameters) -> bool:
    """Whether a value may have been joined to the flag: one that was printed without any behind it was not."""
    tokens = listed(about.get("tokens", ""))
    flag = about.get("flag", "")
    if flag not in tokens or " " in about.get("value", ""):
        return True
    behind = tokens[tokens.index(flag) + 1 :][:1]
    return bool(behind) and not behind[0].startswith("-")


CAUSE = Cause(
    id="quoting/joined-arguments",
    prior=0.03,
    subject=("flag",),
    parameters=("value", "tokens", "index", "length"),
    table={
        "error": {
            "unrecognised": 0.82,
            "repository-invalid": 0.05,
            "repository-not-found": 0.03,
            "invalid-choice": 0.02,
            "invalid-value": 0.04,
            "no-such-file": 0.02,
            "converter-refused": 0.01,
        },
        "shape": {"joined": 0.46, "flag": 0.48, "joined-equals": 0.06},
        "manifest": {"not-a-list": 0.3},
        "registered": {"yes": 0.97},
        "delivery": {"joined": 0.8, "as-meant": 0.17},
        "sent": {"consistent": 0.9999},
        "exit": {"usage": 0.85},
    },
    summary="{flag} and its value arrived as one single argument.",
    advice="Write the flag and its value as two elements of the list, or as --flag=value.",
    suggest=by_flag(
        (
            ("shape", "joined"),
            ("shape", "joined-equals"),
            ("delivery", "joined"),
            ("manifest", "not-a-list"),
            ("error", "unrecognised"),
            ("error", "repository-invalid"),
            ("error", "repository-not-found"),
            ("error", "invalid-choice"),
            ("error", "invalid-value"),
        ),
        ("value", "model", "tokens", "index", "length"),
        _may_hold_a_value,
    ),
    mend=_mend,
    related=("process/wrong-entrypoint",),
)
