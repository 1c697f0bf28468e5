"""How this machine reaches its package index: the settings of its own pip, as ``pip config`` tells them (files and ``PIP_*`` variables together)."""

import ast
import subprocess
import sys
from collections.abc import Callable, Mapping

from msgspec import Struct

from transcripts.errors import NostartError

DEFAULT_INDEX = "https://pypi.org/simple/"
_SECTIONS = ("global", "install", "download", ":env:")


class RegistryError(NostartError, OSError):
    """The package index, or a file of it, cannot be had; the text says what was tried and what to do."""

    exit_status = 3


class Settings(Struct, frozen=True, kw_only=True):
    """What pip is told: the indexes in order, folders or pages of `find_links`, trust, the proxy, and `timeout` in seconds."""

    index_urls: tuple[str, ...] = (DEFAULT_INDEX,)
    find_links: tuple[str, ...] = ()
    trusted_hosts: tuple[str, ...] = ()
    cert: str = ""
    client_cert: str = ""
    proxy: str = ""
    timeout: float = 15.0


def settings_of(text: str) -> Settings:
    """The settings in the output of ``pip config list``: later sections win, as pip has it (global, the command's own, the environment)."""
    told: dict[str, dict[str, str]] = {}
    for line in text.splitlines():
        name, equals, value = line.partition("=")
        section, dot, key = name.strip().rpartition(".")
        if equals and dot and section in _SECTIONS:
            told.setdefault(section, {})[key.replace("_", "-")] = _unquoted(value)
    found: dict[str, str] = {}
    for section in _SECTIONS:
        found.update(told.get(section, {}))
    return _settings(found)


def _settings(found: Mapping[str, str]) -> Settings:
    main = () if found.get("no-index", "").lower() in ("1", "true", "yes", "on") else (found.get("index-url") or DEFAULT_INDEX,)
    try:
        timeout = float(found.get("timeout") or found.get("default-timeout") or 15)
    except ValueError:
        timeout = 15.0
    return Settings(
        index_urls=(*main, *found.get("extra-index-url", "").split()),
        find_links=tuple(found.get("find-links", "").split()),
        trusted_hosts=tuple(found.get("trusted-host", "").split()),
        cert=found.get("cert", ""),
        client_cert=found.get("client-cert", ""),
        proxy=found.get("proxy", ""),
        timeout=timeout,
    )


def _unquoted(value: str) -> str:
    """A value as ``pip config list`` prints it: a Python string."""
    try:
        return str(ast.literal_eval(value.strip()))
    except (ValueError, SyntaxError):
        return value.strip()


def pip_config() -> str:
    """The output of ``pip config list`` of this Python.

    Raises:
        RegistryError: there is no pip in this environment, or it fails.
    """
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "config", "list"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise RegistryError(f"pip's settings cannot be read: {' '.join(command)} says {said[-1] if said else 'nothing'}; install nostart[atlas]")
    return done.stdout


def machine_settings(read: Callable[[], str] = pip_config) -> Settings:
    """The settings of this machine's pip."""
    return settings_of(read())
