"""What every target must do with a command that runs to its end."""

import asyncio
import resource
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from probes.targets.target import Target
from transcripts.records import Command, Output

Written = Callable[[Path, int], Awaitable[list[int]]]

METACHARACTERS = 'it\'s "quoted" $HOME `id` $(id) {a,b} \\ * ; | & > é 世界\n\ttab\n'


async def test_stdin_arrives_as_it_is(target: Target) -> None:
    """Shell metacharacters and UTF-8 in stdin reach the command byte for byte."""
    assert METACHARACTERS == (await target.run(Command(argv=("cat",), stdin=METACHARACTERS))).stdout


async def test_arguments_arrive_as_they_are(target: Target) -> None:
    """No shell touches an argument, an empty one included."""
    words = ("", METACHARACTERS, '{"a": 1}')
    output = await target.run(Command(argv=("sh", "-c", r'printf "%s\0" "$@"', "sh", *words)))
    assert [*words, ""] == output.stdout.split("\0")


async def test_no_stdin_is_an_empty_one(target: Target) -> None:
    """A command that reads stdin where none is given ends instead of waiting for a terminal."""
    assert Output(status=0, stdout="0") == await _timeless(target, Command(argv=("sh", "-c", "printf %s $(wc -c)")))


async def test_unread_stdin_is_no_failure(target: Target) -> None:
    """A command that never reads its stdin still ends with its own status."""
    assert 3 == (await target.run(Command(argv=("sh", "-c", "exit 3"), stdin="x" * 1_000_000))).status


async def test_streams_and_status_stay_apart(target: Target) -> None:
    """stdout, stderr and the status are those of the command."""
    assert Output(status=7, stdout="out\n", stderr="err\n") == await _timeless(target, Command(argv=("sh", "-c", "echo out; echo err >&2; exit 7")))


async def test_bytes_that_are_no_text_are_replaced(target: Target) -> None:
    """Output that is no UTF-8 is read all the same, each bad byte as a replacement character."""
    assert "a\ufffdb" == (await target.run(Command(argv=("printf", r"a\377b")))).stdout


async def test_the_environment_is_changed_as_asked(target: Target) -> None:
    """Variables are set and unset, and the locale is C, so that messages are those that readers know."""
    command = Command(argv=("sh", "-c", 'printf %s "$A-${HOME-unset}-$LC_ALL"'), env={"A": "1 2"}, unset=("HOME",))
    assert "1 2-unset-C" == (await target.run(command)).stdout


async def test_the_folder_is_the_one_asked_for(target: Target, tmp_path: Path) -> None:
    """A command runs in its `cwd`."""
    assert f"{tmp_path}\n" == (await target.run(Command(argv=("pwd",), cwd=str(tmp_path)))).stdout


async def test_long_output_is_cut_in_bounded_memory(target: Target) -> None:
    """Of 50 MB only the limit is kept, it says so, and memory does not grow with the output."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    output = await target.run(Command(argv=("head", "-c", "50000000", "/dev/zero"), limit=1000))
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert (0, 1000, True, True) == (output.status, len(output.stdout), output.truncated, grown < 30_000)


async def test_output_within_the_limit_is_whole(target: Target) -> None:
    """An output of exactly the limit is not called truncated."""
    assert Output(status=0, stdout="12345") == await _timeless(target, Command(argv=("printf", "12345"), limit=5))


async def test_a_timeout_ends_grandchildren(target: Target, tmp_path: Path, written: Written, alive: Callable[[int], bool]) -> None:
    """A command that takes too long is ended with everything it started, sessions of their own included, and is called timed-out."""
    pids = tmp_path / "pids"
    script = f"setsid sh -c 'echo $$ >> {pids}; exec sleep 600' & (sleep 600 & echo $! >> {pids}); sleep 600"
    task = asyncio.create_task(target.run(Command(argv=("sh", "-c", script), timeout=1.0)))
    started = await written(pids, 2)
    output = await task
    assert ("timed-out", None, "", [False, False]) == (output.failure, output.status, output.stdout, [alive(pid) for pid in started])


async def test_what_a_command_leaves_running_is_ended(target: Target, tmp_path: Path, written: Written, alive: Callable[[int], bool]) -> None:
    """A background process that holds the command's stdout does not keep it from ending, and does not outlive it."""
    pids = tmp_path / "pids"
    output = await target.run(Command(argv=("sh", "-c", f"(setsid sleep 600 & echo $! > {pids}) ; echo done")))
    [pid] = await written(pids, 1)
    assert (0, "done\n", "", False) == (output.status, output.stdout, output.failure, alive(pid))


async def test_a_signal_is_no_timeout(target: Target) -> None:
    """A command that dies of a signal at once has that as its negative status, and no failure."""
    assert Output(status=-9) == await _timeless(target, Command(argv=("sh", "-c", "kill -9 $$")))


async def test_cancelled_commands_are_ended(target: Target, tmp_path: Path, written: Written, alive: Callable[[int], bool]) -> None:
    """Cancelling leaves nothing of the command behind."""
    pids = tmp_path / "pids"
    task = asyncio.create_task(target.run(Command(argv=("sh", "-c", f"echo $$ > {pids}; trap '' TERM INT; while :; do sleep 1; done"))))
    [pid] = await written(pids, 1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not alive(pid)


@pytest.mark.parametrize("word", ["no-such-program", "/no/such/program", "", "/etc/passwd/x"])
async def test_an_absent_program_is_no_tool(target: Target, word: str) -> None:
    """A program that does not exist is a failure of the look, not an answer."""
    output = await target.run(Command(argv=(word,)))
    assert ("no-tool", None, "") == (output.failure, output.status, output.stdout)


async def test_a_program_that_cannot_be_executed_is_denied(target: Target, tmp_path: Path) -> None:
    """A file without permission to execute, a folder and one that is no program at all are told from an absent one."""
    plain, text = tmp_path / "plain", tmp_path / "text"
    plain.write_text("#!/bin/sh\n")
    text.write_text("no program")
    text.chmod(0o755)
    outputs = [await target.run(Command(argv=(str(path),))) for path in (plain, text, tmp_path)]
    assert ["denied"] * 3 == [output.failure for output in outputs]


async def test_an_impossible_argument_is_a_value(target: Target) -> None:
    """An argument that no program can receive (a NUL byte) is a failure of the look, not an exception."""
    assert "denied" == (await target.run(Command(argv=("echo", "a\0b")))).failure


async def test_commands_run_side_by_side(target: Target) -> None:
    """Several commands at once do not end one another."""
    outputs = await asyncio.gather(*(target.run(Command(argv=(sys.executable, "-c", f"print({n})"))) for n in range(4)))
    assert ["0\n", "1\n", "2\n", "3\n"] == [output.stdout for output in outputs]


async def _timeless(target: Target, command: Command) -> Output:
    output = await target.run(command)
    return Output(status=output.status, stdout=output.stdout, stderr=output.stderr, truncated=output.truncated, failure=output.failure)
