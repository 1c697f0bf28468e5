"""What a triage is asked to do: the options of the command line as one value."""

from typing import Literal

from transcripts.records import Launch, Record


class Request(Record, frozen=True, kw_only=True):
    """One job for `agent.loop.triage`.

    `verb` ``check`` stops before any launch. `launch` is None when only a log is given. `framework` and `release` are what the person believes:
    evidence, not fact. `log` is the path of a given log (``-``: stdin) and `exit_status` what its launch ended with (negative: a signal).
    `check` False launches at once; `fix` relaunches, at most `max_launches` times and for `budget` seconds (None: no limit); `keep` leaves what
    came up running. `threshold` is the probability at which a verdict is reported. `can_ask` is False where no target can be asked.
    `cut` says that the log may miss its head or its tail.
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
    can_ask: bool = True
    cut: bool = False
