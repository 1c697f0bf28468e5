"""``nostart eval``: play recorded worlds by strategies, score, compare, fit and report. The commands are in `evals.commands`, imported by name."""

import importlib
from types import MappingProxyType

import click

from transcripts.errors import UsageError

COMMANDS: MappingProxyType[str, str] = MappingProxyType(
    {
        "run": "Play the worlds by the strategies; goes on where a run that died was.",
        "score": "What the plays were worth: accuracy, costs, honesty, each with its interval.",
        "compare": "Two strategies, or now and what was accepted, on the same worlds.",
        "fit": "Fit priors and likelihoods to the worlds, and judge the fit on kinds that were held out.",
        "report": "One page with plots, and the way from each world to its transcripts.",
    }
)

EPILOG = """\b
A world is a recorded launch that fails, with its true cause, the answer of every probe and the outcome of every fix. A strategy plays it
from the failed first launch on, offline; what it asks and launches costs the seconds that were recorded.

\b
Examples:
  nostart eval run --output plays            every world, every offline strategy
  nostart eval score plays --by family
  nostart eval compare plays --ours information-gain --theirs checklist
  nostart eval report plays --html eval.html

Needs the extra: pip install 'nostart[evals]'"""


class _Group(click.Group):
    """The commands by name; their module is imported when one of them runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order in which they are used."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name; None for a name nobody has.

        Raises:
            UsageError: the extra is not installed.
        """
        if cmd_name not in COMMANDS:
            return None
        try:
            module = importlib.import_module("evals.commands")
        except ModuleNotFoundError as error:
            raise UsageError(f"nostart eval needs {error.name}, which is not installed: pip install 'nostart[evals]'") from error
        command: click.Command = getattr(module, cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}, epilog=EPILOG)
def command() -> None:
    """Compare debugging strategies on recorded worlds: is it better, by how much, and how sure is that?"""
