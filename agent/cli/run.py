"""``nostart run``: a drop-in wrapper or entrypoint, transparent while the command works, that triages it if it dies before it is up."""

import asyncio
import importlib
import os
import secrets
import tempfile
from pathlib import Path

import click

from agent.breaker import after, is_broken
from agent.cli.breaking import Memory
from agent.cli.hiding import learnt
from agent.cli.options import SETTINGS, known_framework
from agent.cli.passing import Copy, pass_through
from agent.cli.places import transcripts_folder
from agent.request import Request
from probes.frameworks.catalogue import recognise
from probes.targets.processes import MARK
from probes.targets.spawning import failure, reason
from transcripts.errors import NostartError, UsageError
from transcripts.records import Diagnosis, Launch

EPILOG = """\b
Examples:
  nostart run -- vllm serve M --port 8000
  nostart run --verdict-file /dev/termination-log -- vllm serve M
  ENTRYPOINT ["nostart", "run", "--", "vllm", "serve"]

\b
Exit status: the command's own (127 it was not found, 126 it cannot be executed, 128 + N a signal)."""

_NOT_EXECUTED = {"no-tool": 127, "denied": 126, "error": 126}


@click.command(context_settings=SETTINGS, epilog=EPILOG)
@click.option("--framework", default="", metavar="NAME", help="The framework, as you believe it to be: vllm, litellm or sglang.")
@click.option("--release", default="", metavar="V", help="The framework's release, as you believe it to be (evidence, not fact).")
@click.option("--transcripts", type=click.Path(path_type=Path), metavar="DIR", help="Where transcripts are kept.")
@click.option("--verdict-file", type=click.Path(path_type=Path), metavar="FILE", help="Write the verdict there, too: /dev/termination-log in a pod.")
@click.option("--notify", multiple=True, metavar="URL", help="Send the verdict there, too (extra notify; any kind of URL that apprise knows).")
@click.option("--again", is_flag=True, help="Launch even what failed of the same deterministic cause twice in a row.")
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="-- COMMAND...")
def command(
    command: tuple[str, ...],
    framework: str,
    release: str,
    transcripts: Path | None,
    verdict_file: Path | None,
    notify: tuple[str, ...],
    again: bool,
) -> int:
    """Run COMMAND as if nostart were not there.

    Its output passes through untouched, stdout and stderr apart; signals reach it; its exit status is passed on. When it dies by itself before
    it was up, the verdict follows on stderr. What failed of the same cause twice in a row, and is sure to fail again, is not launched a third time
    until its command, its files or its environment change.
    """
    if not command or not command[0].strip():
        raise UsageError("nothing to run: give the command after --, such as: nostart run -- vllm serve MODEL")
    known = known_framework(framework)
    memory = Memory(transcripts_folder(transcripts, os.environ), command, os.environ)
    before = memory.read()
    if before is not None and is_broken(before) and not again:
        click.echo(f"nostart: not launched: it failed {before.count} times in a row of {before.cause}; --again launches it all the same", err=True)
        click.echo(before.verdict, err=True, nl=False)
        _delivered(before.verdict, before.cause, verdict_file, notify)
        return before.status
    with tempfile.TemporaryDirectory(prefix="nostart-") as scratch:
        log = Path(scratch) / "log"
        status, died = _watched(command, log)
        told = status if status >= 0 else 128 - status
        remembered = None
        if died:
            request = Request(verb="run", launch=Launch(argv=command), framework=known, release=release.strip(), log=str(log), exit_status=status)
            cause, text = _triage(request, transcripts)
            _delivered(text, cause, verdict_file, notify)
            remembered = after(before, cause, told, text)
        if died or before is not None:
            memory.write(remembered)
    return told


def _delivered(text: str, cause: str, file: Path | None, urls: tuple[str, ...]) -> None:
    """Bring the verdict to the file and the URLs; what keeps it from that is said, and changes nothing."""
    if not text or (file is None and not urls):
        return
    delivering = importlib.import_module("agent.cli.delivering")
    try:
        complaints = [
            delivering.to_file(text, file) if file is not None else "",
            delivering.to_urls(text, f"nostart: {cause or 'undetermined'}", urls),
        ]
    except NostartError as error:
        complaints = [str(error)]
    for complaint in filter(None, complaints):
        click.echo(f"nostart: {complaint}", err=True)


def _watched(command: tuple[str, ...], log: Path) -> tuple[int, bool]:
    """The command's status, and whether it died before it was up; its log is kept in `log` until then."""
    launch = Launch(argv=command)
    vault, found = learnt(launch, os.environ), recognise(command)
    mark = f"nostart-{secrets.token_hex(6)}-run"
    with log.open("wb", buffering=0) as file:
        copy = Copy(file, found[0] if found else None, vault)
        try:
            passed = asyncio.run(pass_through(command, {**os.environ, MARK: mark}, mark, copy))
        except (OSError, ValueError) as error:
            said = reason(command, None, error)
            file.write(f"nostart: {said}\n".encode())
            click.echo(f"nostart: {said}", err=True)
            return _NOT_EXECUTED[failure(error)], True
    return passed.status, passed.status != 0 and not passed.up and not passed.stopped


def _triage(request: Request, transcripts: Path | None) -> tuple[str, str]:
    """Triage on stderr; returns the cause (empty: undetermined) and the verdict. What keeps it from that is said.

    Its modules are imported only now, by name: a command that works must not wait for them.
    """
    session, delivering = importlib.import_module("agent.cli.session"), importlib.import_module("agent.cli.delivering")
    heard: list[tuple[str, str]] = []

    def hear(diagnosis: Diagnosis, folder: str) -> None:
        heard.append((diagnosis.cause.hypothesis.cause if diagnosis.cause else "", delivering.text_of(diagnosis, folder)))
        session.tell(diagnosis, session.Telling(verdict_to_stderr=True), folder)

    try:
        session.carry_out(request, session.Telling(quiet=True, verdict_to_stderr=True, transcripts=transcripts, heard=hear))
    except NostartError as error:
        click.echo(f"nostart: {error}", err=True)
    return heard[-1] if heard else ("", "")
