"""A launch that a person types as ``ssh HOST '…'``, on the host that the ssh leads to: what its login shell is given, as it is given there."""

from collections.abc import Mapping
from contextlib import suppress

from msgspec import structs

from probes.launches.understand import understand
from probes.simple_command import simple_command
from probes.targets.ssh_address import of_command, parse
from probes.targets.target import Target
from transcripts.errors import TargetUnreachable
from transcripts.records import Command, Launch

_SSH = "ssh"


def on_the_host(launch: Launch, environment: Mapping[str, str]) -> Launch:
    """`launch` without its own ssh, where that leads to its target: the text that the ssh hands over, to be read by a shell there.

    A launch that leads elsewhere, or does more than one ssh, is left as it is.
    """
    if not launch.target.startswith("ssh://"):
        return launch
    words = simple_command(launch.shell) if launch.shell is not None else launch.argv
    if not words or words[0].rpartition("/")[2] != _SSH:
        return launch
    layers = understand(launch, files={}, environment=environment).layers
    layer = next((layer for layer in layers[:2] if layer.kind == "ssh"), None)
    there = of_command(layer.words) if layer else None
    if layer is None or there is None or not layer.text.strip() or there.host != parse(launch.target).host:
        return launch
    return structs.replace(launch, argv=("bash", "-c", layer.text), shell=layer.text, through=layer.words)


async def by_its_login_shell(launch: Launch, target: Target) -> Launch:
    """The text of such a launch, to be read by the shell that reads it there: the login shell of the user."""
    if not launch.through or launch.shell is None:
        return launch
    with suppress(TargetUnreachable):
        output = await target.run(Command(argv=("sh", "-c", 'printf %s "${SHELL:-/bin/sh}"')))
        return structs.replace(launch, argv=(output.stdout or "sh", "-c", launch.shell))
    return launch
