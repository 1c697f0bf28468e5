"""Damages recorded logs from a seed and reads them: ``python -m evals.fuzz [COUNT]`` (10,000) says how many were read, and at what pace.

Bytes are flipped, lines cut, dropped, doubled and mixed with those of another log, and text of other encodings put between. The reader must answer
whatever the bytes are; a failure ends the run with its traceback, and the seed that gives it again.
"""

import io
import sys
import time
from pathlib import Path
from random import Random

import click

from agent.reading.scan import scan
from agent.reading.symptom import read_symptom
from probes.frameworks.catalogue import FRAMEWORKS

LOGS = Path(__file__).resolve().parents[1] / "tests" / "frameworks"
COUNT = 10_000
LONGEST = 12_000
"""Bytes of a recorded log that are taken, from its end."""
ENCODINGS = ("utf-16", "utf-16-le", "latin-1", "shift_jis", "utf-8")
WORDS = "Fehler: Datei nicht gefunden – 错误：显存不足 ошибка"
STATUSES = (None, 0, 1, 2, -9, 137, 143, 139)


def recorded() -> list[bytes]:
    """The ends of all recorded logs, in the order of their names."""
    return [path.read_bytes()[-LONGEST:] for path in sorted(LOGS.glob("*/*.log"))]


def damaged(logs: list[bytes], seed: int) -> bytes:
    """One damaged log, the same for the same seed."""
    chance = Random(seed)  # noqa: S311 - damage, no secret
    data = bytearray(chance.choice(logs))
    for _ in range(chance.choice((0, 1, 5, 60))):
        data[chance.randrange(len(data))] ^= chance.randrange(1, 256)
    lines = bytes(data).split(b"\n")
    if chance.random() < 0.5:
        lines = lines[chance.randrange(len(lines)) :]
    if chance.random() < 0.5:
        lines = lines[: chance.randrange(len(lines)) + 1]
    if chance.random() < 0.3:
        lines = [line for line in lines if chance.random() < 0.8]
    if chance.random() < 0.3:
        lines = [line[: chance.randrange(len(line) + 1)] for line in lines]
    if chance.random() < 0.3:
        lines = _mixed(lines, chance.choice(logs).split(b"\n")[:40], chance)
    if chance.random() < 0.4:
        lines.insert(chance.randrange(len(lines) + 1), WORDS.encode(chance.choice(ENCODINGS), "replace"))
    if chance.random() < 0.1:
        lines.insert(chance.randrange(len(lines) + 1), chance.randbytes(chance.randrange(400)))
    return chance.choice((b"\n", b"\n", b"\n", b"\r\n", b"\r")).join(lines)


def _mixed(lines: list[bytes], others: list[bytes], chance: Random) -> list[bytes]:
    """Both logs in one, each in its own order."""
    mixed = list(lines)
    at = 0
    for line in others:
        at = chance.randint(at, len(mixed))
        mixed.insert(at, line)
    return mixed


def read(data: bytes, seed: int) -> None:
    """Read one log as a person may hand it over: with a framework or without, with an exit status or without, ended or not."""
    framework = (*FRAMEWORKS, None)[seed % (len(FRAMEWORKS) + 1)]
    read_symptom(scan(io.BytesIO(data)), framework, exit_status=STATUSES[seed % len(STATUSES)], ended=seed % 5 != 0)


def run(count: int) -> str:
    """Read `count` damaged logs, and say so; what makes the reader fail is raised as it is, with a note of its seed."""
    logs = recorded()
    began = time.perf_counter()
    for seed in range(count):
        try:
            read(damaged(logs, seed), seed)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError, RuntimeError) as error:
            error.add_note(f"the damaged log of seed {seed}")
            raise
    return f"{count} damaged logs read without a failure, {count / (time.perf_counter() - began):.0f} a second"


if __name__ == "__main__":
    click.echo(run(int(sys.argv[1]) if len(sys.argv) > 1 else COUNT))
