"""The program ``nostart``: finds the command that was asked for, runs it, and turns what it raises into a sentence and an exit status.

A command's module is imported only when that command runs (`importlib`, by name): help must not pay for what only a triage needs.
"""

import importlib
import sys
from collections.abc import Sequence
from types import MappingProxyType
from typing import NamedTuple

import click

from transcripts.errors import NostartError

INTERRUPTED = 130
BUG = 70


class Entry(NamedTuple):
    """Where a command lives and what it is for, so that neither needs its import."""

    module: str
    about: str


COMMANDS: MappingProxyType[str, Entry] = MappingProxyType(
    {
        "triage": Entry("agent.cli.triage", "Find out why a launch fails; with --fix, get it started."),
        "check": Entry("agent.cli.check", "Every fault of a launch that can be seen without launching it."),
        "run": Entry("agent.cli.run", "Run a command as if nostart were not there; triage it if it dies before it is up."),
        "flags": Entry("agent.cli.flags", "Which flags a framework's release, or an installed copy, takes."),
        "atlas": Entry("agent.cli.atlas", "Build the atlas of flags again, from the package index."),
        "replay": Entry("agent.cli.replay", "Feed a recorded triage through the same code again."),
        "import": Entry("agent.cli.import_", "Make a transcript of another tool's session, for report and replay."),
        "record": Entry("agent.cli.record", "Record worlds from real servers, for strategies to play offline."),
        "report": Entry("agent.cli.report", "The postmortem of a run: on the terminal, or as one page."),
        "eval": Entry("agent.cli.eval", "Compare debugging strategies on recorded worlds."),
        "runs": Entry("agent.cli.runs", "The library of runs: list, open, prune, count."),
    }
)

EPILOG = """\b
Examples:
  nostart triage -- vllm serve Qwen/Qwen3-8B --port 8000
  nostart triage --fix -- ./start.sh
  nostart triage --shell "ssh gpu 'vllm serve M --speculative-config {\\"method\\": \\"mtp\\"}'"
  nostart triage --log crash.log --exit-status 137 -- vllm serve M
  nostart check -- ./start.sh

\b
Exit status:
  0 it is up (at once, or fixed)    10 diagnosed, not fixed    11 undetermined
  2 usage or bad input    3 target unreachable    4 transcript cannot be written
  130 interrupted

Transcripts lie in $XDG_STATE_HOME/nostart (~/.local/state/nostart)."""


class LazyGroup(click.Group):
    """A group whose commands are named in `COMMANDS` and imported when they run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order in which a person meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now; None for a name nobody has."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        command: click.Command = importlib.import_module(entry.module).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.about) for name, entry in COMMANDS.items()])

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it, but a launch typed in the place of a command gets a hint."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            known = ", ".join(COMMANDS)
            raise click.UsageError(f"no command {args[0]!r}; commands are {known}. For a launch that fails: nostart triage -- {args[0]} …", ctx)
        return super().resolve_command(ctx, args)


@click.group(
    cls=LazyGroup,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(package_name="nostart", message="nostart %(version)s")
def nostart() -> None:
    """Finds out why an LLM server (vLLM, the LiteLLM proxy) does not start, and gets it started.

    Hand it the launch that fails. It checks everything that can be seen without launching, reads what the failure proves, asks the
    cheapest question that tells the candidate causes apart, and prints the cause, the evidence and the command that works.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its status."""
    sys.exit(status_of(arguments))


def status_of(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status. The only broad ``except`` of the program is here."""
    try:
        status = nostart.main(args=None if arguments is None else list(arguments), prog_name="nostart", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("nostart: interrupted", err=True)
        return INTERRUPTED
    except NostartError as error:
        # what a host or a runtime said may stand in it; how text is made harmless is imported only here, by name
        click.echo(f"nostart: {importlib.import_module('agent.report').printable(str(error))}", err=True)
        return error.exit_status
    except Exception as error:  # noqa: BLE001 - the last line of the program: a bug is told, with where its record lies
        click.echo(_bug(error), err=True)
        return BUG
    return status if isinstance(status, int) else 0


def _bug(error: Exception) -> str:
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = f" ({place.tb_frame.f_code.co_filename}:{place.tb_lineno})" if place is not None else ""
    notes = "".join(f"\n{note}" for note in getattr(error, "__notes__", ()))
    return f"nostart: a bug of nostart itself, not of your launch: {type(error).__name__}: {error}{where}{notes}"
