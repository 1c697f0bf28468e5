"""Where the words of a faulty option stand in the argv that arrives, what was meant there, and the repairs made of that. Pure.

Indices are those of `Arrival.argv`, as `Change` wants them.
"""

import json
import re
from collections.abc import Callable

from agent.causes.suggesting import listed
from probes.launches.dotted import dotted
from probes.launches.shapes import json_pieces, repaired_json
from probes.probe import Situation
from transcripts.records import Change, Hypothesis, Record, Repair

Mend = Callable[[Hypothesis, Situation], tuple[Repair, ...]]

DOTTED_SINCE = (0, 9)
"""The first vLLM release that takes ``--flag.key value`` (0.9.0, read from its parser)."""

_SWITCH = re.compile(r"--?(no|enable|disable|use|trust|skip|enforce|is|allow)-")
_LONE_VALUE = re.compile(r"-?\d")


class Option(Record, frozen=True, kw_only=True):
    """An option as it arrives: its `name` as typed, and the words `start` up to `stop` that hold it with its value.

    `value` is the value's words joined with spaces (empty without one), `meant` what was evidently meant there (empty where nobody knows);
    `pieces` are the value's words; `inline` is ``--flag=value``.
    """

    name: str
    start: int
    stop: int
    value: str = ""
    meant: str = ""
    pieces: tuple[str, ...] = ()
    inline: bool = False

    def becomes(self, *words: str) -> Change:
        """The change that puts `words` where this option stands (none: drops it)."""
        return Change(start=self.start, stop=self.stop, words=words)

    def with_value(self, value: str) -> Change:
        """The change that gives it `value`, in the form in which it was typed."""
        return self.becomes(f"{self.name}={value}") if self.inline else self.becomes(self.name, value)


def parameter(hypothesis: Hypothesis, name: str, otherwise: str = "…") -> str:
    """A parameter of the hypothesis, or an ellipsis."""
    return hypothesis.parameters.get(name) or otherwise


def option_of(hypothesis: Hypothesis, situation: Situation) -> Option | None:
    """The option that the hypothesis names, where it stands in the argv; None where the launch is not known or does not hold it."""
    flag = hypothesis.parameters.get("flag", "")
    found = options(situation, flag, hypothesis)
    if not found:
        return None
    index = hypothesis.parameters.get("index", "")
    if index.isdigit():
        return min(found, key=lambda option: abs(option.start - int(index)))
    value = hypothesis.parameters.get("value", "")
    return next((option for option in reversed(found) if value and value in (option.value, *option.pieces)), found[-1])


def options(situation: Situation, flag: str, hypothesis: Hypothesis | None = None) -> list[Option]:
    """Every place where `flag` is given, under any spelling that the parser takes for it."""
    if not flag.startswith("-"):
        return []
    argv = situation.arrival.argv
    first = situation.entry.options if situation.entry else 1
    names = {_plain(name) for name in names_of(flag, situation)}
    exact = [index for index in range(first, len(argv)) if _plain(argv[index].partition("=")[0]) in names]
    found = exact or [index for index in range(first, len(argv)) if _abbreviates(argv[index].partition("=")[0], names)]
    return [_option(situation, index, hypothesis) for index in found]


def names_of(flag: str, situation: Situation) -> tuple[str, ...]:
    """All names of a flag in the installed release's table, or only itself."""
    known = situation.table.find(flag) if situation.table else None
    return known.names if known else (flag,)


def word_at(situation: Situation, text: str, hypothesis: Hypothesis | None = None) -> int | None:
    """The index of the word that is `text` after the program word: the one the hypothesis points to, else the last."""
    argv = situation.arrival.argv
    index = (hypothesis.parameters.get("index", "") if hypothesis else "") or "-"
    if index.isdigit() and int(index) < len(argv) and argv[int(index)] == text:
        return int(index)
    first = situation.entry.start + 1 if situation.entry else 1
    return next((at for at in range(len(argv) - 1, first - 1, -1) if argv[at] == text), None)


def replaced(situation: Situation, old: str, new: str, hypothesis: Hypothesis | None = None) -> Change | None:
    """The change that puts `new` where the word `old` stands, or where it is the value of a ``--flag=value``."""
    index = word_at(situation, old, hypothesis)
    if index is not None:
        return Change(start=index, stop=index + 1, words=(new,))
    argv = situation.arrival.argv
    for index in range(len(argv) - 1, 0, -1):
        name, equals, value = argv[index].partition("=")
        if old and equals and value == old:
            return Change(start=index, stop=index + 1, words=(f"{name}={new}",))
    return None


def json_of(option: Option, situation: Situation) -> str | None:
    """The JSON that was meant as the option's value, or None where it cannot be made out."""
    losses = [loss.before.removeprefix(f"{option.name}=") for loss in situation.arrival.losses if option.start <= loss.position < option.stop]
    told = [text for text in (option.meant, *losses, option.value) if text]
    whole = next((text for text in told if is_json(text)), None)
    if whole is not None:
        return whole
    mended = (repaired_json(text) for text in (*told, option.pieces))
    return next((text for text in mended if text is not None and is_json(text)), None)


def value_meant(option: Option, situation: Situation) -> str:
    """The option's value as it was meant: its JSON where a shell damaged it, else what arrives."""
    damaged = option.value[:1] in ("{", "[", "'", '"', "\\") or len(option.pieces) > 1 or bool(option.meant)
    return (json_of(option, situation) if damaged else None) or option.value


def damaged_json(situation: Situation) -> Option | None:
    """The first option whose value is no JSON and was evidently meant to be (for an error that names only a piece of it)."""
    argv = situation.arrival.argv
    first = situation.entry.options if situation.entry else 1
    for index in range(first, len(argv)):
        option = _option(situation, index, None) if argv[index].startswith("--") else None
        if option is not None and option.pieces and not is_json(option.value) and json_of(option, situation) is not None:
            return option
    return None


def is_json(text: str) -> bool:
    """Whether `text` is a JSON object or list."""
    try:
        return isinstance(json.loads(text), dict | list)
    except ValueError:
        return False


def takes_dotted(situation: Situation) -> bool:
    """Whether this framework's parser takes ``--flag.key value`` for JSON (vLLM since 0.9; an unknown release counts as recent)."""
    if situation.framework is None or not situation.framework.rules.dotted_json:
        return False
    return not situation.release or release_of(situation.release) >= DOTTED_SINCE


def release_of(text: str) -> tuple[int, ...]:
    """A release as numbers, as far as it has them: ``0.20.1+cpu`` is (0, 20, 1)."""
    head = re.match(r"\d+(?:\.\d+)*", text)
    return tuple(int(part) for part in head.group().split(".")) if head else ()


def json_repairs(hypothesis: Hypothesis, situation: Situation, text: str | None = None) -> tuple[Repair, ...]:
    """The repairs of a JSON value that did not arrive: dotted flags, which need no quoting, then the literal JSON as one word; or words.

    `text` is the JSON where the caller knows it.
    """
    option = option_of(hypothesis, situation) or damaged_json(situation)
    text = text or (json_of(option, situation) if option else None)
    if option is None or text is None:
        return (_json_in_words(hypothesis, situation),)
    flag = long_name(option.name, situation)
    predicts = f"{flag} accepts its value and the launch gets past its arguments"
    literal = Repair(summary=f"pass the JSON of {flag} as one quoted word", changes=(option.with_value(text),), predicts=predicts)
    words = dotted(flag, text) if takes_dotted(situation) else None
    if not words:
        return (literal,)
    keyed = Repair(summary=f"give {flag} key by key, which needs no quoting at all", changes=(option.becomes(*words),), predicts=predicts)
    return (keyed, literal)


def long_name(name: str, situation: Situation) -> str:
    """The long option that a short one stands for (the name itself where the table does not tell)."""
    if name.startswith("--"):
        return name
    return next((other for other in names_of(name, situation) if other.startswith("--")), name)


def in_words(summary: str, *steps: str) -> tuple[Repair, ...]:
    """A repair that only a person can make: what to do, in words."""
    return (Repair(summary=summary, steps=steps or (summary,)),)


def _json_in_words(hypothesis: Hypothesis, situation: Situation) -> Repair:
    flag = parameter(hypothesis, "flag", "--FLAG")
    key = re.match(r"\W*([A-Za-z_]\w*)", hypothesis.parameters.get("value", ""))
    name = key.group(1) if key else "KEY"
    literal = f"{flag} '{{\"{name}\": …}}'"
    steps = [f"pass the whole JSON as ONE word, in single quotes, once more for each extra shell it goes through: {literal}"]
    if situation.framework is None or takes_dotted(situation):
        steps.insert(0, f"vLLM takes the same key by key, without any quoting: {flag}.{name} VALUE")
    return Repair(summary=f"make the JSON of {flag} arrive whole", steps=tuple(steps))


def _option(situation: Situation, index: int, hypothesis: Hypothesis | None) -> Option:
    words, argv = situation.arrival.words, situation.arrival.argv
    name, equals, value = argv[index].partition("=")
    if equals:
        stop = _end_of_value(situation, index)
        pieces = (value, *argv[index + 1 : stop])
        meant = words[index].meant.removeprefix(f"{name}=")
        return Option(name=name, start=index, stop=stop, value=" ".join(pieces), meant=meant, pieces=pieces, inline=True)
    if not _has_value(situation, index, hypothesis):
        return Option(name=name, start=index, stop=index + 1)
    stop = _end_of_value(situation, index + 1)
    pieces = argv[index + 1 : stop]
    return Option(name=name, start=index, stop=stop, value=" ".join(pieces), meant=words[index + 1].meant, pieces=pieces)


def _has_value(situation: Situation, index: int, hypothesis: Hypothesis | None) -> bool:
    """Whether the word after the flag is its value: by the table, by the position the hypothesis gives, by the tokens printed, by its look."""
    argv = situation.arrival.argv
    if index + 1 >= len(argv):
        return False
    following = argv[index + 1]
    known = situation.table.find(argv[index]) if situation.table else None
    if known is not None:
        return known.takes_value
    if following.startswith("-") and not _LONE_VALUE.match(following):
        return False
    parameters = hypothesis.parameters if hypothesis else {}
    if parameters.get("index") == str(index) and parameters.get("length", "").isdigit():
        return int(parameters["length"]) > 1
    if tokens := parameters.get("tokens", ""):
        return following in listed(tokens)
    return not _SWITCH.match(argv[index])


def _end_of_value(situation: Situation, start: int) -> int:
    """The index after the last word of the value whose first word is `start`: pieces of one meant value, or of JSON that was cut."""
    words = situation.arrival.words
    group = words[start].piece_of
    stop = start + 1
    if group < 0:
        return stop + json_pieces(situation.arrival.argv, start)
    while stop < len(words) and words[stop].piece_of == group:
        stop += 1
    return stop


def _plain(name: str) -> str:
    return name.replace("_", "-") if name.startswith("-") else name


def _abbreviates(typed: str, names: set[str]) -> bool:
    return len(typed) > 4 and typed.startswith("--") and any(name.startswith(_plain(typed)) for name in names)
