"""The live world: questions, launches and logs answered by a real target."""

import sys
from collections.abc import Callable
from pathlib import Path

import msgspec

from agent.launcher import Launcher, Scan
from agent.preparing import revealed
from agent.reading.scan import scan as scan_log
from agent.watching import Limits
from probes.frameworks.framework import Framework
from probes.guard import refusal
from probes.targets.choose import LOCAL
from probes.targets.local import LocalTarget
from probes.targets.target import Target
from transcripts.errors import UsageError
from transcripts.journal import Clock
from transcripts.records import Attempt, Command, Excerpt, Fix, Launch, Output, Question
from transcripts.redact import Vault


class LiveWorld:
    """The `World` of a run that really happens, on `target` (default: this machine), with its files in `folder`.

    `keep` leaves a launch that is up serving; `ready_url` and `hang_seconds` are a person's own ideas of up and of a hang.
    """

    def __init__(
        self,
        *,
        folder: Path,
        clock: Clock,
        vault: Vault,
        keep: bool = False,
        ready_url: str = "",
        hang_seconds: float | None = None,
        target: Target | None = None,
        scan: Scan = scan_log,
    ) -> None:
        self._target = target or LocalTarget(folder.name)
        self._known = self._target.name == LOCAL
        self._clock = clock
        self._vault = vault
        self._scan = scan
        limits = Limits(hang=hang_seconds, ready_url=ready_url)
        self._launcher = Launcher(self._target, clock, vault, folder, limits, scan=scan, keep=keep)

    @property
    def clock(self) -> Clock:
        """The time of this run."""
        return self._clock

    async def ask(self, question: Question, command: Command) -> Output:
        """Run a probe's command on the target with its secrets revealed; they are hidden again in the output."""
        refused = refusal(command)
        if refused:
            raise AssertionError(f"the probe {question.probe} would not be read-only: {refused}")
        await self._introduced()
        output = await self._target.run(self._real(command))
        return msgspec.structs.replace(
            output,
            stdout=self._vault.hide(output.stdout),
            stderr=self._vault.hide(output.stderr),
            seconds=round(output.seconds, 3),
        )

    async def attempt(
        self, number: int, launch: Launch, framework: Framework | None, fix: Fix | None, reached: Callable[[str, float], None]
    ) -> tuple[Attempt, Excerpt]:
        """Execute a launch by the launcher."""
        await self._introduced()
        return await self._launcher.attempt(number, launch, framework, fix, reached)

    async def serve_until_interrupted(self, show: Callable[[str], None] | None = None) -> int:
        """Leave the kept launch serving until it exits or a signal asks to stop; returns its exit status (0: nothing was kept)."""
        return await self._launcher.serve_until_interrupted(show)

    async def close(self) -> None:
        """End what still runs and remove what was placed on the target. To be called on every way out."""
        try:
            await self._launcher.close()
        finally:
            await self._target.close()

    async def read_log(self, path: str) -> Excerpt:
        """Read a log that a person gave (``-`` is stdin); its secrets are hidden.

        Raises:
            UsageError: there is no such file, or it cannot be read.
        """
        try:
            excerpt = self._scan(sys.stdin.buffer, None) if path == "-" else self._scanned(Path(path))
        except (OSError, ValueError) as error:
            raise UsageError(
                f"cannot read the log {path}: {getattr(error, 'strerror', None) or error}; name a file that holds the launch's output, or - for stdin"
            ) from error
        pieces = tuple(msgspec.structs.replace(piece, text=self._vault.hide(piece.text)) for piece in excerpt.pieces)
        return msgspec.structs.replace(excerpt, pieces=pieces)

    async def _introduced(self) -> None:
        """Learn the secrets in the environment of another place before anything of it is recorded; ours are known already."""
        if self._known:
            return
        self._known = True
        output = await self._target.run(Command(argv=("env", "-0")))
        words = (word.partition("=") for word in output.stdout.split("\0"))
        self._vault.learn_environment({name: value for name, equals, value in words if equals})

    def _scanned(self, path: Path) -> Excerpt:
        with path.open("rb") as file:
            return self._scan(file, None)

    def _real(self, command: Command) -> Command:
        names = self._vault.names
        return msgspec.structs.replace(
            command,
            argv=tuple(revealed(word, names, self._vault) for word in command.argv),
            stdin=revealed(command.stdin, names, self._vault),
            env={name: revealed(value, names, self._vault) for name, value in command.env.items()},
        )
