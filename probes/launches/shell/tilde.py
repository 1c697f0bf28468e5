"""Tilde expansion."""

import re

from probes.launches.shell.fields import Part
from probes.launches.shell.scope import Scope

_ASSIGNED = re.compile(r"([A-Za-z_]\w*=)(~.*)\Z", re.DOTALL | re.ASCII)


def expand_tilde(parts: list[Part], scope: Scope, source: str, *, assignments: bool = False) -> list[Part]:
    """The parts of a word with a ``~`` at its start replaced; with `assignments`, behind ``NAME=`` too where the shell does so."""
    if not parts or parts[0].quoted or parts[0].splits or parts[0].items is not None:
        return parts
    if not parts[0].text.startswith("~"):
        match = _ASSIGNED.match(parts[0].text) if assignments and scope.shell == "bash" else None
        return [Part(match[1]), *expand_tilde([Part(match[2]), *parts[1:]], scope, source)] if match else parts
    user, slash, rest = parts[0].text[1:].partition("/")
    if user:
        scope.doubt(f"the home folder in {parts[0].text} is not known", source)
        return parts
    if not slash and len(parts) > 1:
        return parts
    home = scope.look_up("HOME")
    if home is None:
        scope.doubt("$HOME is not known here", source)
        return parts
    return [Part(home, quoted=True), *([Part(slash + rest)] if slash else []), *parts[1:]]
