"""``nostart check``: every fault that can be seen without launching; a pre-flight for CI."""

from pathlib import Path

import click

from agent.cli.fleet import carry_out_all, targets_of
from agent.cli.options import SETTINGS, known_framework, launch_of, launch_options, output_options
from agent.cli.session import Telling, Waiting, carry_out
from agent.request import Request
from transcripts.errors import UsageError

EPILOG = """\b
Examples:
  nostart check -- ./start.sh
  nostart check --json -- vllm serve M --speculative-config "$SPEC"
  nostart check --from compose.yaml#vllm
  nostart check --shell "ssh gpu 'vllm serve M --dtype float32'"

\b
Exit status: 0 no fault seen, 10 a fault and its cause, 11 a fault of no known cause, 2 bad input,
3 target unreachable, 4 transcript cannot be written, 130 interrupted."""


@click.command(context_settings=SETTINGS, epilog=EPILOG)
@launch_options
@output_options
def command(
    command: tuple[str, ...],
    line: str | None,
    given: tuple[str, ...],
    inventory: Path | None,
    file: str | None,
    framework: str,
    release: str,
    as_json: bool,
    plain: bool,
    transcripts: Path | None,
) -> int:
    """See every fault of a launch that can be seen without launching it.

    Looks at the argv as it will arrive, JSON values, the flags of the installed release, files, the port, the environment variables that
    the framework reads, and which executable PATH and the shebang pick. A script is read for the launch in it.
    """
    targets = targets_of(given, inventory)

    def asked(target: str | None) -> Request:
        launch = launch_of(command, line, target, file)
        if launch is None:
            raise UsageError("nothing to check: give the launch after --, such as: nostart check -- ./start.sh")
        can_ask = file is None or target is not None
        return Request(verb="check", launch=launch, can_ask=can_ask, framework=known_framework(framework), release=release.strip())

    if len(targets) > 1:
        return carry_out_all(targets, asked, Telling(as_json, plain, transcripts), Waiting())
    return carry_out(asked(next(iter(targets), None)), Telling(as_json, plain, transcripts))
