"""What the probes share: asking a Python on the target, reading its JSON answer, and finding the values that a launch gives to flags.

Scripts run under ``python3 -I -S``: the standard library alone, nothing of the user's folder or site-packages; they work from Python 3.8 on and
print one JSON value. What they need to know travels as one JSON argument, so that no quoting is involved.
"""

import json
import posixpath
from collections.abc import Iterable, Mapping
from typing import Any

from probes.probe import Situation
from transcripts.records import Command, Finding, Outcome, Output, Record, Sign

ANY_PYTHON = "python3"


class Given(Record, frozen=True, kw_only=True):
    """A value that the launch gives to a flag: `flag` as typed (no value), `position` the index of the flag's word in `Arrival.argv`.

    `joined` is True for ``--flag=value``. A positional has the flag ``""``.
    """

    flag: str
    value: str
    position: int
    joined: bool = False


def ask(script: str, *, interpreter: str = "", site: bool = False, told: Mapping[str, Any] | None = None, timeout: float = 20.0) -> Command:
    """A command that runs `script` under the target's Python (or under `interpreter`; with its site-packages if `site`)."""
    flags = ("-I",) if site else ("-I", "-S")
    words = (json.dumps(told, sort_keys=True),) if told is not None else ()
    return Command(argv=(interpreter or ANY_PYTHON, *flags, "-c", script, *words), timeout=timeout)


def python_of(situation: Situation) -> str:
    """The Python to ask questions that any Python can answer: the program's own where it is known to run (a version manager's is slow to start)."""
    return situation.interpreter if situation.interpreter and "versions" in situation.data else ANY_PYTHON


def configured(situation: Situation, *keys: str) -> str:
    """The value that vLLM's configuration file gives to one of `keys`, as text (empty where it gives none, or the file is not known)."""
    found = situation.data.get("config-file")
    config = found.get("config") if isinstance(found, dict) else None
    if not isinstance(config, dict) or situation.framework is None or situation.framework.name != "vllm":
        return ""
    return next((str(config[key]) for key in keys if isinstance(config.get(key), str | int)), "")


def answer(output: Output) -> Any:
    """The JSON value that a script printed, or None where its output is no such thing (it crashed, was cut, or is garbage)."""
    if output.status != 0 or output.truncated:
        return None
    try:
        return json.loads(output.stdout)
    except ValueError:
        return None


def unreadable(output: Output) -> Finding:
    """The finding of an output that nothing can be read from."""
    said = (output.stderr.strip() or output.stdout.strip()).splitlines()
    last = said[-1][:200] if said else "nothing"
    return Finding(outcome=Outcome.UNREADABLE, text=f"could not look: the command ended with status {output.status} and said: {last}")


def seen(probe: str, variable: str, value: str, /, **parameters: str) -> Sign:
    """A sign that a probe saw itself."""
    return Sign(variable=variable, value=value, parameters=parameters, source=f"probe:{probe}")


def predicted(value: str, /, **parameters: str) -> Sign:
    """The error that the launch is sure to end with, as a log would show it."""
    return Sign(variable="error", value=value, parameters=parameters, source="check")


def folder(situation: Situation) -> str:
    """The folder in which the server program will run, as the launch has it (empty: the target's own)."""
    return posixpath.join(situation.launch.cwd or "", situation.arrival.cwd or "")


def changes(situation: Situation) -> dict[str, str]:
    """The environment changes of the launch and of its layers together."""
    return {**situation.launch.env, **situation.arrival.env}


def unset(situation: Situation) -> tuple[str, ...]:
    """The names that the launch and its layers take out of the environment."""
    return (*situation.launch.unset, *situation.arrival.unset)


def environment(situation: Situation) -> dict[str, str]:
    """The environment that the server program will see, as far as it is known: the target's own, if it was asked, with the changes."""
    base = situation.data.get("environment") or {}
    gone = set(unset(situation))
    return {name: value for name, value in {**base, **changes(situation)}.items() if name not in gone or name in situation.arrival.env}


def spelling(situation: Situation, word: str) -> str:
    """The name part of an option word as its parser reads it: the value cut off, underscores as dashes where they count the same."""
    name = word.partition("=")[0]
    if name.startswith("--") and situation.framework and situation.framework.rules.underscores:
        return "--" + name[2:].replace("_", "-")
    return name


def given(situation: Situation, names: Iterable[str]) -> tuple[Given, ...]:
    """The values that the arriving argv gives to the flags `names`, in order; a flag without a value gives none."""
    wanted = set(names)
    options = situation.options
    start = situation.entry.options if situation.entry else 0
    found: list[Given] = []
    for index, word in enumerate(options):
        if not word.startswith("-") or spelling(situation, word) not in wanted:
            continue
        name, equals, value = word.partition("=")
        if equals:
            found.append(Given(flag=name, value=value, position=start + index, joined=True))
        elif index + 1 < len(options) and not options[index + 1].startswith("--"):
            found.append(Given(flag=name, value=options[index + 1], position=start + index))
    return tuple(found)


def positional(situation: Situation) -> Given | None:
    """The first word after the entry point, where the framework takes a positional and that word is none of its options."""
    if not situation.framework or not situation.framework.rules.positionals or not situation.entry:
        return None
    options = situation.options
    if options and not options[0].startswith("-"):
        return Given(flag="", value=options[0], position=situation.entry.options)
    return None
