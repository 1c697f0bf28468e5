"""A postmortem as Markdown. Whatever comes from logs and hosts stands in code spans or code blocks, with its control characters written out."""

import re
from collections.abc import Iterable, Sequence

from agent.postmortem import wording
from agent.report import percent, printable
from transcripts.postmortem.story import CommandChange, FaultStory, Item, Postmortem, Shift, Weight

_TICKS = re.compile("`+")
_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~&!])")
_MARKS = {"good": "✓", "bad": "✗", "void": "∅", "stale": "↺", "wasted": "⌛"}
_WIDTH = 300
_STRONGEST = 6


def code(text: str, width: int = _WIDTH) -> str:
    """`text` as a code span that nothing in it can leave."""
    safe = printable(" ".join(text.split("\n")), width).strip() or " "
    ticks = "`" * (max((len(run) for run in _TICKS.findall(safe)), default=0) + 1)
    pad = " " if safe.startswith("`") or safe.endswith("`") else ""
    return f"{ticks}{pad}{safe}{pad}{ticks}"


def plain(text: str, width: int = _WIDTH) -> str:
    """`text` as words without any markup of its own."""
    return _SPECIAL.sub(r"\\\1", printable(" ".join(text.split("\n")), width).strip())


def block(text: str, language: str = "") -> list[str]:
    """`text` as a fenced block that nothing in it can close."""
    safe = printable(text).rstrip("\n")
    fence = "`" * max(3, max((len(run) for run in _TICKS.findall(safe)), default=0) + 1)
    return [f"{fence}{language}", *safe.split("\n"), fence, ""]


def markdown(told: Postmortem) -> str:
    """The whole postmortem: the verdict first."""
    lines = [f"# {plain(told.headline)}", ""]
    lines += _verdict(told)
    lines += _change(told.change) if told.change else []
    lines += _decidable(told)
    lines += _lost(told)
    lines += _timeline(told.items)
    lines += _beliefs(told.shifts)
    for fault in told.faults:
        lines += _evidence(fault, len(told.faults) > 1)
    return "\n".join(lines).rstrip() + "\n"


def _verdict(told: Postmortem) -> list[str]:
    lines = [f"- **{plain(wording.fault_title(fault))}**" + (f": {plain(fault.summary)}" if fault.summary else "") for fault in told.faults]
    lines += [f"- also: {plain(text)}" for text in told.also]
    lines += [""] if lines else []
    if told.decisive:
        lines += [f"Decisive{f', line {told.decisive_line}' if told.decisive_line else ''}:", "", *block(told.decisive)]
    release = f" {plain(told.release)}" if told.release else ""
    where = f"{plain(told.framework or 'no known framework')}{release}, {plain(told.started)}, nostart {plain(told.nostart)} {plain(told.verb)}"
    lines += [f"Spent in all: {wording.cost(told.total)}. ({where})", ""]
    ending = wording.ending(told)
    return [*lines, *([f"**{plain(ending)}**", ""] if ending else [])]


def _change(change: CommandChange) -> list[str]:
    lines = ["## The fix, as a difference", "", plain(change.summary) + (" (it came up with this)" if change.worked else ""), ""]
    if any(word.kind != "kept" for word in change.words):
        signs = {"kept": " ", "gone": "-", "new": "+"}
        lines += block("\n".join(f"{signs[word.kind]} {word.text}" for word in change.words), "diff")
    lines += [f"- set {code(f'{name}={value}')}" for name, value in change.env.items()]
    lines += [f"- unset {code(name)}" for name in change.unset]
    lines += [f"- {plain(step)}" for step in change.steps]
    lines += [f"- make a fresh secret {code(name)}" for name in change.generated]
    lines += [""] if change.env or change.unset or change.steps or change.generated else []
    for file in change.files:
        lines += [f"In a corrected copy of {code(file.original)}:", "", *block(file.difference, "diff")]
    if change.shell:
        lines += ["As a line to paste:", "", *block(change.shell, "sh")]
    return lines


def _decidable(told: Postmortem) -> list[str]:
    lines = ["## When it could have been known", ""] if told.faults else []
    for fault in told.faults:
        if fault.moment is None:
            lines += [f"- {plain(wording.no_moment(fault))}"]
        else:
            lines += [f"- {plain(wording.moment(fault.moment, fault.hypothesis.cause))}", f"  What showed it: {code(fault.moment.what)}"]
            lines += [f"  {wording.after(fault.moment)}"]
    return [*lines, ""] if lines else []


def _lost(told: Postmortem) -> list[str]:
    lines: list[str] = []
    if told.wasted:
        spent = _took(sum(item.seconds for item in told.wasted))
        lines += ["## Wasted launches", "", f"{wording.counted(len(told.wasted), 'launch', 'launches')}{spent}:", ""]
        lines += [f"- launch {item.launch}{_took(item.seconds)}: {plain(item.why)}" for item in told.wasted] + [""]
    if told.stale:
        lines += ["## Stale observations", ""]
        lines += [f"- {f'launch {item.launch}' if item.launch else 'the log'}: {plain(item.why)}" for item in told.stale] + [""]
    if told.voids:
        lines += ["## Questions without an answer", ""]
        for item in told.voids:
            about = f" {code(item.about)}" if item.about else ""
            lines.append(f"- step {item.seq}, {plain(item.probe)}{about}: **{item.outcome}**, {wording.void(item)}. {code(item.text)}")
        lines.append("")
    return lines


def _took(seconds: float) -> str:
    return f" ({wording.seconds(seconds)})" if seconds > 0 else ""


def _timeline(items: Sequence[Item]) -> list[str]:
    lines = ["## Timeline", ""]
    timed = items[-1].at > 0
    for item in items:
        spent = f" [{wording.seconds(item.cost)}]" if item.cost else ""
        word = f" **{item.mark}**" if item.mark in ("void", "stale", "wasted") else ""
        mark = f" {_MARKS[item.mark]}" if item.mark else ""
        lines.append(f"- {f'{item.at:.2f} s' if timed else f'step {item.seq}'}{mark} {code(item.title)}{spent}{word}")
        lines += [f"    - {code(fact)}" for fact in item.facts if item.kind in ("launch", "fix", "probe")]
    return [*lines, ""]


def _beliefs(shifts: Iterable[Shift]) -> list[str]:
    lines: list[str] = []
    for shift in shifts:
        lines += [f"### Step {shift.seq}", "", "| cause | before | after |", "| --- | ---: | ---: |"]
        lines += [f"| {plain(cause)} | {percent(before)} | {percent(now)} |" for cause, before, now in shift.changes]
        lines += ["", *[f"- {_weight(weight)} under {plain(weight.cause)}" for weight in shift.because[:_STRONGEST]]]
        lines += [*[f"- no longer counted: {code(sign)}" for sign in shift.dropped], ""]
    return ["## How the belief moved, and why", "", *lines] if lines else []


def _evidence(fault: FaultStory, named: bool) -> list[str]:
    about = f": {plain(fault.hypothesis.cause)}" if named else ""
    lines = [f"## Evidence for and against{about}", ""]
    lines += [f"- for: {_weight(weight)}" for weight in fault.support[:_STRONGEST]]
    lines += [f"- against: {_weight(weight)}" for weight in fault.against[:_STRONGEST]]
    lines += [] if fault.against else ["- against: nothing that was seen"]
    return [*lines, ""]


def _weight(weight: Weight) -> str:
    return f"{code(weight.sign)} ({plain(weight.source)}): {wording.ratio(weight)}"
