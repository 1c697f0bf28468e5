"""How the steps of a session are judged, one kind at a time."""

import pytest

from tests.importing.reading import command, of
from transcripts import events
from transcripts.errors import UsageError
from transcripts.importers.session import Step
from transcripts.records import Outcome, Reading

UNKNOWN = "usage: vllm serve [model_tag] [options]\nvllm: error: unrecognized arguments: --speculative-cfg {}"
LAUNCH = command("vllm serve m --speculative-cfg '{}'", UNKNOWN, status=2)
FULL = "  --tensor-parallel-size N, -tp N\n  --speculative-config SPECULATIVE_CONFIG, -sc SPECULATIVE_CONFIG\n"


def readings(recorded: tuple[events.AnyEvent, ...]) -> list[Reading]:
    """The readings among the events."""
    return [event.reading for event in recorded if isinstance(event, events.QuestionAnswered)]


HELPS = [
    ("vllm serve --help | grep -i speculative-cfg", "", Outcome.VOID),
    ("vllm serve --help=all | grep speculative-cfg", "", Outcome.VOID),
    ("vllm serve --help", "  --model-config\n  Frontend\n", Outcome.VOID),
    ("vllm serve --help=all", FULL, Outcome.OBSERVED),
    ("vllm serve --help=all 2>&1 | grep -- --speculative-cfg", "  --speculative-cfg X\n", Outcome.OBSERVED),
    ("ssh gpu 'vllm serve --help=all | grep -e \"--speculative-cfg\"'", "", Outcome.VOID),
]


@pytest.mark.parametrize(("text", "output", "outcome"), HELPS)
def test_a_look_into_help_counts_with_its_control(text: str, output: str, outcome: Outcome) -> None:
    """A help that shows no flag known to exist is void; a flag that stands there needs no control."""
    _, recorded = of(LAUNCH, command(text, output))
    assert [("help-grep", outcome, "--speculative-cfg")] == [(r.question.probe, r.outcome, r.question.parameters["flag"]) for r in readings(recorded)]


def test_an_empty_grep_counts_after_the_whole_help_was_shown() -> None:
    """Where the same help was shown in full and lists a flag that every release has, the silence of the grep is an observation."""
    _, recorded = of(LAUNCH, command("vllm serve --help=all", FULL), command("vllm serve --help=all | grep speculative-cfg", ""))
    assert [Outcome.OBSERVED] * 2 == [reading.outcome for reading in readings(recorded)]
    assert [("registered", "no")] * 2 == [(s.variable, s.value) for reading in readings(recorded) for s in reading.signs]


VERSIONS = [
    ("pip show vllm", "Name: vllm\nVersion: 0.20.1+cpu\nSummary: x", "vllm 0.20.1+cpu"),
    ("pip list | grep -i vllm", "vllm                 0.20.1", "vllm 0.20.1"),
    ("vllm --version", "INFO 05-04 09:00:00 [x.py:1] Automatically detected platform cuda.\n0.20.1", "vllm 0.20.1"),
    ("python -c 'import vllm; print(vllm.__version__)'", "0.20.1\n", "vllm 0.20.1"),
    ("python -c \"from importlib.metadata import version; print(version('vllm'))\"", "0.20.1", "vllm 0.20.1"),
]


@pytest.mark.parametrize(("text", "output", "expected"), VERSIONS)
def test_a_version_that_was_asked_for_is_read(text: str, output: str, expected: str) -> None:
    """Whatever way the release was asked for, it is a reading."""
    _, recorded = of(LAUNCH, command(text, output))
    assert [("versions", Outcome.OBSERVED, expected)] == [(r.question.probe, r.outcome, r.text) for r in readings(recorded)]


def test_a_version_that_is_not_told_is_no_version() -> None:
    """An answer that names no release is unreadable, not an absence."""
    _, recorded = of(LAUNCH, command("pip show vllm", "WARNING: Package(s) not found: vllm"))
    assert [Outcome.UNREADABLE] == [reading.outcome for reading in readings(recorded)]


NO_LAUNCHES = [
    "pkill -f 'vllm serve'",
    "ps aux | grep vllm",
    "vllm --version",
    "vllm serve --help",
    "docker logs vllm",
    "cat start.sh",
    "echo vllm serve m",
]


@pytest.mark.parametrize("text", NO_LAUNCHES)
def test_what_only_names_a_server_is_no_launch(text: str) -> None:
    """Looking at a server, ending it and asking for its help are no attempts; a session of nothing else is refused with a sentence."""
    with pytest.raises(UsageError, match="launches a server"):
        of(command(text, UNKNOWN))


SCRIPT = "#!/bin/bash\nexec vllm serve m --speculative-cfg '{}'\n"
LAUNCHES = [
    (Step(kind="write", path="/srv/start.sh", text=SCRIPT), command("cd /srv && ./start.sh", UNKNOWN)),
    (command(f"cat > start.sh <<'EOF'\n{SCRIPT}EOF"), command("bash start.sh", UNKNOWN)),
    (
        command(f"ssh gpu 'cat > /srv/start.sh' <<'EOF'\n{SCRIPT}EOF"),
        command("ssh gpu 'nohup bash /srv/start.sh > out.log 2>&1 & sleep 9; tail out.log'", UNKNOWN),
    ),
    (command("nohup vllm serve m --speculative-cfg '{}' > vllm.log 2>&1 &"), command("tail -n 2 vllm.log", UNKNOWN)),
    (command("docker run --name s img vllm serve m --speculative-cfg '{}'"), command("docker logs s", UNKNOWN)),
    (command("CUDA_VISIBLE_DEVICES=1 vllm serve m --speculative-cfg '{}'", UNKNOWN),),
]


@pytest.mark.parametrize("steps", LAUNCHES)
def test_a_launch_is_found_through_scripts_and_its_log(steps: tuple[Step, ...]) -> None:
    """A script is read as the session wrote it, and a log that is shown later is the launch's: one attempt, one symptom, its cause."""
    diagnosis, recorded = of(*steps)
    assert [1] == [event.number for event in recorded if isinstance(event, events.SymptomRead)]
    assert diagnosis.cause is not None
    assert ("flag/misspelt", 1) == (diagnosis.cause.hypothesis.cause, diagnosis.launches)


def test_a_fix_that_worked_ends_the_session_up() -> None:
    """A completion that was answered after the last launch says that it is up."""
    mended = command("vllm serve m --speculative-config '{}' &", "INFO Application startup complete.")
    asked = command("curl -s localhost:8000/v1/completions -d '{}'", '{"id":"cmpl-1","object":"text_completion","choices":[{"text":"a"}]}')
    diagnosis, _ = of(LAUNCH, mended, asked)
    assert ("up", 2) == (diagnosis.outcome, diagnosis.launches)


def test_words_and_other_commands_are_noted() -> None:
    """What is no evidence is told in a line and moves nothing."""
    _, recorded = of(Step(kind="said", text="the flag\nis gone " + "x" * 900), command("nvidia-smi", "…"), LAUNCH)
    notes = [event.text for event in recorded if isinstance(event, events.Noted)]
    assert ["said: the flag is gone", "ran: nvidia-smi"] == [note[:22].rstrip(" x") for note in notes]
    assert max(map(len, notes)) <= 300


MISSING = "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    import x\nModuleNotFoundError: No module named 'x'\n"


def test_a_log_that_grows_is_read_from_where_it_was() -> None:
    """Of a log that launches append to, what an earlier look has shown is the earlier launch's; the rest is this one's own."""
    first = command("vllm serve m --speculative-cfg '{}' >> all.log 2>&1; cat all.log", UNKNOWN)
    second = command("vllm serve m >> all.log 2>&1; cat all.log", UNKNOWN + "\n" + MISSING)
    diagnosis, recorded = of(first, second)
    read = [event.symptom for event in recorded if isinstance(event, events.SymptomRead)]
    assert ["unrecognised", "missing-module"] == [symptom.signs[0].value for symptom in read]
    assert not any(sign.variable == "sent" for symptom in read for sign in symptom.signs)
    assert 2 == diagnosis.launches


def test_the_same_launch_again_is_its_own() -> None:
    """A launch that is repeated and fails alike is no stale observation: the value in its error is the one it sends."""
    _, recorded = of(LAUNCH, LAUNCH)
    assert [("error", "unrecognised")] * 2 == [
        (event.symptom.signs[0].variable, event.symptom.signs[0].value) for event in recorded if isinstance(event, events.SymptomRead)
    ]
    assert not any("not this launch's" in event.text for event in recorded if isinstance(event, events.Noted))


def test_a_script_is_read_as_it_was_last_written() -> None:
    """A launch after an edit is judged by the edited script: an error about what is no longer in it is another's."""
    write = Step(kind="write", path="/srv/start.sh", text=SCRIPT)
    edit = Step(kind="edit", path="/srv/start.sh", text="--speculative-cfg '{}'", output="--port 8000")
    run = command("bash /srv/start.sh > out.log 2>&1; cat out.log", UNKNOWN)
    _, recorded = of(write, run, edit, run)
    stale = [e.number for e in recorded if isinstance(e, events.SymptomRead) for s in e.symptom.signs if (s.variable, s.value) == ("sent", "another")]
    assert [2] == stale


SERVICES = ["docker compose up -d", "systemctl restart inference", "kubectl apply -f deploy.yaml"]


@pytest.mark.parametrize("text", SERVICES)
def test_a_service_that_is_started_is_a_launch(text: str) -> None:
    """What a service manager starts is a launch whose words are not known; its log is read for it."""
    diagnosis, _ = of(command(text), command("docker compose logs inference", UNKNOWN))
    assert diagnosis.cause is not None
    assert ("flag/misspelt", 1) == (diagnosis.cause.hypothesis.cause, diagnosis.launches)


def test_an_installation_tells_the_release() -> None:
    """After an installation the flags of that release are the ones that count: one that it does not have yet is told as such."""
    install = command("pip install vllm==0.10.0", "Successfully installed numpy-2.1 vllm-0.10.0 xformers-0.0.31")
    error = "vllm: error: unrecognized arguments: --structured-outputs-config {}"
    diagnosis, _ = of(install, command("vllm serve m --structured-outputs-config '{}'", error))
    assert diagnosis.cause is not None
    assert "flag/not-yet" == diagnosis.cause.hypothesis.cause
