"""``nostart report``: a recorded run told after the fact."""

from pathlib import Path

import click
import msgspec
from msgspec.structs import replace
from rich.console import Console
from rich.markdown import Markdown

from agent.cli.options import SETTINGS
from agent.postmortem.markdown import markdown
from agent.postmortem.page import page
from agent.report import placed
from transcripts.errors import UsageError
from transcripts.events import AnyEvent, Diagnosed, FixChosen
from transcripts.journal import load
from transcripts.postmortem.fold import postmortem
from transcripts.postmortem.story import Postmortem
from transcripts.redact import Vault

EPILOG = """\b
Examples:
  nostart report ~/.local/state/nostart/20261201-162820-1a2b3c4d
  nostart report RUN --html postmortem.html      one page, no network; step through it with the arrow keys
  nostart report RUN --json | jq .faults"""


@click.command(context_settings={**SETTINGS, "allow_interspersed_args": True}, epilog=EPILOG)
@click.argument("transcript", type=click.Path(path_type=Path))
@click.option("--html", type=click.Path(path_type=Path), metavar="FILE", help="Write one self-contained page (- is stdout).")
@click.option("--json", "as_json", is_flag=True, help="The postmortem as one JSON document on stdout.")
def command(transcript: Path, html: Path | None, as_json: bool) -> int:
    """Tell what a recorded run saw, what it concluded and when that could have been known, what it cost and what of it was lost.

    TRANSCRIPT is a run's folder or the transcript.jsonl in it. Nothing is asked or launched.
    """
    tell_report(transcript, html, as_json)
    return 0


def tell_report(transcript: Path, html: Path | None, as_json: bool) -> None:
    """Tell the postmortem of a transcript: as a page where `html` names one, as JSON, else as Markdown on stdout."""
    told = retold(transcript)
    if html is not None:
        _write(html, page(told))
    if as_json:
        click.echo(msgspec.json.encode(told), nl=True)
    elif html is None:
        _print(markdown(told))


def retold(transcript: Path) -> Postmortem:
    """The postmortem of a transcript, its secrets hidden once more (a session of another tool may hold some).

    Raises:
        TranscriptError: there is no transcript, or it cannot be read.
    """
    recorded = load(transcript)
    folder = str(recorded.folder or "")
    told = msgspec.to_builtins(postmortem([_placed(event, folder) for event in recorded.events], recorded.torn))
    return msgspec.convert(_encodable(Vault().hide_all(told)), Postmortem)


def _placed(event: AnyEvent, folder: str) -> AnyEvent:
    """The event with its fix as it can be pasted: corrected copies are where the run put them."""
    if isinstance(event, FixChosen):
        return replace(event, fix=placed(event.fix, folder))
    if isinstance(event, Diagnosed) and event.diagnosis.fix is not None:
        return replace(event, diagnosis=replace(event.diagnosis, fix=placed(event.diagnosis.fix, folder)))
    return event


def _encodable(value: object) -> object:
    """Every text with what no encoding can hold written out: a word of an argv may be any bytes."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {key: _encodable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_encodable(item) for item in value]
    return value


def _print(text: str) -> None:
    console = Console(highlight=False)
    if console.is_terminal:
        console.print(Markdown(text, hyperlinks=False, code_theme="ansi_dark"))
    else:
        click.echo(text, nl=False)


def _write(file: Path, text: str) -> None:
    if str(file) == "-":
        click.echo(text, nl=False)
        return
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write the page {file}: {error.strerror or error}; name a file in a folder that you may write to") from error
    click.echo(f"nostart: the postmortem is in {file}", err=True)
