"""Going on with a run that was killed or interrupted: what its transcript holds is answered from there, then the live world takes over.

The resumed run is a new one beside the old, which it names (`Request.resumed`): its transcript tells the whole story again, so a strict replay holds
for it as for any other. A run that was resumed before is followed back to the first, so that nothing which was ever answered is asked twice.
"""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
from msgspec import structs

from agent.ports import World
from agent.replay import RecordedWorld, RecordEnded
from agent.request import Request, Resumed
from probes.frameworks.framework import Framework
from transcripts import events
from transcripts.errors import TranscriptError, UsageError
from transcripts.journal import Clock, Transcript, is_being_written, load
from transcripts.records import Attempt, Command, Excerpt, Fix, Launch, Output, Question
from transcripts.redact import Vault

_LONGEST_CHAIN = 50


class Past:
    """A run that is over before its verdict, and those that it went on from itself, the newest first."""

    def __init__(self, folder: Path, request: Request, chain: tuple[Transcript, ...]) -> None:
        self.folder = folder
        self.run = folder.name
        self.request = request
        self.chain = chain

    @property
    def newest(self) -> Transcript:
        """The transcript that is gone on from."""
        return self.chain[0]

    @property
    def unfinished(self) -> int:
        """The number of the launch that must be made again: it was under way, or it was up and is to be left serving (0: none)."""
        recorded = [event for transcript in self.chain for event in transcript.events]
        started = {event.number for event in recorded if isinstance(event, events.AttemptStarted)}
        ended = {event.attempt.number: event.attempt.end for event in recorded if isinstance(event, events.AttemptEnded)}
        serving = {number for number, end in ended.items() if self.request.keep and end == "up"}
        return max((started - set(ended)) | serving, default=0)

    def hand_over(self, folder: Path) -> None:
        """Copy the logs and the corrected files of the earlier runs into the new run's `folder`.

        Raises:
            TranscriptError: they cannot be written there.
        """
        for transcript in reversed(self.chain):
            for name in ("logs", "files"):
                source = (transcript.folder or self.folder) / name
                if not source.is_dir():
                    continue
                try:
                    shutil.copytree(source, folder / name, dirs_exist_ok=True)
                except OSError as error:
                    raise TranscriptError(f"cannot copy {source} into {folder}: {error.strerror or error}") from error


def read(path: Path) -> Past:
    """The run of a transcript, as one that can be gone on with.

    Raises:
        TranscriptError: there is no such transcript.
        UsageError: its run still lives, came to its end by itself, or is none of a triage.
    """
    newest = load(path)
    folder = (newest.folder or path).resolve()
    if is_being_written(path):
        raise UsageError(f"the run {folder} is still going on: stop it first, or wait for it")
    last = newest.events[-1]
    if isinstance(last, events.RunEnded) and last.reason == "done":
        raise UsageError(f"the run {folder} came to its end: there is nothing to go on with. Read it with: nostart report {folder}")
    request = _request(newest, folder)
    chain = [newest]
    earlier = request.resumed
    while earlier is not None and len(chain) < _LONGEST_CHAIN and (folder.parent / earlier.run).is_dir():
        chain.append(load(folder.parent / earlier.run))
        earlier = _request(chain[-1], folder).resumed
    return Past(folder, request, tuple(chain))


def _request(transcript: Transcript, folder: Path) -> Request:
    first = transcript.events[0]
    if not isinstance(first, events.RunStarted) or first.verb not in ("triage", "check"):
        raise UsageError(f"{folder} is not the record of a triage: only such a run can be gone on with")
    try:
        return msgspec.json.decode(first.options.get("request", ""), type=Request)
    except msgspec.MsgspecError as error:
        raise UsageError(f"{folder} does not say what was asked of its run ({error}): start it again") from error


def secrets_again(past: Past, environment: Mapping[str, str]) -> Vault:
    """A vault with the secrets of the launch, taken from the environment by the names that stand for them in the record.

    Raises:
        UsageError: some are not set; their names are told.
    """
    vault = Vault()
    launch = past.request.launch
    if launch is not None:
        words = (*launch.argv, *launch.env.values(), launch.shell or "")
        used = [name for name in launch.secrets if any(f"${name}" in word for word in words)]
        lacking = [name for name in used if not environment.get(name)]
        if lacking:
            sets = " ".join(f"{name}=…" for name in lacking)
            raise UsageError(f"the launch holds secrets that no record keeps: set them again, as {sets} nostart triage --resume {past.folder}")
        for name in used:
            vault.learn(name, environment[name])
        for word in words:
            vault.reserve(word)
    vault.learn_environment(environment)
    return vault


def request(past: Past, leftovers: int, budget: float | None) -> Request:
    """What the new run is asked to do: the same, from where the old one was (`budget` in seconds, where another is given)."""
    log = past.request.log
    if log == "-" and not any(isinstance(event, events.LogRead) for transcript in past.chain for event in transcript.events):
        raise UsageError("the log came by stdin and was not read before the run was killed: give it again with nostart triage --log -")
    resumed = Resumed(
        run=past.run,
        events=len(past.newest.events),
        torn=past.newest.torn,
        leftovers=leftovers,
        unfinished=past.unfinished,
    )
    return structs.replace(past.request, resumed=resumed, budget=past.request.budget if budget is None else budget)


class ResumedWorld:
    """The recorded answers of a past run first, the live world behind them."""

    def __init__(self, past: Past, live: World) -> None:
        self._recorded = tuple(RecordedWorld(transcript) for transcript in past.chain)
        self._unfinished = past.unfinished
        self._live = live

    @property
    def clock(self) -> Clock:
        """The time of the run that goes on."""
        return self._live.clock

    async def ask(self, question: Question, command: Command) -> Output:
        """The recorded answer to this very command, else a live one."""
        for recorded in self._recorded:
            try:
                return await recorded.ask(question, command)
            except RecordEnded:
                continue
        return await self._live.ask(question, command)

    async def attempt(
        self, number: int, launch: Launch, framework: Framework | None, fix: Fix | None, reached: Callable[[str, float], None]
    ) -> tuple[Attempt, Excerpt]:
        """The recorded attempt of this number where it executed this launch to its end, else a live one."""
        for recorded in self._recorded if number != self._unfinished else ():
            try:
                return await recorded.attempt(number, launch, framework, fix, reached)
            except RecordEnded:
                continue
        return await self._live.attempt(number, launch, framework, fix, reached)

    async def read_log(self, path: str) -> Excerpt:
        """The log as it was read then, else as it is now."""
        for recorded in self._recorded:
            try:
                return await recorded.read_log(path)
            except RecordEnded:
                continue
        return await self._live.read_log(path)
