"""Judges public launch failures whose true cause is known: ``python -m evals.public_cases FILE.jsonl… > docs/public-cases.md``.

A case is one JSON object a line: ``id``, ``framework``, ``release``, ``causes`` (every id that is defensible), ``error_lines``, and ``argv`` or
``launch`` (a line as typed) and ``exit_status`` where known. Only these are given to the triage, as a person gives them: the lines as the log.
"""

import asyncio
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct

from agent.belief import ranking
from agent.cli.options import as_signal
from agent.loop import triage
from agent.reading.scan import scan
from agent.request import Request
from probes.frameworks.framework import Framework
from transcripts.errors import UsageError
from transcripts.journal import Clock, Journal, MemorySink
from transcripts.records import Attempt, Command, Diagnosis, Excerpt, Fix, Launch, Output, Question


class StillClock:
    """A clock that stands: a log costs no time."""

    def now(self) -> str:
        """The same time always."""
        return "2026-01-01T00:00:00.000Z"

    def seconds(self) -> float:
        """Nothing passes."""
        return 0.0


class LogWorld:
    """A world in which there is one log and nothing else to ask."""

    def __init__(self, log: bytes) -> None:
        self._log = log
        self._clock = StillClock()

    @property
    def clock(self) -> Clock:
        """The clock that stands."""
        return self._clock

    async def ask(self, question: Question, command: Command) -> Output:
        """Nobody can be asked."""
        return Output(failure="unreachable")

    async def attempt(
        self, number: int, launch: Launch, framework: Framework | None, fix: Fix | None, reached: Callable[[str, float], None]
    ) -> tuple[Attempt, Excerpt]:
        """Nothing can be launched."""
        raise UsageError("a public case is judged from its lines alone")

    async def read_log(self, path: str) -> Excerpt:
        """The case's lines."""
        return scan(io.BytesIO(self._log))


class Judged(Struct, frozen=True):
    """One case: its id, the causes that count as right, and what was said, with the three likeliest."""

    id: str
    causes: tuple[str, ...]
    top: tuple[tuple[str, float], ...]
    outcome: str

    @property
    def right(self) -> bool:
        """Whether the likeliest cause is one of those that count."""
        return bool(self.top) and self.top[0][0] in self.causes

    @property
    def among_three(self) -> bool:
        """Whether one of them is among the three likeliest."""
        return any(cause in self.causes for cause, _ in self.top)

    @property
    def confidently_wrong(self) -> bool:
        """Whether a wrong cause has a probability of 0.9 or more."""
        return bool(self.top) and not self.right and self.top[0][1] >= 0.9


def judge(case: dict[str, Any]) -> Judged:
    """What the triage makes of one case."""
    launch: Launch | None = None
    if case.get("argv"):
        launch = Launch(argv=tuple(case["argv"]))
    elif case.get("launch"):
        launch = Launch(argv=("bash", "-c", case["launch"]), shell=case["launch"])
    request = Request(
        verb="triage",
        launch=launch,
        framework=case.get("framework") or "",
        release=case.get("release") or "",
        log=case["id"],
        exit_status=as_signal(case.get("exit_status")),
        can_ask=False,
    )
    log = ("\n".join(case["error_lines"]) + "\n").encode()
    diagnosis: Diagnosis = asyncio.run(triage(request, LogWorld(log), Journal(MemorySink(), StillClock())))
    return Judged(case["id"], tuple(case["causes"]), ranking(diagnosis.belief)[:3], diagnosis.outcome)


def table(name: str, judged: list[Judged]) -> str:
    """The results of one file as Markdown: the sums, then case by case."""
    count = len(judged)
    right, three = sum(j.right for j in judged), sum(j.among_three for j in judged)
    wrong = sum(j.confidently_wrong for j in judged)
    head = f"## {name}\n\n{count} cases: {right} right, {three} among the first three, {wrong} wrong with a probability of 0.9 or more.\n\n"
    rows = [f"| {j.id} | {' or '.join(j.causes)} | {_said(j)} | {'yes' if j.right else '**no**'} |" for j in judged]
    return head + "| case | true cause | said | right |\n| --- | --- | --- | --- |\n" + "\n".join(rows) + "\n"


def _said(judged: Judged) -> str:
    return ", ".join(f"{cause} {probability:.2f}" for cause, probability in judged.top[:2]) + (
        "" if judged.outcome == "diagnosed" else " (undetermined)"
    )


def main(paths: list[str]) -> int:
    """Judge every case of the files and print the table; the exit status is 1 where a wrong cause was confident."""
    sys.stdout.write("# Public launch failures, case by case\n\n")
    sys.stdout.write("Printed by `python -m evals.public_cases`; the lines alone were given, and nothing could be asked.\n\n")
    confident = 0
    for path in paths:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
        judged = [judge(json.loads(line)) for line in lines if line.strip()]
        sys.stdout.write(table(Path(path).stem, judged) + "\n")
        confident += sum(j.confidently_wrong for j in judged)
    return 1 if confident else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
