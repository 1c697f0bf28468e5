"""The recorded logs of this folder: real output of the frameworks, trimmed, each with what it proves beside it."""

import tomllib
from pathlib import Path
from typing import Any

from msgspec import Struct

FOLDER = Path(__file__).parent


class Sample(Struct, frozen=True):
    """One log: `decisive` are the numbers of the lines that carry its root cause (none: it came up), `truth` the rest of its file."""

    framework: str
    name: str
    data: bytes
    decisive: tuple[int, ...]
    truth: dict[str, Any]

    @property
    def exit_status(self) -> int | None:
        """The exit status of the launch; None where it was still running."""
        return self.truth.get("exit")


def samples() -> list[Sample]:
    """All logs, in the order of their names."""
    found = []
    for path in sorted(FOLDER.glob("*/*.log")):
        truth = tomllib.loads(path.with_suffix(".toml").read_text())
        found.append(Sample(path.parent.name, path.stem, path.read_bytes(), tuple(truth["decisive"]), truth))
    return found
