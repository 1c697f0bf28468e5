"""What nostart runs by itself: all of it is recorded, and runtimes are only asked."""

from pathlib import Path

import pytest

from agent.cli.instance import questions
from agent.clock import SystemClock
from agent.loop import triage
from agent.request import Request
from agent.world import LiveWorld
from probes.targets.local import LocalTarget
from transcripts.events import QuestionAsked
from transcripts.journal import Journal, MemorySink
from transcripts.records import Command, Launch, Output
from transcripts.redact import Vault

ASKING = {"inspect", "logs", "get"}


class Noting(LocalTarget):
    """This machine, noting every command that is run on it."""

    def __init__(self) -> None:
        super().__init__()
        self.noted: list[tuple[str, ...]] = []

    async def run(self, command: Command) -> Output:
        """Note it and run it."""
        self.noted.append(command.argv)
        return await super().run(command)


async def test_every_command_is_in_the_transcript(tmp_path: Path) -> None:
    """A check of a start script runs a dozen commands; each stands in the record with its argv, in order, and there is no other."""
    script = tmp_path / "start.sh"
    script.write_text('#!/bin/bash\nexec vllm serve ./model --speculative-config {"method": "ngram"} --port 18417\n')
    script.chmod(0o755)
    target, sink = Noting(), MemorySink()
    world = LiveWorld(folder=tmp_path / "run", clock=SystemClock(), vault=Vault(), target=target)
    request = Request(verb="check", launch=Launch(argv=(str(script),), cwd=str(tmp_path)))
    try:
        journal = Journal(sink, world.clock)
        asked: list[tuple[str, ...]] = []
        journal.listen(lambda event: asked.append(event.command.argv) if isinstance(event, QuestionAsked) else None)
        await triage(request, world, journal)
    finally:
        await world.close()
    assert len(target.noted) > 4
    assert target.noted == asked


@pytest.mark.parametrize("url", ["docker://llm", "k8s://default/llm-0/server"])
def test_runtimes_are_only_asked(url: str) -> None:
    """Of a container or a pod nothing is wanted but its description and its logs."""
    commands = [words for words in questions(url) if words]
    assert len(commands) >= 2
    assert [] == [words for words in commands if words[1] not in ASKING]
