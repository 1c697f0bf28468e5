"""The fix as a difference between the command as it arrived and as it should."""

import shlex
from collections.abc import Sequence
from difflib import SequenceMatcher

from transcripts import events
from transcripts.postmortem.story import CommandChange, Word
from transcripts.records import Fix, Launch

_OPERATORS = frozenset({"&", "&&", "|", "||", ";", "2>&1", "<"})


def command_of(launch: Launch) -> str:
    """A launch as one line: as typed, else its words."""
    return launch.shell or " ".join(launch.argv)


def change(recorded: Sequence[events.AnyEvent]) -> CommandChange | None:
    """The last fix that was tried or proposed, against the launch as it was first understood; None where there is none."""
    fixes = [event for event in recorded if isinstance(event, events.FixChosen)]
    diagnosed = next((event.diagnosis for event in reversed(recorded) if isinstance(event, events.Diagnosed)), None)
    fix = (diagnosed.fix if diagnosed else None) or (fixes[-1].fix if fixes else None)
    if fix is None:
        return None
    return CommandChange(
        summary=fix.summary,
        words=difference(_before(recorded, fix.argv[0]), fix.argv) if fix.argv else (),
        shell=fix.shell,
        env=fix.env,
        unset=fix.unset,
        files=fix.files,
        steps=fix.steps,
        generated=fix.generated,
        worked=_worked(recorded, fix),
    )


def _before(recorded: Sequence[events.AnyEvent], program: str) -> tuple[str, ...]:
    """The argv of the first launch as it was understood to arrive, or the words behind `program` in what was given."""
    understood = next((event.arrives for event in recorded if isinstance(event, events.LaunchUnderstood) and event.arrives), ())
    started = next((event.launch.argv for event in recorded if isinstance(event, events.RunStarted)), ())
    return understood or _behind(started, program) or started


def _behind(words: Sequence[str], program: str) -> tuple[str, ...]:
    """The words from `program` to the end of its command; a word that holds a whole command line is looked into."""
    if program in words:
        own = tuple(words[list(words).index(program) :])
        return own[: next((place for place, word in enumerate(own) if word in _OPERATORS or word[:1] == ">"), len(own))]
    for word in words:
        if program in word and " " in word.strip():
            try:
                inner = shlex.split(word)
            except ValueError:
                continue
            if found := _behind(inner, program) if inner != [word] else ():
                return found
    return ()


def _worked(recorded: Sequence[events.AnyEvent], fix: Fix) -> bool:
    up = [event.attempt.launch for event in recorded if isinstance(event, events.AttemptEnded) and event.attempt.end == "up"]
    return fix.launch is not None and fix.launch in up


def difference(before: Sequence[str], after: Sequence[str]) -> tuple[Word, ...]:
    """The words of both, in order: those kept, those gone, those new. An option is compared with the same option, whatever stands around it."""
    # a launch may pass through programs that the fix's argv leaves out: they are no part of the difference
    start = next((place for place, word in enumerate(before) if after and word == after[0]), 0)
    old, new = _options(before[start:]), _options(after)
    found: list[Word] = []
    for kind, a, b, c, d in SequenceMatcher(None, [key for key, _ in old], [key for key, _ in new], autojunk=False).get_opcodes():
        if kind == "equal":
            for (_, words), (_, others) in zip(old[a:b], new[c:d], strict=True):
                found += _words(words, others)
        else:
            found += [Word(text=word, kind="gone") for _, words in old[a:b] for word in words]
            found += [Word(text=word, kind="new") for _, words in new[c:d] for word in words]
    return tuple(found)


def _options(argv: Sequence[str]) -> list[tuple[str, list[str]]]:
    """The argv in groups: each option with the words behind it, under its name (``--x.key`` and ``--x=3`` are of ``--x``)."""
    groups: list[tuple[str, list[str]]] = [("", [])]
    for word in argv:
        if word.startswith("--") and len(word) > 2:
            groups.append((word.partition("=")[0].partition(".")[0], [word]))
        else:
            groups[-1][1].append(word)
    return groups


def _words(before: Sequence[str], after: Sequence[str]) -> list[Word]:
    found: list[Word] = []
    for kind, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            found += [Word(text=word) for word in before[a:b]]
        else:
            found += [Word(text=word, kind="gone") for word in before[a:b]] + [Word(text=word, kind="new") for word in after[c:d]]
    return found
