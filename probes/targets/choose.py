"""Which target a URL names: ``local``, ``ssh://USER@HOST:PORT``, ``docker://NAME``, ``k8s://NAMESPACE/POD/CONTAINER``.

Each kind is a module with a function ``made(url, run)``, imported by name when it is wanted: what it needs may be heavy. Making a target asks
nothing and connects nowhere; a URL that cannot be meant is a `UsageError`.
"""

import importlib
from collections.abc import Callable
from types import MappingProxyType
from typing import cast

from probes.targets.local import LocalTarget
from probes.targets.target import Target
from transcripts.errors import UsageError

LOCAL = "local"
KINDS: MappingProxyType[str, str] = MappingProxyType({"ssh": "probes.targets.ssh", "docker": "probes.targets.container", "k8s": "probes.targets.pod"})
"""The module of each scheme."""


def choose(url: str, run: str = "") -> Target:
    """The target that `url` names, serving the run of that name.

    Raises:
        UsageError: there is no such kind of target, or the URL lacks what it needs.
    """
    scheme, separator, _ = url.partition("://")
    if url == LOCAL:
        return LocalTarget(run)
    if not separator or scheme not in KINDS:
        raise UsageError(f"--target {url}: known are {LOCAL}, {', '.join(f'{kind}://…' for kind in KINDS)}")
    made = cast(Callable[[str, str], Target], importlib.import_module(KINDS[scheme]).made)
    return made(url, run)
