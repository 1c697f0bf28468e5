"""``nostart run``: a drop-in wrapper or entrypoint, transparent while the command works, that triages it if it dies before it is up."""

import asyncio
import importlib
import os
import secrets
import tempfile
from pathlib import Path

import click

from agent.cli.hiding import learnt
from agent.cli.options import SETTINGS, known_framework
from agent.cli.passing import Copy, pass_through
from agent.request import Request
from probes.frameworks.catalogue import recognise
from probes.targets.processes import MARK
from probes.targets.spawning import failure, reason
from transcripts.errors import NostartError, UsageError
from transcripts.records import Launch

EPILOG = """\b
Examples:
  nostart run -- vllm serve M --port 8000
  ENTRYPOINT ["nostart", "run", "--", "vllm", "serve"]

\b
Exit status: the command's own (127 it was not found, 126 it cannot be executed, 128 + N a signal)."""

_NOT_EXECUTED = {"no-tool": 127, "denied": 126, "error": 126}


@click.command(context_settings=SETTINGS, epilog=EPILOG)
@click.option("--framework", default="", metavar="NAME", help="The framework, as you believe it to be: vllm, litellm or sglang.")
@click.option("--release", default="", metavar="V", help="The framework's release, as you believe it to be (evidence, not fact).")
@click.option("--transcripts", type=click.Path(path_type=Path), metavar="DIR", help="Where transcripts are kept.")
@click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="-- COMMAND...")
def command(command: tuple[str, ...], framework: str, release: str, transcripts: Path | None) -> int:
    """Run COMMAND as if nostart were not there.

    Its output passes through untouched, stdout and stderr apart; signals reach it; its exit status is passed on. When it dies by itself before
    it was up, the verdict follows on stderr.
    """
    if not command or not command[0].strip():
        raise UsageError("nothing to run: give the command after --, such as: nostart run -- vllm serve MODEL")
    known = known_framework(framework)
    with tempfile.TemporaryDirectory(prefix="nostart-") as scratch:
        log = Path(scratch) / "log"
        status, died = _watched(command, log)
        if died:
            request = Request(verb="run", launch=Launch(argv=command), framework=known, release=release.strip(), log=str(log), exit_status=status)
            _triage(request, transcripts)
    return status if status >= 0 else 128 - status


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


def _triage(request: Request, transcripts: Path | None) -> None:
    """Triage on stderr; what keeps it from that is said, and never hides the command's own status.

    Its modules are imported only now, by name: a command that works must not wait for them.
    """
    session = importlib.import_module("agent.cli.session")
    try:
        session.carry_out(request, session.Telling(quiet=True, verdict_to_stderr=True, transcripts=transcripts))
    except NostartError as error:
        click.echo(f"nostart: {error}", err=True)
