"""The launcher with a small real server: how launches end, what is recorded of them, and that nothing is left."""

import asyncio
import os
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent.launcher import MARK_PREFIX
from agent.progress import serving_at
from agent.watching import Limits
from probes.targets.local import LocalTarget
from probes.targets.target import Start, Started
from transcripts.errors import TranscriptError
from transcripts.records import FileCopy, Fix, Launch

Stage = Any


async def test_up_is_a_completion(stage: Stage) -> None:
    """A server that answers a completion is up, with its phases, its answer and its argv as received, and is ended afterwards."""
    launch = stage.launch()
    attempt, _ = await stage.attempt(launch)
    seen = (attempt.end, attempt.exit_status, attempt.phases, tuple(stage.phases), attempt.answer, attempt.received)
    phases = ("arguments", "weights", "up")
    assert ("up", None, phases, phases, 'POST /v1/completions: " there"', launch.argv) == seen


async def test_descendants_everywhere_are_ended(stage: Stage) -> None:
    """Children in sessions of their own and double-forked daemons of a server that is deaf to SIGTERM are ended with it."""
    attempt, _ = await stage.attempt(stage.launch("--deaf", "--daemon"), limits=Limits(grace=0.1, pause=0.02))
    assert ("up", 3, []) == (attempt.end, len(stage.started()), stage.left())


async def test_a_launch_that_exits(stage: Stage) -> None:
    """A launch that ends by itself has its own status and its whole log, recorded by a path within the run's folder."""
    attempt, log = await stage.attempt(stage.launch("--say", "first", "--exit", "3"))
    seen = (attempt.end, attempt.exit_status, attempt.log, attempt.log_bytes, log)
    text = "first\nreading its arguments\n"
    assert ("exited", 3, "logs/attempt-1.log", len(text), text) == seen


async def test_dying_when_asked_is_not_up(stage: Stage) -> None:
    """A server that says 200 on its health and dies on the first completion was never up."""
    attempt, log = await stage.attempt(stage.launch("--die"))
    assert ("exited", 1, True) == (attempt.end, attempt.exit_status, "EngineDeadError" in log)


async def test_dying_after_the_answer_is_not_up(stage: Stage) -> None:
    """A server whose answer is its last breath is not up either."""
    attempt, _ = await stage.attempt(stage.launch("--die-after"))
    assert ("exited", 1) == (attempt.end, attempt.exit_status)


async def test_an_error_for_an_answer_is_not_up(stage: Stage) -> None:
    """A server that answers completions with 500 is no more than a hang."""
    attempt, _ = await stage.attempt(stage.launch("--refuse", "500"), limits=Limits(hang=4.0, grace=5.0, pause=0.02))
    assert ("hang", 'POST /v1/completions: 500 {"error": "refused"}') == (attempt.end, attempt.answer)


async def test_a_model_without_completions(stage: Stage) -> None:
    """Where the model makes no completions and the server says so, another real request of its kind counts."""
    attempt, _ = await stage.attempt(stage.launch("--refuse", "404"))
    assert ("up", "POST /v1/embeddings: answered") == (attempt.end, attempt.answer)


@pytest.mark.parametrize("how", ["--hang", "--log-for-ever"])
async def test_no_progress_is_a_hang(stage: Stage, how: str) -> None:
    """Silence and a retry loop that says the same for ever are hangs, and end."""
    attempt, _ = await stage.attempt(stage.launch(how), limits=Limits(hang=0.7, grace=5.0, pause=0.02))
    assert ("hang", None) == (attempt.end, attempt.exit_status)


async def test_a_rising_count_is_no_hang(stage: Stage) -> None:
    """A progress bar that rises for longer than the limit is progress."""
    attempt, _ = await stage.attempt(stage.launch("--count-to", "150"), limits=Limits(hang=2.5, grace=5.0, pause=0.02))
    assert "up" == attempt.end


async def test_the_whole_launch_is_bounded(stage: Stage) -> None:
    """A launch that takes longer than it may is stopped."""
    attempt, _ = await stage.attempt(stage.launch("--hang"), limits=Limits(launch_seconds=0.5, grace=5.0, pause=0.02))
    assert "stopped" == attempt.end


async def test_cancelling_ends_everything(stage: Stage) -> None:
    """Cancelled in the middle, the launcher leaves no process and no raw log, and the copy is there up to the end."""
    task = asyncio.create_task(stage.attempt(stage.launch("--hang", "--daemon")))
    await stage.until_started(3)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    raw = list(Path(stage.target._private()).glob("*.log"))  # noqa: ASYNC240 - a local folder
    assert ([], [], True) == (stage.left(), raw, (stage.folder / "logs/attempt-1.log").exists())


async def test_the_server_killed_alone(stage: Stage) -> None:
    """When the API process alone is killed, the launch has ended by that signal, and its children are ended too."""
    task = asyncio.create_task(stage.attempt(stage.launch("--hang", "--daemon")))
    await stage.until_started(3)
    os.kill(stage.started()[0], signal.SIGKILL)
    attempt, _ = await task
    assert ("exited", -9, []) == (attempt.end, attempt.exit_status, stage.left())


async def test_secrets_never_reach_the_log(stage: Stage) -> None:
    """A secret of the launch, revealed for the target alone, is recorded by its name, and a private key of many lines not at all."""
    stage.vault.learn("OWN", "very-secret-value")
    key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END PRIVATE KEY-----"
    launch = stage.launch("--api-key", "$OWN", "--say", key, "--environment", "COPY", "--exit", "1", env={"COPY": "<$OWN>"}, secrets=("OWN",))
    attempt, log = await stage.attempt(launch)
    hidden = ("very-secret-value" in log, "MIIEvQ" in log, "kqhkiG9" in log, "<$OWN>\n" in log)
    assert ((False, False, False, True), "$OWN") == (hidden, attempt.received[attempt.received.index("--api-key") + 1])


async def test_no_raw_log_stays(stage: Stage) -> None:
    """The log as the server wrote it is removed from the target, and the copy is for its owner alone."""
    attempt, _ = await stage.attempt(stage.launch("--exit", "0"))
    raw = list(Path(stage.target._private()).glob("*.log"))  # noqa: ASYNC240 - a local folder
    assert ([], 0o600) == (raw, (stage.folder / attempt.log).stat().st_mode & 0o777)


async def test_a_long_log_is_whole(stage: Stage) -> None:
    """A log of many megabytes that comes at once is copied to its last line."""
    attempt, log = await stage.attempt(stage.launch("--long-log", "3000", "--exit", "1"))
    assert (3_000 * 1024 + len("reading its arguments\n"), True) == (attempt.log_bytes, log.endswith("reading its arguments\n"))


async def test_the_key_of_the_launch_is_used(stage: Stage) -> None:
    """A server that wants a key is asked with the one that the launch gives it, here a fresh one made for the fix, which is recorded nowhere."""
    launch = stage.launch("--api-key", "$NEW_KEY")
    attempt, log = await stage.attempt(launch, Fix(summary="a key", launch=launch, generated=("NEW_KEY",)))
    [value] = stage.vault._names
    assert ("up", True, False, False) == (attempt.end, value.startswith("sk-"), value in log, value in repr(attempt))


async def test_the_key_in_the_servers_environment_is_used(stage: Stage) -> None:
    """Where a script sets the key, it is found in the server's own environment."""
    attempt, _ = await stage.attempt(stage.launch(layers=("sh", "-c", 'export SMALL_API_KEY=from-the-script; "$@"; exit $?', "sh")))
    assert "up" == attempt.end


async def test_files_of_a_fix_lie_in_the_run(stage: Stage) -> None:
    """``{run}/NAME`` is the corrected copy in the run's folder; one that holds a secret is whole only on the target."""
    stage.vault.learn("OWN", "very-secret-value")
    files = (FileCopy(original="/a", name="plain.yaml", text="a: 1\n"), FileCopy(original="/b", name="key.yaml", text="k: $OWN\n"))
    script = 'cat "$1" "$2"; dirname "$1"'
    launch = Launch(argv=("sh", "-c", script, "sh", "{run}/plain.yaml", "{run}/key.yaml"), secrets=("OWN",))
    _, log = await stage.attempt(launch, Fix(summary="files", launch=launch, files=files))
    kept = {path.name: path.read_text() for path in (stage.folder / "files").iterdir()}
    expected = (f"a: 1\nk: $OWN\n{stage.folder}/files\n", {"plain.yaml": "a: 1\n", "key.yaml": "k: $OWN\n"})
    assert expected == (log, kept)


@pytest.mark.parametrize(("program", "status", "said"), [("no-such-program", 127, "command not found"), ("/etc", 126, "Permission denied")])
async def test_a_program_that_cannot_be_executed(stage: Stage, program: str, status: int, said: str) -> None:
    """What could not even be executed says so, with the status that a shell gives and the reason in the log."""
    attempt, log = await stage.attempt(Launch(argv=(program,)))
    assert ("not-started", status, f"nostart: {program}: {said}\n") == (attempt.end, attempt.exit_status, log)


async def test_an_older_server_is_not_this_launch(stage: Stage) -> None:
    """A port that another process answers does not make this launch up, even with the right answer."""
    other = LocalTarget()
    older = await other.start(Start(argv=stage.launch().argv, mark="older"))
    port = await _port(other, older)
    attempt, _ = await stage.attempt(stage.launch("--hang", "--port", str(port)), limits=Limits(hang=4.0, grace=5.0, pause=0.02))
    await other.close()
    assert ("hang", f"port {port} is answered by another process, not by this launch") == (attempt.end, attempt.answer)


async def test_a_port_that_only_the_launch_names(stage: Stage) -> None:
    """A server that does not say where it serves is asked where its options say."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    attempt, _ = await stage.attempt(stage.launch("--quiet-port", f"--port={port}"))
    assert "up" == attempt.end


async def test_a_url_of_ones_own(stage: Stage) -> None:
    """A person's own readiness URL replaces the framework's."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    limits = Limits(ready_url=f"http://127.0.0.1:{port}/health", grace=5.0, pause=0.02)
    attempt, _ = await stage.attempt(stage.launch("--refuse", "500", f"--port={port}"), limits=limits)
    assert ("up", "GET /health: {}") == (attempt.end, attempt.answer)


async def test_a_server_left_in_the_background_still_counts(stage: Stage) -> None:
    """A script that starts its server in the background and exits with 0 has not ended: the server is watched until it answers."""
    attempt, _ = await stage.attempt(stage.launch(layers=("sh", "-c", 'nohup "$@" & exit 0', "sh")))
    assert "up" == attempt.end


@pytest.mark.parametrize(("layers", "status"), [((), 0), (("sh", "-c", 'nohup "$@" & exit 0', "sh"), 5)])
async def test_the_status_is_the_servers(stage: Stage, layers: tuple[str, ...], status: int) -> None:
    """The status is that of the server, in the background too; not that of a child which outlives it."""
    launch = stage.launch("--die-with", str(status), "--daemon", layers=layers)
    attempt, _ = await stage.attempt(launch)
    assert ("exited", status) == (attempt.end, attempt.exit_status)


async def test_a_log_that_cannot_be_written(stage: Stage) -> None:
    """Where the run's folder cannot be written, that is said, and nothing is left running."""
    stage.folder.write_text("in the way")
    with pytest.raises(TranscriptError, match=r"cannot write the log .*attempt-1\.log"):
        await stage.attempt(stage.launch())
    assert [] == stage.left()


async def test_kept_launches_serve_until_asked_to_stop(stage: Stage, keeping: Callable[..., Any]) -> None:
    """With keep, a launch that is up goes on serving; SIGTERM is forwarded to it, and its log goes on to its goodbye."""
    launcher = stage.launcher(keep=True)
    attempt, serving, shown = await keeping(launcher, stage.launch())
    before = len(stage.left())
    os.kill(os.getpid(), signal.SIGTERM)
    status = await serving
    log = (stage.folder / attempt.log).read_text()
    assert ("up", 2, 0, [], True, True) == (attempt.end, before, status, stage.left(), "goodbye" in "".join(shown), log.endswith("goodbye\n"))


async def test_a_kept_launch_that_dies_says_how(stage: Stage, keeping: Callable[..., Any]) -> None:
    """When a kept server dies, serving ends with its status, and what it left is ended."""
    _, serving, _ = await keeping(stage.launcher(keep=True), stage.launch())
    os.kill(stage.started()[0], signal.SIGKILL)
    assert (-9, []) == (await serving, stage.left())


@pytest.fixture
def keeping(stage: Stage) -> Callable[..., Any]:
    """Starts a launch that is kept, and serves it in the background."""

    async def keep(launcher: Any, launch: Launch) -> tuple[Any, "asyncio.Task[int]", list[str]]:
        shown: list[str] = []
        attempt, _ = await launcher.attempt(1, launch, stage.framework, None, stage.note)
        serving = asyncio.create_task(launcher.serve_until_interrupted(shown.append))
        await asyncio.sleep(0)
        return attempt, serving, shown

    return keep


async def _port(target: LocalTarget, started: Started) -> int:
    while True:
        if said := serving_at((await target.read(started.log)).data.decode()):
            return said[2]
        await asyncio.sleep(0.01)


async def test_a_later_run_finds_what_was_left(stage: Stage) -> None:
    """The processes of a launch are found by their mark from elsewhere, as after a run that was killed itself."""
    task = asyncio.create_task(stage.attempt(stage.launch("--hang", "--daemon")))
    await stage.until_started(3)
    found = LocalTarget().leftovers(MARK_PREFIX)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert set(stage.started()) <= set(found)
