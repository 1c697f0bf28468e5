"""A recorded target answers what was recorded, whatever the order, and invents nothing."""

import pytest
from msgspec import structs

from agent.loop import triage
from evals.recorded import LaunchNotRecorded, RecordedTarget
from evals.world import loose_key, question_key
from tests.evals.worlds.building import ASKED, BAD, GOOD, LINE, LOOKS, answer, outcome, world
from transcripts.journal import Journal, MemorySink
from transcripts.records import Command, FileCopy, Fix, Launch, Question


def nothing(phase: str, seconds: float) -> None:
    """Hear of a phase and do nothing."""


def test_a_key_does_not_depend_on_the_order_of_parameters() -> None:
    """The same parameters in another order are the same question."""
    other = Question(probe=ASKED.probe, parameters=dict(reversed(ASKED.parameters.items())))

    assert question_key(ASKED, LOOKS) == question_key(other, LOOKS)


def test_a_key_does_not_depend_on_which_python_reads_a_file() -> None:
    """Any Python gives the same answer to a script of ours; other words of the command count."""
    through = structs.replace(LOOKS, argv=("/opt/litellm/bin/python3.11", *LOOKS.argv[1:]))
    other = structs.replace(LOOKS, argv=(*LOOKS.argv[:-1], '{"port": 1}'))

    assert question_key(ASKED, LOOKS) == question_key(ASKED, through)
    assert question_key(ASKED, LOOKS) != question_key(ASKED, other)


def test_a_loose_key_leaves_the_environment_out() -> None:
    """The environment is known better the more was asked: the loose key holds without it, the exact one does not."""
    other = structs.replace(LOOKS, env={}, cwd="/srv")

    assert loose_key(ASKED, LOOKS) == loose_key(ASKED, other)
    assert question_key(ASKED, LOOKS) != question_key(ASKED, other)


async def test_a_recorded_question_is_answered_and_costs_its_seconds() -> None:
    """The recorded output comes back, and the time of the play goes on by what it took."""
    target = RecordedTarget(world(answer(ASKED, LOOKS, "free")))

    output = await target.ask(ASKED, LOOKS)

    assert ("free", 0.5, []) == (output.stdout, target.clock.seconds(), target.unanswered)


async def test_a_question_that_was_never_recorded_is_counted() -> None:
    """It is not-recorded, never invented, and costs nothing."""
    target = RecordedTarget(world(answer(ASKED, LOOKS, "free")))
    other = Question(probe="port-owner", parameters={"port": "1"})

    output = await target.ask(other, LOOKS)

    assert ("not-recorded", 0.0) == (output.failure, target.clock.seconds())
    assert [(other, LOOKS)] == target.unanswered


async def test_an_answer_belongs_to_the_launch_it_was_asked_about() -> None:
    """After a relaunch the same question by another command has the answer of that launch, before it the first one's."""
    first = Command(argv=("python3", "-I", "-c", "parse", "--prot"))
    second = Command(argv=("python3", "-I", "-c", "parse", "--port"))
    asked = Question(probe="parser-dry-run", parameters={"framework": "litellm"})
    target = RecordedTarget(world(answer(asked, first, "refused"), answer(asked, second, "accepted", scene=1)))
    unknown = Command(argv=("python3", "-I", "-c", "parse", "--another"))

    before = await target.ask(asked, unknown)
    await target.attempt(2, Launch(argv=GOOD), None, None, nothing)
    after = await target.ask(asked, unknown)

    assert ("refused", "accepted") == (before.stdout, after.stdout)


async def test_a_recorded_launch_ends_as_it_did() -> None:
    """Its attempt, its log and its phases come back under the number of the play."""
    target = RecordedTarget(world())
    phases: list[tuple[str, float]] = []

    attempt, excerpt = await target.attempt(3, Launch(argv=BAD), None, None, lambda phase, seconds: phases.append((phase, seconds)))

    assert (3, 2, LINE) == (attempt.number, attempt.exit_status, excerpt.pieces[0].text)
    assert [("arguments", 1.0)] == phases
    assert 3.0 == target.clock.seconds()


@pytest.mark.parametrize(
    "line",
    [
        "litellm --config /srv/c.yaml --prot 18001",
        "exec litellm --config '/srv/c.yaml' --prot \"18001\"",
        "bash -c 'litellm --config /srv/c.yaml --prot 18001'",
    ],
)
async def test_another_quoting_of_the_same_argv_is_the_same_failure(line: str) -> None:
    """Where the argv received is provably the same, the outcome is: no launch need be recorded for it."""
    target = RecordedTarget(world())

    attempt, _ = await target.attempt(2, Launch(argv=("bash", "-c", line), shell=line), None, None, nothing)

    assert (2, line) == (attempt.exit_status, attempt.launch.shell)


@pytest.mark.parametrize(
    "line",
    [
        "litellm --config /srv/c.yaml --prot 18002",
        "A=1 litellm --config /srv/c.yaml --prot 18001",
        "litellm --config /srv/c.yaml --prot 18001 | tee log",
        "litellm --config /srv/c.yaml --prot 18001; echo done",
        "litellm --config /srv/c.yaml --prot $(cat port)",
        "cd /tmp; litellm --config /srv/c.yaml --prot 18001",
        "timeout 3 litellm --config /srv/c.yaml --prot 18001",
    ],
)
async def test_a_launch_that_may_end_otherwise_is_not_invented(line: str) -> None:
    """Another value, another environment or folder, a pipe, a wrapper or a substitution: nobody knows, and it is counted."""
    target = RecordedTarget(world())

    with pytest.raises(LaunchNotRecorded):
        await target.attempt(2, Launch(argv=("bash", "-c", line), shell=line), None, None, nothing)

    assert [line] == [launch.shell for launch, _ in target.unlaunched]


async def test_a_corrected_copy_is_part_of_the_launch() -> None:
    """The same argv with another copy of a file is another launch."""
    target = RecordedTarget(world())
    fix = Fix(summary="", files=(FileCopy(original="/srv/c.yaml", name="c.yaml", text="model_list: []\n"),))

    with pytest.raises(LaunchNotRecorded):
        await target.attempt(2, Launch(argv=GOOD), None, fix, nothing)


async def test_a_play_comes_up_by_the_recorded_fix() -> None:
    """The whole loop plays the world: it starts from the failed first launch and ends with the recorded launch that came up."""
    made = world(answer(ASKED, LOOKS, "free"))
    target = RecordedTarget(made)

    diagnosis = await triage(made.request(), target, Journal(MemorySink(), target.clock, hidden=True))

    assert ("up", ["flag/misspelt"]) == (diagnosis.outcome, [verdict.hypothesis.cause for verdict in diagnosis.solved])
    assert 2 == diagnosis.launches


async def test_a_world_that_begins_with_a_log_launches_nothing_first() -> None:
    """A public report is its lines: they are read as a given log, and nothing is asked or launched."""
    made = structs.replace(world(launches=(outcome(BAD, LINE),)), begins="log")
    target = RecordedTarget(made)

    diagnosis = await triage(made.request(), target, Journal(MemorySink(), target.clock, hidden=True))

    assert ("diagnosed", 0, 0) == (diagnosis.outcome, diagnosis.launches, diagnosis.probes)
