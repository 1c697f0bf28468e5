"""How formats fill variables into their texts: compose's ``$NAME``, Kubernetes' ``$(NAME)``, systemd's ``$NAME`` and ``${NAME}``."""

import re
from collections.abc import Callable, Mapping

from msgspec import Struct

_COMPOSE = re.compile(
    r"\$(?:(?P<escaped>\$)|(?P<name>[A-Za-z_]\w*)|\{(?P<braced>[A-Za-z_]\w*)(?:(?P<operator>:?[-?+])(?P<word>(?:[^{}]|\{[^{}]*\})*))?\}|(?P<invalid>))"
)
_POD = re.compile(r"\$(?:\$|\((?P<name>[\w.-]+)\))")


class Filled(Struct, frozen=True):
    """A text with its variables filled in. `missing` are those that nobody sets, `invalid` says that the format refuses the text."""

    text: str
    missing: tuple[str, ...] = ()
    invalid: bool = False


def compose(text: str, environment: Mapping[str, str]) -> Filled:
    """What docker compose makes of `text`; a text that it refuses is left as it stands."""
    missing: list[str] = []
    if any(match["invalid"] is not None for match in _COMPOSE.finditer(text)):
        return Filled(text, invalid=True)

    def fill(match: re.Match[str]) -> str:
        if match["escaped"]:
            return "$"
        name = match["name"] or match["braced"]
        operator, word = match["operator"] or "", match["word"] or ""
        value = environment.get(name)
        given = value is not None and (value != "" or not operator.startswith(":"))
        if operator.endswith("-"):
            return value if given and value is not None else compose(word, environment).text
        if operator.endswith("+"):
            return compose(word, environment).text if given else ""
        if value is None:
            missing.append(name)
        return value or ""

    return Filled(_COMPOSE.sub(fill, text), tuple(dict.fromkeys(missing)))


def compose_names(text: str) -> tuple[str, ...]:
    """The names of the variables that compose fills into `text`."""
    found = (match["name"] or match["braced"] for match in _COMPOSE.finditer(text))
    return tuple(dict.fromkeys(name for name in found if name))


def compose_escaped(text: str) -> str:
    """`text` as compose must read it to arrive as it is."""
    return text.replace("$", "$$")


def pod(text: str, value_of: Callable[[str], str | None]) -> str:
    """What Kubernetes makes of an argument: ``$(NAME)`` is filled in where the container has the variable, ``$$`` becomes ``$`` before a bracket."""

    def fill(match: re.Match[str]) -> str:
        name = match["name"]
        if name is None:
            return "$"
        value = value_of(name)
        return match[0] if value is None else value

    return _POD.sub(fill, text)


def pod_escaped(text: str) -> str:
    """`text` as Kubernetes must read it to arrive as it is."""
    return re.sub(r"\$(?=[$(])", "$$", text)
