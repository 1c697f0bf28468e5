"""The live world: questions with their secrets, and logs that a person gives."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agent.clock import SystemClock
from agent.world import LiveWorld
from transcripts.errors import UsageError
from transcripts.records import Command, Question
from transcripts.redact import Vault


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[LiveWorld]:
    """A live world on this machine that knows one secret."""
    vault = Vault()
    vault.learn("OWN", "very-secret-value")
    made = LiveWorld(folder=tmp_path / "run", clock=SystemClock(), vault=vault)
    yield made
    await made.close()


async def test_secrets_are_known_to_the_target_alone(world: LiveWorld) -> None:
    """A question has its secrets where it runs, and their names in its answer; a longer name that begins alike stays."""
    script = "import sys; own, owner = sys.argv[1:]; print(own, len(own), owner + sys.stdin.read(), end='')"
    command = Command(argv=("python3", "-I", "-S", "-c", script, "$OWN", "$OWNER"), stdin="$OWN")
    output = await world.ask(Question(probe="echo"), command)
    assert (0, "$OWN 17 $OWNER$OWN") == (output.status, output.stdout)


async def test_a_look_that_fails_is_a_value(world: LiveWorld) -> None:
    """A program that is not there is a failure of the look."""
    assert "no-tool" == (await world.ask(Question(probe="x"), Command(argv=("/nowhere/python3", "-I", "-S", "-c", "pass")))).failure


async def test_a_given_log_is_read_without_its_secrets(world: LiveWorld, tmp_path: Path) -> None:
    """A log is read as it is, its secrets by their names."""
    (tmp_path / "log").write_text("one\nwith very-secret-value\n")
    excerpt = await world.read_log(str(tmp_path / "log"))
    assert (2, "one\nwith $OWN\n") == (excerpt.lines, "".join(piece.text for piece in excerpt.pieces))


@pytest.mark.parametrize(("name", "why"), [("absent", "No such file"), (".", "Is a directory"), ("a\0b", "null")])
async def test_a_log_that_cannot_be_read(world: LiveWorld, tmp_path: Path, name: str, why: str) -> None:
    """A log that is absent or a folder is the person's to correct: it says what to name instead."""
    with pytest.raises(UsageError, match=f"cannot read the log .*{why}.*or - for stdin"):
        await world.read_log(f"{tmp_path}/{name}")


async def test_an_empty_log_is_an_empty_excerpt(world: LiveWorld, tmp_path: Path) -> None:
    """An empty log is read, and holds nothing."""
    (tmp_path / "log").touch()
    excerpt = await world.read_log(str(tmp_path / "log"))
    assert (0, 0) == (excerpt.lines, excerpt.size)
