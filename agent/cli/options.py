"""The options that several commands share, and what a command line means as a `Launch`."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from agent.cli.manifest import launch_from
from agent.cli.reaching import on_the_host
from probes.targets.choose import LOCAL, choose
from transcripts.errors import UsageError
from transcripts.records import Launch

FRAMEWORKS = ("vllm", "litellm", "sglang")
SETTINGS = {"allow_interspersed_args": False, "help_option_names": ["-h", "--help"], "max_content_width": 110}
_SIGNALS = 64

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def launch_options(function: Decorated) -> Decorated:
    """What names the launch: ``--shell``, ``--target``, ``--framework``, ``--release`` and the COMMAND itself."""
    for decorate in (
        click.argument("command", nargs=-1, type=click.UNPROCESSED, metavar="[-- COMMAND...]"),
        click.option("--release", default="", metavar="V", help="The framework's release, as you believe it to be (evidence, not fact)."),
        click.option("--framework", default="", metavar="NAME", help="The framework, as you believe it to be: vllm, litellm or sglang."),
        click.option("--targets", "inventory", type=click.Path(path_type=Path), metavar="FILE", help="Many targets at once, one a line."),
        click.option(
            "--target",
            "given",
            multiple=True,
            metavar="URL",
            help="Where the launch runs: local (default), ssh://USER@HOST:PORT, docker://NAME, k8s://NS/POD/CONTAINER. Repeated: on all of them.",
        ),
        click.option(
            "--from", "file", metavar="FILE[#PART]", help="The launch that stands in a compose file, Kubernetes manifest, unit, Dockerfile or script."
        ),
        click.option("--shell", "line", metavar="LINE", help="The launch as typed at a shell, quoting and all, instead of COMMAND."),
    ):
        function = decorate(function)
    return function


def output_options(function: Decorated) -> Decorated:
    """How the result is told: ``--json``, ``--plain``, ``--transcripts``."""
    for decorate in (
        click.option("--transcripts", type=click.Path(path_type=Path), metavar="DIR", help="Where transcripts are kept."),
        click.option("--plain", is_flag=True, help="Plain lines instead of the live view."),
        click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout (docs/nostart.schema.json); all else on stderr."),
    ):
        function = decorate(function)
    return function


def launch_of(command: tuple[str, ...], line: str | None, target: str | None, file: str | None = None) -> Launch | None:
    """The launch that was given, or None where there is neither COMMAND nor LINE nor FILE.

    Raises:
        UsageError: several are given, one of them is empty, or the target is of a kind that is not known.
    """
    place = choose(target or LOCAL).name
    if line is not None and command:
        raise UsageError("both --shell LINE and a COMMAND are given: a launch is one of them")
    if file is not None:
        if command or line is not None:
            raise UsageError("--from FILE holds the launch: give neither a COMMAND nor --shell LINE with it")
        return launch_from(file, place)
    if line is not None:
        if not line.strip():
            raise UsageError("--shell LINE is empty: give the line as it was typed")
        if "\0" in line:
            raise UsageError("--shell LINE holds a NUL byte, which no shell takes")
        return on_the_host(Launch(argv=("bash", "-c", line), shell=line, target=place), os.environ)
    if command:
        if not command[0].strip():
            raise UsageError("the COMMAND is empty: give the launch that fails after --, such as: nostart triage -- vllm serve MODEL")
        return on_the_host(Launch(argv=command, target=place), os.environ)
    return None


def only_read(launch: Launch, target: str | None) -> bool:
    """Whether the launch stands in a file that does not say where it runs, and nobody else did: it can be read, not asked or launched."""
    return launch.origin is not None and launch.origin.kind != "script" and target is None


def known_framework(name: str) -> str:
    """`name` in lower case.

    Raises:
        UsageError: nothing is known of a framework of that name.
    """
    lowered = name.strip().lower()
    if lowered and lowered not in FRAMEWORKS:
        raise UsageError(f"--framework {name}: known are {', '.join(FRAMEWORKS)}")
    return lowered


def as_signal(status: int | None) -> int | None:
    """An exit status as a process has it: what a shell writes as 128 + N is the signal -N."""
    if status is not None and 128 < status <= 128 + _SIGNALS:
        return 128 - status
    return status
