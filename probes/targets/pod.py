"""A container of a running pod as a target: ``k8s://NAMESPACE/POD/CONTAINER``, through ``kubectl exec``."""

import re

from msgspec import Struct

from probes.targets.exec_stream import ExecTransport
from probes.targets.remote.client import Patience
from probes.targets.remote.target import RemoteTarget
from transcripts.errors import UsageError

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")


class Place(Struct, frozen=True):
    """A namespace, a pod in it, and a container of that (empty: its only or first one)."""

    namespace: str
    pod: str
    container: str = ""

    @property
    def url(self) -> str:
        """As the command line names it."""
        return "k8s://" + "/".join(filter(None, (self.namespace, self.pod, self.container)))


def made(url: str, run: str, patience: Patience | None = None) -> RemoteTarget:
    """The target of a ``k8s://`` URL.

    Raises:
        UsageError: it is none.
    """
    place = place_in(url)
    container = ("-c", place.container) if place.container else ()
    words = ("kubectl", "exec", "-i", "-n", place.namespace, place.pod, *container, "--")
    return RemoteTarget(ExecTransport(place.url, words), run, patience)


def place_in(url: str) -> Place:
    """The pod's container that a URL names.

    Raises:
        UsageError: it names none.
    """
    names = url.partition("://")[2].split("/")
    if len(names) not in (2, 3) or not all(_NAME.fullmatch(name) for name in names):
        raise UsageError(f"--target {url}: write it as k8s://NAMESPACE/POD/CONTAINER")
    return Place(*names)
