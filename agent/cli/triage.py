"""``nostart triage``: why a launch fails; with ``--fix``, until it answers."""

import tempfile
from pathlib import Path

import click
from msgspec import structs

from agent.cli.fleet import carry_out_all, targets_of
from agent.cli.instance import found, is_instance
from agent.cli.options import SETTINGS, as_signal, known_framework, launch_of, launch_options, only_read, output_options
from agent.cli.session import Telling, Waiting, carry_on, carry_out
from agent.request import Request
from transcripts.errors import UsageError

EPILOG = """\b
Examples:
  nostart triage -- vllm serve Qwen/Qwen3-8B --max-model-len 8k
  nostart triage --fix -- ./start.sh                 mends, relaunches, prints the command that works
  nostart triage --fix --keep -- litellm --config config.yaml
  nostart triage --shell "vllm serve M --speculative-config {\\"method\\": \\"mtp\\"}"
  nostart triage --target docker://llm               its command, its log and its end, as the runtime tells them
  nostart triage --from pod.yaml#server --log -      the launch as its manifest has it, and its log
  nostart triage --log crash.log --exit-status -9    launches nothing, reads a log
  kubectl logs POD | nostart triage --log - -- vllm serve M
  nostart triage --resume ~/.local/state/nostart/20261201-162820-1a2b3c4d

\b
Exit status: 0 up, 10 diagnosed, 11 undetermined, 2 bad input, 3 target unreachable,
4 transcript cannot be written, 130 interrupted."""


@click.command(context_settings=SETTINGS, epilog=EPILOG)
@launch_options
@click.option("--log", metavar="FILE", help="Launch nothing: reason from this log (- is stdin) and from COMMAND, if given; with --target, ask there.")
@click.option("--exit-status", type=int, metavar="N", help="What the launch of --log ended with; -9 and 137 mean the same.")
@click.option("--fix", is_flag=True, help="Relaunch with fixes until a real request is answered; then stop it and print the command.")
@click.option("--keep", is_flag=True, help="With --fix: leave it serving, in the foreground.")
@click.option("--no-check", is_flag=True, help="Launch at once, without looking around first.")
@click.option("--max-launches", type=click.IntRange(1), default=4, show_default=True, metavar="N", help="Launches of --fix at most.")
@click.option("--budget", type=click.FloatRange(0, min_open=True), metavar="SECONDS", help="Stop after this time with what is known.")
@click.option("--ready-url", default="", metavar="URL", help="It is up when this URL answers, instead of the framework's own request.")
@click.option("--hang-seconds", type=click.FloatRange(0, min_open=True), metavar="N", help="No new phase and no progress for so long is a hang.")
@click.option(
    "--resume",
    type=click.Path(path_type=Path),
    metavar="RUN",
    help="Go on with a run that was killed: its transcript says what it was asked and knew.",
)
@click.option("--strategy", default="information-gain", show_default=True, metavar="NAME", help="How the next question is chosen.")
@output_options
def command(
    command: tuple[str, ...],
    line: str | None,
    given: tuple[str, ...],
    inventory: Path | None,
    file: str | None,
    framework: str,
    release: str,
    log: str | None,
    exit_status: int | None,
    fix: bool,
    keep: bool,
    no_check: bool,
    max_launches: int,
    budget: float | None,
    ready_url: str,
    hang_seconds: float | None,
    resume: Path | None,
    strategy: str,
    as_json: bool,
    plain: bool,
    transcripts: Path | None,
) -> int:
    """Find out why a launch fails.

    COMMAND is checked, then launched as given; what it says, and the cheapest questions that tell the candidate causes apart, give the
    cause. Nothing of yours is edited: where a file is at fault, a corrected copy is used and the difference printed.
    """
    if resume is not None:
        _alone(command, line, file, log, given, inventory, framework, release, fix, keep)
        return carry_on(resume, Telling(as_json, plain, transcripts), Waiting(ready_url, hang_seconds), budget)
    targets, telling, waiting = targets_of(given, inventory), Telling(as_json, plain, transcripts), Waiting(ready_url, hang_seconds)
    target = targets[0] if len(targets) == 1 else None
    launch = launch_of(command, line, target, file)
    if target is not None and is_instance(target) and launch is None and log is None and not (fix or keep or exit_status is not None):
        return _of_instance(target, known_framework(framework), release.strip(), budget, strategy, telling)
    _sensible(launch is not None, log, exit_status, fix, keep)
    read_only = launch is not None and only_read(launch, target)
    if read_only and fix:
        raise UsageError("--fix launches, and a file does not say where: give --target, or leave --fix out and get the change of the file printed")
    request = Request(
        verb="check" if read_only and log is None else "triage",
        launch=launch,
        framework=known_framework(framework),
        release=release.strip(),
        log=log,
        exit_status=as_signal(exit_status),
        check=not no_check,
        fix=fix,
        keep=keep,
        max_launches=max_launches,
        budget=budget,
        strategy=strategy,
        can_ask=(log is None and not read_only) or target is not None,
    )
    if len(targets) < 2:
        return carry_out(request, telling, waiting)
    if keep or log is not None:
        raise UsageError("several targets are triaged at once: --keep and --log belong to one")
    return carry_out_all(
        targets, lambda url: structs.replace(request, verb="triage", can_ask=True, launch=launch_of(command, line, url, file)), telling, waiting
    )


def _of_instance(url: str, framework: str, release: str, budget: float | None, strategy: str, telling: Telling) -> int:
    """Triage of what a container or pod was last seen to do: its own command and log, and the runtime's account of its end."""
    with tempfile.TemporaryDirectory(prefix="nostart-") as scratch:
        log = Path(scratch) / "log"
        told = found(url, log)
        request = Request(
            verb="triage",
            launch=told.launch,
            framework=framework,
            release=release,
            log=str(log),
            exit_status=told.exit_status,
            budget=budget,
            strategy=strategy,
            can_ask=told.running,
            runtime=told.runtime,
            asked=told.asked,
        )
        return carry_out(request, telling)


def _alone(*given: object) -> None:
    """Refuse what a resumed run has been told already.

    Raises:
        UsageError: with what to leave out.
    """
    if any(given):
        raise UsageError(
            "--resume RUN knows its launch and its options from the transcript: give only --budget, --ready-url or --hang-seconds with it"
        )


def _sensible(launch: bool, log: str | None, exit_status: int | None, fix: bool, keep: bool) -> None:
    """Refuse combinations that cannot be meant.

    Raises:
        UsageError: with what to give instead.
    """
    if not launch and log is None:
        raise UsageError("nothing to diagnose: give the launch that fails (nostart triage -- vllm serve MODEL), or its log (--log FILE)")
    if exit_status is not None and log is None:
        raise UsageError("--exit-status belongs to --log FILE: a launch's own status is seen when it ends")
    if fix and log is not None:
        raise UsageError("--fix launches, --log launches nothing: give one of them")
    if keep and not fix:
        raise UsageError("--keep belongs to --fix: it leaves the mended launch serving")
    if log is not None and log != "-":
        _readable(Path(log))


def _readable(path: Path) -> None:
    """Raise a `UsageError` unless `path` is a file that can be opened."""
    try:
        with path.open("rb"):
            return
    except OSError as error:
        raise UsageError(f"cannot read the log {path}: {error.strerror or error}") from error
