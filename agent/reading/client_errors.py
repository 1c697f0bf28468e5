"""What the command lines of container and cluster clients (docker, podman, kubectl, helm) print when they refuse an option. Pure."""

import json
import re

from agent.reading.kind import Kind

_LINE = re.compile(r"(?:(?:docker|podman|nerdctl|kubectl|helm|Error|error): )*unknown (?:shorthand )?flag: (?:'\w' in )?(?P<flag>-[^\s=]+)\s*$")


def is_client(text: str) -> bool:
    """Whether the line is such a client's refusal of an option."""
    return _LINE.match(text) is not None


def read_client(text: str) -> Kind:
    """The kind of the refusal; the parameter ``program`` says that no server was asked."""
    match = _LINE.match(text)
    flag = match["flag"] if match else ""
    return Kind("unrecognised", {"flag": flag, "value": flag, "tokens": json.dumps([flag]), "program": "client"}, parser=True)
