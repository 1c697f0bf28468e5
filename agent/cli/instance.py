"""A container or pod named as the target, and nothing else: its own command, the log of the instance that failed, and how the runtime says it ended.

Everything asked of the runtime reads only, and is told in the transcript with its argv.
"""

import asyncio
import secrets
import shlex
from pathlib import Path
from typing import NamedTuple

from agent.cli.options import as_signal
from probes.launches.manifests.images import entrypoint_of
from probes.targets import container, instances, pod
from probes.targets.instances import Instance, Unreadable
from probes.targets.local import LocalTarget
from probes.targets.target import Start
from transcripts.errors import TargetUnreachable
from transcripts.records import Command, Launch, Output, Sign

_LINES = "200000"
_PATIENCE = 60.0
_POLLS = 2000
_STEP = 1_000_000
_MOST = 200_000_000


class Found(NamedTuple):
    """What the runtime told: the launch, the exit status, whether it still runs, evidence of the end, and what was asked and told, in words."""

    launch: Launch
    exit_status: int | None
    running: bool
    runtime: tuple[Sign, ...]
    asked: tuple[str, ...]


class Questions(NamedTuple):
    """The commands that tell of an instance. `before` is the log of the instance before the one that is there."""

    about: tuple[str, ...]
    log: tuple[str, ...]
    before: tuple[str, ...] = ()


def is_instance(url: str | None) -> bool:
    """Whether a target is a container or a pod, of which a runtime can tell."""
    return url is not None and url.startswith(("docker://", "k8s://"))


def questions(url: str) -> Questions:
    """What the runtime is asked about the instance that `url` names.

    Raises:
        UsageError: it names none.
    """
    if url.startswith("docker://"):
        name, client = container.name_in(url), container.client()
        return Questions((client, "inspect", "--type", "container", name), (client, "logs", "--tail", _LINES, name))
    place = pod.place_in(url)
    where = ("-n", place.namespace)
    named = ("-c", place.container) if place.container else ()
    log = ("kubectl", "logs", *where, place.pod, *named, f"--tail={_LINES}")
    return Questions(("kubectl", "get", "pod", *where, place.pod, "-o", "json"), log, (*log, "--previous"))


def found(url: str, log: Path) -> Found:
    """Ask the runtime about the instance that `url` names; its log is written to the file `log`.

    Raises:
        UsageError: `url` names none.
        TargetUnreachable: the runtime cannot be asked, or knows of no such instance.
    """
    return asyncio.run(_found(url, questions(url), log))


async def _found(url: str, asked: Questions, log: Path) -> Found:
    target = LocalTarget()
    try:
        output = await target.run(Command(argv=asked.about, timeout=_PATIENCE))
        instance = _instance(url, asked.about, output)
        command = asked.before if instance.previous and asked.before else asked.log
        await _copied(target, command, log)
    finally:
        await target.close()
    argv = instance.argv
    if not instance.whole:
        argv = (*entrypoint_of(instance.image, argv[0] if argv else "-").words, *argv)
    launch = Launch(argv=argv, env=instance.env, cwd=instance.cwd, target=url)
    words = (f"asked the runtime: {shlex.join(asked.about)}; {shlex.join(command)}", instances.told(instance))
    return Found(launch, as_signal(instance.exit_status), instance.running, instances.signs_of(instance), words)


def _instance(url: str, argv: tuple[str, ...], output: Output) -> Instance:
    if output.failure or output.status != 0:
        said = " ".join((output.stderr or output.failure).split())[-300:]
        raise TargetUnreachable(f"{url}: {shlex.join(argv)} failed: {said or f'status {output.status}'}")
    try:
        if argv[0] == "kubectl":
            return instances.of_pod(output.stdout, pod.place_in(url).container)
        return instances.of_inspect(output.stdout)
    except Unreadable as error:
        raise TargetUnreachable(f"{url}: the answer of {shlex.join(argv)} cannot be used: {error}") from error


async def _copied(target: LocalTarget, command: tuple[str, ...], log: Path) -> None:
    """Write what a command prints on both streams, in order, to `log`; a log that cannot be had is an empty one."""
    started = await target.start(Start(argv=command, mark=f"log-{secrets.token_hex(6)}"))
    for _ in range(_POLLS):
        if started.failure or (await target.poll(started)).status is not None:
            break
        await asyncio.sleep(_PATIENCE / _POLLS)
    with log.open("wb") as file:
        offset = 0
        while not started.failure and offset < _MOST and (look := await target.read(started.log, offset, _STEP)).data:
            file.write(look.data)
            offset += len(look.data)
    await target.end(started, 0.0)
