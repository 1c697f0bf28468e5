"""``nostart check``: every fault that can be seen without launching; a pre-flight for CI."""

from pathlib import Path

import click

from agent.cli.options import SETTINGS, known_framework, launch_of, launch_options, output_options
from agent.cli.session import Telling, carry_out
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
    target: str | None,
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
    launch = launch_of(command, line, target, file)
    if launch is None:
        raise UsageError("nothing to check: give the launch after --, such as: nostart check -- ./start.sh")
    can_ask = file is None or target is not None
    request = Request(verb="check", launch=launch, can_ask=can_ask, framework=known_framework(framework), release=release.strip())
    return carry_out(request, Telling(as_json, plain, transcripts))
