"""Container commands taken apart: ``docker``, ``podman``, ``nerdctl``, with ``compose``."""

from collections.abc import Sequence
from dataclasses import dataclass

from probes.launches.layers.wrappers import skip_options
from probes.launches.words import words

_CLIENT_VALUED = words("-H --host -c --context --config -l --log-level -f --file -p --project-name")
_COMPOSE_VALUED = words("-f --file -p --project-name --profile --env-file")
_SWITCHES = words(
    "--detach --interactive --tty --rm --init --privileged --publish-all --read-only --no-healthcheck --oom-kill-disable --quiet "
    "--replace --tls-verify --disable-content-trust --sig-proxy --use-api-socket --systemd --no-hosts --env-host --http-proxy --rmi "
    "--no-hostname --passwd --latest --no-TTY --build --no-deps --service-ports --remove-orphans --use-aliases"
)


@dataclass
class Container:
    """A ``docker run`` or ``exec`` taken apart: `inner` is where the words behind the image (or the container's name) begin."""

    verb: str
    image: str
    inner: int
    env: tuple[str, ...] = ()
    env_files: tuple[str, ...] = ()
    entrypoint: str | None = None
    workdir: str | None = None


def split_container(argv: Sequence[str]) -> Container | None:
    """A ``docker``/``podman``/``nerdctl`` command that runs something; None for any other."""
    at = skip_options(argv, 1, _CLIENT_VALUED)
    if argv[at : at + 1] in (["container"], ["compose"]):
        at = skip_options(argv, at + 1, _COMPOSE_VALUED)
    if at >= len(argv) or argv[at] not in ("run", "exec", "create"):
        return None
    found = Container(argv[at], "", 0)
    at += 1
    while at < len(argv) and argv[at].startswith("-"):
        if argv[at] == "--":
            at += 1
            break
        name, value, at = _option(argv, at)
        _note(found, name, value)
    if at >= len(argv):
        return None
    found.image, found.inner = argv[at], at + 1
    return found


def _option(argv: Sequence[str], at: int) -> tuple[str, str, int]:
    word = argv[at]
    following = argv[at + 1] if at + 1 < len(argv) else ""
    if word.startswith("--"):
        name, equals, value = word.partition("=")
        if equals or name in _SWITCHES:
            return name, value, at + 1
        return name, following, at + 2
    cluster = word[1:].lstrip("itdPqT")
    if not cluster:
        return word, "", at + 1
    if len(cluster) > 1:
        return "-" + cluster[0], cluster[1:].removeprefix("="), at + 1
    return "-" + cluster, following, at + 2


def _note(found: Container, name: str, value: str) -> None:
    if name in ("-e", "--env"):
        found.env += (value,)
    elif name == "--env-file":
        found.env_files += (value,)
    elif name == "--entrypoint":
        found.entrypoint = value
    elif name in ("-w", "--workdir"):
        found.workdir = value
