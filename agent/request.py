"""What a triage is asked to do: the options of the command line as one value."""

from typing import Literal

from transcripts.records import Launch, Record, Sign


class Resumed(Record, frozen=True, kw_only=True):
    """Where a run goes on from: the earlier `run` (the name of its folder), which was killed or interrupted after `events` events.

    `torn` says that its last line was cut and is dropped, `leftovers` how many processes of it were found and ended. `unfinished` is the number of
    the launch that was under way and is launched again (0: none).
    """

    run: str
    events: int
    torn: bool = False
    leftovers: int = 0
    unfinished: int = 0

    @property
    def told(self) -> str:
        """What a person is told of it, in a sentence."""
        torn = "; its last line was torn and is dropped" if self.torn else ""
        ended = f"; {self.leftovers} processes that it left were ended" if self.leftovers else ""
        return f"goes on from {self.run}: what its {self.events} events hold is not asked or launched again{torn}{ended}"


class Request(Record, frozen=True, kw_only=True):
    """One job for `agent.loop.triage`.

    `verb` ``check`` stops before any launch. `launch` is None when only a log is given. `framework` and `release` are what the person believes:
    evidence, not fact. `log` is the path of a given log (``-``: stdin) and `exit_status` what its launch ended with (negative: a signal).
    `check` False launches at once; `fix` relaunches, at most `max_launches` times and for `budget` seconds (None: no limit); `keep` leaves what
    came up running. `threshold` is the probability at which a verdict is reported. `can_ask` is False where no target can be asked.
    `seed` is for a strategy that draws lots. `cut` says that the log may miss its head or its tail; `resumed` where the run goes on from.
    `runtime` is what a container runtime says of the end of a log's launch, `asked` what it was asked for that, and what it told.
    """

    verb: Literal["triage", "check", "run"]
    launch: Launch | None = None
    framework: str = ""
    release: str = ""
    log: str | None = None
    exit_status: int | None = None
    check: bool = True
    fix: bool = False
    keep: bool = False
    max_launches: int = 4
    budget: float | None = None
    threshold: float = 0.8
    strategy: str = "information-gain"
    seed: int = 0
    can_ask: bool = True
    cut: bool = False
    resumed: Resumed | None = None
    runtime: tuple[Sign, ...] = ()
    asked: tuple[str, ...] = ()
