"""The verdict in words: short, complete, and harmless to the terminal."""

import pytest

from agent.report import percent, printable, verdict
from tests.agent.test_document import NOTHING, WHOLE
from transcripts.records import Belief, Diagnosis, FileCopy, Fix, Hypothesis, Symptom, Verdict, Weighed


def texts(diagnosis: Diagnosis, transcript: str = "") -> list[str]:
    """The lines of a verdict without their styles."""
    return [line.text for line in verdict(diagnosis, transcript)]


def test_verdict_says_cause_evidence_fix_and_record() -> None:
    """Cause, decisive line with its number, other faults, what to change where, the command to paste, the transcript: in this order."""
    said = "\n".join(texts(WHOLE, "/state/run"))
    parts = [
        "Cause: quoting/json-split: The JSON was split. (97%)",
        "line 12: Value {method:",
        "Also: flag/removed",
        "Fix: Give the keys one by one.",
        "start.sh, line 3",
        "vllm serve m --speculative-config.method mtp",
        "transcript: /state/run",
    ]

    assert sorted(said.index(part) for part in parts) == [said.index(part) for part in parts]


def test_undetermined_says_what_is_likeliest() -> None:
    """Without a cause the candidates are listed with their probabilities, unknown among them."""
    weighed = (Weighed(hypothesis=Hypothesis(cause="process/hang"), probability=0.6),)
    said = texts(Diagnosis(outcome="undetermined", belief=Belief(weighed=weighed, unknown=0.4)))

    assert said[0].startswith("Undetermined")
    assert "   60%  process/hang" in said
    assert "   40%  unknown" in said


def test_nothing_seen_is_said() -> None:
    """When there is nothing to tell, that is told, and no cause is made up."""
    assert "Undetermined: nothing that was seen speaks for any known cause." == texts(NOTHING)[0]


def test_confirmed_is_a_word_and_no_number() -> None:
    """A cause that a relaunch confirmed says so instead of a probability."""
    cause = Verdict(hypothesis=Hypothesis(cause="flag/removed"), probability=0.93, summary="It is gone.", confirmed=True)

    assert "Cause: flag/removed: It is gone. (confirmed by a relaunch)" == texts(Diagnosis(outcome="diagnosed", belief=Belief(), cause=cause))[0]


def test_corrected_copy_is_shown_as_its_difference() -> None:
    """Where a file is at fault the difference to the user's own is printed."""
    copy = FileCopy(original="config.yaml", name="config.yaml", text="", difference="-a: 1\n+b: 1\n")
    said = texts(Diagnosis(outcome="diagnosed", belief=Belief(), fix=Fix(summary="x", files=(copy,))))

    assert "    -a: 1" in said
    assert "    +b: 1" in said


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[2Jgone", "\\x1b[2Jgone"),
        ("a\rb\x07", "a\\x0db\\x07"),
        ("\x9b31m", "\\x9b31m"),
        ("user\u202etxt.exe", "user\\u202etxt.exe"),
        ("\u2066x\u2069", "\\u2066x\\u2069"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("\udcff", "\\udcff"),
        ("[bold]é漢[/bold]", "[bold]é漢[/bold]"),
    ],
)
def test_text_of_others_cannot_move_the_terminal(text: str, expected: str) -> None:
    """Control, bidirectional and invisible characters are shown as escapes; everything else is as it was."""
    assert expected == printable(text)


def test_log_line_in_the_verdict_is_harmless() -> None:
    """The decisive line comes from a log and is made harmless like any other text."""
    said = texts(Diagnosis(outcome="undetermined", belief=Belief(), symptom=Symptom(line="\x1b]0;owned\x07", line_number=3)))

    assert "  line 3: \\x1b]0;owned\\x07" in said


@pytest.mark.parametrize(("probability", "expected"), [(1.0, ">99%"), (0.994, "99%"), (0.5, "50%"), (0.004, "<1%"), (0.0, "<1%")])
def test_no_inference_is_certain(probability: float, expected: str) -> None:
    """A probability is never printed as 0 or 100 percent."""
    assert expected == percent(probability)
