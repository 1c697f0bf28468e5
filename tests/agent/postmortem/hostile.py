"""A run whose every text is hostile: markup, terminal control, letters that reverse what follows, NULs."""

from msgspec.structs import replace

from tests.transcripts.postmortem.building import belief, launch, numbered, started
from transcripts import events
from transcripts.postmortem.fold import postmortem
from transcripts.postmortem.story import Postmortem
from transcripts.records import Belief, Command, Diagnosis, FileCopy, Fix, Hypothesis, Launch, Outcome, Output, Question, Reading, Sign, Verdict

MARKUP = "</script></style></pre></title><script>window.pwned=1</script><img src=x onerror=window.pwned=1><a href=javascript:window.pwned=1>x</a>"
CONTROL = "\x1b[2J\x1b]8;;http://evil.example\x07link\x1b]8;;\x07\x00\x07\x08\r\x9b31m"
BIDI = "\u202eesrever\u202c\u2066\u2069\u200f\u061c\ufeff\u200b"
TICKS = "``` \n# heading\n[link](http://evil.example) ![image](http://evil.example/i.png) <http://evil.example> | `````"
TEMPLATE = "{{ 7*7 }} {% raw %} ${x} {{ config }}"
TEXT = f"{MARKUP}{CONTROL}{BIDI}{TICKS}{TEMPLATE}\"'&"


def hostile() -> Postmortem:
    """A postmortem with hostile text in every place that a log, a host or an argv can reach."""
    sign = Sign(variable="error", value=TEXT, parameters={"flag": TEXT}, source=TEXT)
    question = Question(probe="help-grep", parameters={"flag": TEXT[:60]})
    reading = Reading(question=question, outcome=Outcome.VOID, text=TEXT, control=TEXT, seconds=1.0)
    copy = FileCopy(original=TEXT, name="x.yaml", text=TEXT, difference=f"-{TEXT}\n+{TEXT}")
    fix = Fix(summary=TEXT, argv=("vllm", TEXT), shell=TEXT, env={TEXT: TEXT}, unset=(TEXT,), steps=(TEXT,), files=(copy,), generated=(TEXT,))
    cause = Verdict(hypothesis=Hypothesis(cause=f"a/{TEXT}", parameters={"x": TEXT}), probability=0.95, summary=TEXT)
    diagnosis = Diagnosis(outcome="diagnosed", belief=Belief(), cause=cause, also=(replace(cause, summary=TEXT[::-1]),), fix=fix)
    run = replace(started(), launch=Launch(argv=("vllm", TEXT)), framework=TEXT, release=TEXT, nostart=TEXT)
    return postmortem(
        numbered(
            run,
            events.QuestionAsked(question=question, command=Command(argv=(TEXT,)), why=TEXT, gain=0.5, cost=1),
            events.QuestionAnswered(output=Output(status=1, stdout=TEXT, stderr=TEXT), reading=reading),
            *launch(1, ("vllm", TEXT), TEXT, sign),
            belief(f"a/{TEXT}", 0.95, sign),
            *launch(2, ("vllm", TEXT), TEXT, sign, fix=TEXT),
            belief(f"b/{TEXT}", 0.5, sign),
            belief(f"a/{TEXT}", 0.95, sign),
            events.Noted(text=TEXT),
            events.FixChosen(fix=fix, tried=False),
            events.FixJudged(number=2, verdict="same", text=TEXT),
            events.Diagnosed(diagnosis=diagnosis),
            events.RunEnded(reason=TEXT, exit_status=10),
        )
    )
