"""The verdict of a run as text for people: pure functions of a diagnosis.

Text that comes from logs and hosts is made harmless here (`printable`): it must not move a terminal's cursor or reverse its letters.
"""

import re

from msgspec import Struct
from msgspec.structs import replace

from agent.belief import ranking
from transcripts.records import Attempt, Belief, Diagnosis, Fix, Symptom, Verdict

_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff\ud800-\udfff\ufff9-\ufffb]")
_RUN = "{run}"
_SHOWN = 4
_WIDTH = 400


class Line(Struct, frozen=True):
    """One line of text and what kind it is: ``head``, ``good``, ``bad``, ``paste``, ``dim`` or plain."""

    text: str
    kind: str = ""


def printable(text: str, width: int = 0) -> str:
    """`text` with every control, bidirectional and invisible character written as its escape; cut at `width` characters (0: never)."""
    safe = _UNSAFE.sub(lambda match: f"\\x{ord(match[0]):02x}" if ord(match[0]) < 256 else f"\\u{ord(match[0]):04x}", text)
    return safe if not width or len(safe) <= width else safe[: width - 1] + "…"


def percent(probability: float) -> str:
    """A probability as people read it; never 100 % or 0 %, which no inference gives."""
    if probability >= 0.995:
        return ">99%"
    return "<1%" if probability < 0.005 else f"{probability * 100:.0f}%"


def placed(fix: Fix, transcript: str) -> Fix:
    """The fix as it can be pasted: its copies are where the run put them, and a secret's ``$NAME`` stands where a shell expands it."""
    names = (*fix.generated, *(fix.launch.secrets if fix.launch else ()))

    def there(text: str) -> str:
        return text.replace(_RUN, f"{transcript}/files") if transcript else text

    shell = there(fix.shell)
    for name in names:
        shell = shell.replace(f"'${name}'", f'"${name}"')
    return replace(
        fix,
        summary=there(fix.summary),
        argv=tuple(there(word) for word in fix.argv),
        shell=shell,
        env={name: there(value) for name, value in fix.env.items()},
        steps=tuple(there(step) for step in fix.steps),
    )


def verdict(diagnosis: Diagnosis, transcript: str = "") -> tuple[Line, ...]:
    """The short verdict: outcome, cause, decisive evidence, other faults, what to change, where the record lies."""
    lines = [_headline(diagnosis)]
    lines += [Line(f"  mended: {_named(solved)}", "good") for solved in diagnosis.solved]
    lines += _decisive(diagnosis.symptom)
    lines += _evidence(diagnosis)
    mended = [verdict.hypothesis.cause for verdict in diagnosis.solved]
    lines += [Line(f"Also: {_named(other)}", "bad") for other in diagnosis.also if other.hypothesis.cause not in mended]
    if diagnosis.cause is None and diagnosis.outcome != "up":
        lines += _candidates(diagnosis.belief)
    if diagnosis.fix is not None:
        lines += _fix(placed(diagnosis.fix, transcript))
    if diagnosis.next:
        lines.append(Line("What would tell more:", "head"))
        for item in diagnosis.next:
            lines += [Line("  " + printable(item.command), "paste"), Line("    " + printable(item.why), "dim")]
    counts = f"{_count(diagnosis.launches, 'launch', 'launches')}, {_count(diagnosis.probes, 'probe', 'probes')}, {diagnosis.seconds:.1f} s"
    lines.append(Line(counts + (f"; transcript: {transcript}" if transcript else ""), "dim"))
    return tuple(lines)


def _headline(diagnosis: Diagnosis) -> Line:
    if diagnosis.outcome == "up":
        how = f" after {_count(len(diagnosis.solved), 'fault', 'faults')} mended" if diagnosis.solved else ""
        return Line(f"Up: it answers a real request{how}.", "good")
    if diagnosis.cause is not None:
        word = "confirmed by a relaunch" if diagnosis.cause.confirmed else percent(diagnosis.cause.probability)
        return Line(f"Cause: {_named(diagnosis.cause)} ({word})", "bad")
    if diagnosis.outcome == "error":
        return Line("The triage could not be carried through.", "bad")
    if not diagnosis.belief.weighed:
        return Line("Undetermined: nothing that was seen speaks for any known cause.", "head")
    return Line("Undetermined: no cause is likely enough to be named the one.", "head")


def _named(item: Verdict) -> str:
    return f"{item.hypothesis.cause}: {printable(item.summary, _WIDTH)}"


def _decisive(symptom: Symptom | None) -> list[Line]:
    if symptom is None or not symptom.line:
        return []
    where = f"line {symptom.line_number}" if symptom.line_number else "the log"
    return [Line(f"  {where}: {printable(symptom.line, _WIDTH)}")]


def _evidence(diagnosis: Diagnosis) -> list[Line]:
    named = diagnosis.cause.hypothesis.cause if diagnosis.cause else ""
    shown: list[Line] = []
    for item in diagnosis.evidence:
        if named and named not in item.supports and named not in item.refutes:
            continue
        if diagnosis.symptom is not None and item.text == diagnosis.symptom.line.strip():
            continue
        mark = "-" if named in item.refutes else "+"
        shown.append(Line(f"  {mark} {printable(item.text, _WIDTH)} [{item.source}]", "dim"))
    return shown[:_SHOWN]


def _candidates(belief: Belief) -> list[Line]:
    shown = [Line(f"  {percent(probability):>4}  {name}") for name, probability in ranking(belief)[:_SHOWN] if probability >= 0.01]
    return [*shown, Line(f"  {percent(belief.unknown):>4}  unknown")] if shown else []


def _fix(fix: Fix) -> list[Line]:
    lines = [Line(f"Fix: {printable(fix.summary)}", "head")]
    lines += [Line("  " + printable(step)) for step in fix.steps]
    for copy in fix.files:
        lines.append(Line(f"  corrected copy of {printable(copy.original)}:", "dim"))
        lines += [Line("    " + printable(row), "dim") for row in copy.difference.splitlines()]
    for edit in fix.edits:
        lines.append(Line(f"  change {printable(edit.path)} (nostart ... | patch -p0 takes these lines):", "dim"))
        lines += [Line(printable(row)) for row in edit.difference.splitlines()]
    lines += [Line(f"  export {name}=sk-$(openssl rand -hex 24)", "paste") for name in fix.generated]
    if fix.shell and not fix.edits:
        lines += [Line("  " + printable(row), "paste") for row in fix.shell.splitlines()]
    return lines


def attempt_text(attempt: Attempt) -> str:
    """How an attempt ended, in a line."""
    status = "" if attempt.exit_status is None else f" with status {attempt.exit_status}"
    reached = f", reached {attempt.phases[-1]}" if attempt.phases else ""
    return f"launch {attempt.number}: {attempt.end}{status} after {attempt.seconds:.1f} s{reached}"


def belief_text(belief: Belief) -> str:
    """The three likeliest causes and what is left for ``unknown``, in a line."""
    named = [f"{name} {percent(probability)}" for name, probability in ranking(belief)[:3] if probability >= 0.01]
    return ", ".join([*named, f"unknown {percent(belief.unknown)}"])


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
