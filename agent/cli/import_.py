"""``nostart import``: the session of another tool as a transcript."""

import os
import secrets
import sys
from collections.abc import Mapping
from pathlib import Path

import click
import msgspec
from rich.console import Console

from agent.cli.options import SETTINGS
from agent.cli.session import Telling, run_id, tell, transcripts_folder
from agent.clock import SystemClock
from agent.importing import import_session
from agent.live import show
from agent.over import Over
from agent.report import Line
from transcripts.errors import UsageError
from transcripts.importers.catalogue import IMPORTERS
from transcripts.importers.session import Session
from transcripts.journal import FileSink, Journal
from transcripts.redact import Vault

EPILOG = """\b
Examples:
  nostart import claude-code ~/.claude/projects/-root/0f3c….jsonl
  opencode export ID > session.json; nostart import opencode session.json
  nostart import mini-swe-agent last_mini_run.traj.json
  nostart import asciinema demo.cast
  nostart import typescript typescript
  nostart import shell pasted.txt          lines such as "$ command" and what each printed

\b
Exit status: 0 imported, 2 bad input, 4 the transcript cannot be written."""


_ROUNDS = 3  # a secret that is learnt late stands in earlier steps too


@click.command("import", context_settings={**SETTINGS, "allow_interspersed_args": True}, epilog=EPILOG)
@click.argument("format_", metavar="FORMAT", type=click.Choice(sorted(IMPORTERS)))
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--transcripts", type=click.Path(path_type=Path), metavar="DIR", help="Where transcripts are kept.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout (docs/nostart.schema.json); all else on stderr.")
def command(format_: str, file: Path, transcripts: Path | None, as_json: bool) -> int:
    """Read another tool's session and tell what it shows of a launch that fails.

    FORMAT is asciinema, claude-code, mini-swe-agent, opencode, shell or typescript; FILE is the session (- is stdin). Its commands are judged as a
    triage would judge them, and nothing of it is executed: what launches a server is an attempt, what looks for a flag or a version is a reading.
    The transcript is for `nostart report` and `nostart replay`.
    """
    session, names = hidden(IMPORTERS[format_](_bytes(file)), os.environ)
    clock = Over()
    folder = transcripts_folder(transcripts, os.environ) / run_id(SystemClock().now(), secrets.token_hex(4))
    clock.tell(next((step.at for step in session.steps if step.at), SystemClock().now()))
    sink = FileSink(folder)
    try:
        diagnosis = import_session(session, names, Journal(sink, clock, hidden=True), clock.tell)
    finally:
        sink.close()
    tell(diagnosis, Telling(as_json=as_json), str(folder))
    show(Console(stderr=True, highlight=False), (Line(f"what became of it, step by step: nostart report {folder}", "dim"),))
    return 0


def hidden(session: Session, environment: Mapping[str, str]) -> tuple[Session, tuple[str, ...]]:
    """The session without its secrets, and the names that stand for them: learnt from every command first, then hidden everywhere."""
    vault = Vault()
    for step in session.steps:
        if step.kind == "command":
            vault.reserve(step.text)
    for step in session.steps:
        if step.kind == "command":
            vault.learn_line(step.text)
    vault.learn_environment(environment)
    plain = msgspec.to_builtins(session)
    for _ in range(_ROUNDS):
        plain = vault.hide_all(plain)
    return msgspec.convert(plain, Session), vault.names


def _bytes(file: Path) -> bytes:
    """The bytes of the session.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        return sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read the session {file}: {error.strerror or error}") from error
