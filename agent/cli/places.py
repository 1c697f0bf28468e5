"""Where nostart keeps things. Light: a command that works must not wait for more."""

from collections.abc import Mapping
from pathlib import Path


def transcripts_folder(given: Path | None, environment: Mapping[str, str]) -> Path:
    """Where transcripts are kept: as given, else ``$XDG_STATE_HOME/nostart``, else ``~/.local/state/nostart``."""
    if given is not None:
        return given.absolute()
    state = environment.get("XDG_STATE_HOME", "")
    base = Path(state) if state.startswith("/") else Path.home() / ".local" / "state"
    return base / "nostart"
