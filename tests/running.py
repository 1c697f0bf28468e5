"""nostart run as a person runs it: in a process of its own, its JSON document held to the schema."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import msgspec

ROOT = Path(__file__).parents[1]
SCHEMA = json.loads((ROOT / "docs" / "nostart.schema.json").read_text())
PROGRAM = Path(sys.executable).with_name("nostart")


class Run(msgspec.Struct, frozen=True):
    """One run of nostart: its exit status, its JSON document and what it said on stderr."""

    status: int
    document: dict[str, Any]
    stderr: str

    @property
    def cause(self) -> str:
        """The id of the cause, or an empty text."""
        return str(self.document["cause"]["id"]) if self.document["cause"] else ""

    @property
    def also(self) -> list[str]:
        """The ids of the other faults, sorted."""
        return sorted(str(item["id"]) for item in self.document["also"])

    @property
    def solved(self) -> list[str]:
        """The ids of the faults that a relaunch confirmed, sorted."""
        return sorted(str(item["id"]) for item in self.document["solved"])

    @property
    def probabilities(self) -> dict[str, float]:
        """The ranking as a mapping."""
        return {item["id"]: item["probability"] for item in self.document["ranking"]}

    @property
    def argv(self) -> list[str]:
        """The fix's argv (empty where there is none)."""
        return list(self.document["fix"]["argv"] or []) if self.document["fix"] else []


def nostart(folder: Path, *arguments: str | Path, stdin: bytes = b"", environment: dict[str, str] | None = None) -> Run:
    """``nostart VERB --json …`` in `folder`, its transcripts under ``runs`` there; it must satisfy the schema and replay strictly."""
    verb, *rest = map(str, arguments)
    command = [str(PROGRAM), verb, "--json", "--transcripts", str(folder / "runs"), *rest]
    # a short temporary folder of its own shows what is left behind, and an unset VIRTUAL_ENV what the person activated
    variables = {**os.environ, "NO_COLOR": "1", **(environment or {})}
    variables = {name: value for name, value in variables.items() if name != "VIRTUAL_ENV" or (environment and name in environment)}
    done = subprocess.run(command, input=stdin, capture_output=True, env=variables, cwd=folder)
    assert done.stdout.strip(), done.stderr.decode(errors="replace")
    document = json.loads(done.stdout)
    jsonschema.validate(document, SCHEMA)
    run = Run(done.returncode, document, done.stderr.decode(errors="replace"))
    complaint = replays_strictly(run)
    assert not complaint, complaint
    return run


def replays_strictly(run: Run) -> str:
    """What a strict replay of the run's transcript complains of (empty: every byte is as recorded)."""
    done = subprocess.run([PROGRAM, "replay", "--strict", run.document["transcript"]], capture_output=True, text=True)
    return "" if done.returncode in (0, 10, 11) else done.stdout + done.stderr
