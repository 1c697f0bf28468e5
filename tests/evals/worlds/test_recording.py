"""Recording from a real target: everything is asked once, the record plays, goes on where it stopped, and tells what changed."""

import socket
import sys
from pathlib import Path

import pytest
from msgspec import structs

from evals.changes import changes
from evals.mutate.bases import BASES
from evals.mutate.scene import Mutated, Scene, direct, replaced
from evals.record import Recorder, played, record_all
from evals.staging import Stage
from evals.store import load_truths, load_world, slugs
from transcripts.errors import UsageError
from transcripts.records import Launch

HERE = Path(__file__).parent


def installed(folder: Path) -> Path:
    """A folder of installs with the stand-in as its LiteLLM proxy."""
    program = folder / "litellm" / "bin" / "litellm"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!{sys.executable}\n" + (HERE / "stand_in.py").read_text())
    program.chmod(0o755)
    (folder / "litellm.done").touch()
    return folder


def base() -> Scene:
    """The proxy's launch, on a port of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    scene = next(scene for scene in BASES if scene.name == "proxy")
    argv = replaced(scene.argv, "18641", port)
    path = {**scene.environment, "PATH": f"/opt/litellm/bin:{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"}
    return structs.replace(scene, argv=argv, launch=Launch(argv=argv), environment=path)


def misspelt(scene: Scene, wrong: str = "--prot") -> Mutated:
    """The scene with a misspelt option."""
    made = direct(scene, replaced(scene.argv, "--port", wrong))
    return Mutated(scene=made, faults=(("flag/misspelt",),), kind="misspell", variant=wrong, summary="")


async def recorded(wanted: list[Mutated], tmp_path: Path, told: list[str], *, again: bool = False) -> int:
    """Record into ``tmp_path/worlds``."""
    installs = tmp_path / "installs"
    stage = Stage(tmp_path / "scratch", installs if installs.exists() else installed(installs))
    try:
        return await record_all(
            Recorder(stage, tmp_path / "scratch", told.append, fresh=again), wanted, tmp_path / "worlds", told.append, again=again
        )
    finally:
        await stage.close()


async def test_a_world_is_recorded_and_plays(tmp_path: Path) -> None:
    """The failing launch, the questions and the fix that comes up are in it, under neutral paths; a play finds and confirms the cause."""
    mutated = misspelt(base())

    assert 1 == await recorded([mutated], tmp_path, [])

    world = load_world(mutated.slug, tmp_path / "worlds")
    truth = load_truths(tmp_path / "worlds")[mutated.slug]
    assert ("exited", 2, "up") == (world.first.attempt.end, world.first.attempt.exit_status, world.launches[1].attempt.end)
    assert ("/opt/litellm/bin/litellm", "--prot") == (world.first.attempt.received[1], world.first.attempt.received[6])
    assert {"environment", "executable", "versions", "port-owner", "config-file"} <= {answer.question.probe for answer in world.answers}
    assert (await played(world, truth)).startswith("right: up, flag/misspelt")
    files = [path.read_text() for path in (tmp_path / "worlds").glob("*.json")]
    assert not any(str(tmp_path) in text or "sk-" in text for text in files)


async def test_a_recording_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """What is recorded is not recorded again, and what was launched for one world is not launched for another of the same state."""
    scene = base()
    told: list[str] = []
    await recorded([misspelt(scene)], tmp_path, told)
    launched = sum("launched" in line for line in told)

    count = await recorded([misspelt(scene), misspelt(scene, "--pport")], tmp_path, told)

    assert (1, 2) == (count, len(slugs(tmp_path / "worlds")))
    # The second world needs its own failing launch alone: the mended one is the same execution.
    assert (2, 3) == (launched, sum("launched" in line for line in told))


async def test_recording_again_tells_what_changed(tmp_path: Path) -> None:
    """A release that says something else is a difference of the launch; the world is replaced by what is so now."""
    mutated = misspelt(base())
    await recorded([mutated], tmp_path, [])
    before = load_world(mutated.slug, tmp_path / "worlds")
    program = tmp_path / "installs" / "litellm" / "bin" / "litellm"
    program.write_text(program.read_text().replace("return 2", "return 3").replace("Error: No such option", "RuntimeError: odd option"))
    told: list[str] = []

    await recorded([mutated], tmp_path, told, again=True)

    after = load_world(mutated.slug, tmp_path / "worlds")
    assert 3 == after.first.attempt.exit_status
    assert any("was exited 2" in line and "is exited 3" in line for line in told), told
    assert [] == list(changes(before, before))
    assert [] != list(changes(before, after))


async def test_a_launch_that_comes_up_is_no_world(tmp_path: Path) -> None:
    """Nothing was broken: it is told, and nothing is written."""
    told: list[str] = []

    count = await recorded([structs.replace(misspelt(base()), scene=base())], tmp_path, told)

    assert (0, ()) == (count, slugs(tmp_path / "worlds"))
    assert "  it comes up all the same: no world" in told


async def test_a_held_port_is_held_while_it_is_recorded(tmp_path: Path) -> None:
    """The question who owns the port finds a process, and nobody holds it afterwards."""
    scene = base()
    port = int(scene.argv[-1])
    holding = Mutated(scene=structs.replace(scene, holds=(port,)), faults=(("process/port-in-use",),), kind="occupy-port", variant="http", summary="")

    await recorded([holding], tmp_path, [])

    world = load_world(holding.slug, tmp_path / "worlds")
    owners = [answer.output.stdout for answer in world.answers if answer.question.probe == "port-owner"]
    assert any("http.server" in text for text in owners)
    with socket.socket() as again:
        again.bind(("127.0.0.1", port))


async def test_a_framework_that_is_not_built_is_a_clear_error(tmp_path: Path) -> None:
    """The message says what is missing and how to get it."""
    stage = Stage(tmp_path / "scratch", tmp_path)

    try:
        with pytest.raises(UsageError, match="make frameworks"):
            stage.build(base())
    finally:
        await stage.close()
