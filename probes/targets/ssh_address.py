"""The address of an SSH target: ``ssh://USER@HOST:PORT``, with what a person's ssh options would add behind a ``?``."""

import re
from collections.abc import Sequence
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from msgspec import Struct

from transcripts.errors import UsageError

_HOST = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.:%-]*[A-Za-z0-9_])?")
_KEYS = {"config", "identity", "jump"}


class Address(Struct, frozen=True, kw_only=True):
    """Where to connect. What is empty or 0 is left to ``~/.ssh/config``, then to its defaults.

    `host` may be an alias of that file. `identity` is the path of a key, `config` of another configuration file, `jump` a host to go through.
    """

    host: str
    user: str = ""
    port: int = 0
    identity: str = ""
    config: str = ""
    jump: str = ""

    @property
    def url(self) -> str:
        """The address as the command line names it; two of one meaning read the same."""
        user = f"{quote(self.user, safe='')}@" if self.user else ""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = f":{self.port}" if self.port else ""
        extra = {name: value for name in sorted(_KEYS) if (value := getattr(self, name))}
        return f"ssh://{user}{host}{port}" + (f"?{urlencode(extra, safe='/~@:')}" if extra else "")

    @property
    def words(self) -> tuple[str, ...]:
        """The ``ssh`` command that connects there, for a person to paste."""
        options = (("-F", self.config), ("-i", self.identity), ("-J", self.jump), ("-p", str(self.port or "")))
        given = [word for option, value in options if value for word in (option, value)]
        return ("ssh", *given, f"{self.user}@{self.host}" if self.user else self.host)


def parse(url: str) -> Address:
    """The address that `url` names.

    Raises:
        UsageError: it is none; the text says how one is written.
    """
    try:
        parts = urlsplit(url)
        port = parts.port or 0
    except ValueError as error:
        raise UsageError(f"--target {url}: {error}; write it as ssh://USER@HOST:PORT") from error
    host = unquote(parts.hostname or "")
    # A host name is case-insensitive, an alias of ~/.ssh/config is not.
    at = parts.netloc.lower().find(host.lower()) if host else -1
    host = parts.netloc[at : at + len(host)] if at >= 0 else host
    if not _HOST.fullmatch(host):
        raise UsageError(f"--target {url}: it names no host; write it as ssh://USER@HOST:PORT")
    if parts.password is not None:
        raise UsageError("--target: no password in a URL, where every process list shows it: use a key, or an agent")
    if parts.path.strip("/") or parts.fragment:
        raise UsageError(f"--target {url}: nothing follows the host and the port but ?identity=FILE&config=FILE&jump=HOST")
    extra = dict(parse_qsl(parts.query, keep_blank_values=True))
    unknown = sorted(set(extra) - _KEYS)
    if unknown:
        raise UsageError(f"--target {url}: unknown {', '.join(unknown)}; known are {', '.join(sorted(_KEYS))}")
    return Address(host=host, user=unquote(parts.username or ""), port=port, **extra)


_VALUED = {"-p": "port", "-l": "user", "-i": "identity", "-F": "config", "-J": "jump"}
_PLAIN = frozenset({"-t", "-tt", "-T", "-n", "-q", "-x", "-X", "-A", "-a", "-C", "-4", "-6"})


def of_command(words: Sequence[str]) -> Address | None:
    """Where the ``ssh`` command `words` (its program, options and host) leads; None where it has an option that is not understood here."""
    found: dict[str, str] = {}
    rest = list(words[1:])
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        name, value = option[:2], option[2:]
        if option in _PLAIN:
            continue
        if name not in _VALUED or not (value or rest):
            return None
        found[_VALUED[name]] = value or rest.pop(0)
    if len(rest) != 1 or not found.get("port", "0").isdecimal():
        return None
    if rest[0].startswith("ssh://"):
        return parse(rest[0])
    user, _, host = rest[0].rpartition("@")
    port = int(found.pop("port", "0"))
    return Address(host=host, port=port, **({"user": user} | found if user else found))
