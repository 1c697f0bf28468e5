"""The clock of a live run. A replay has the recorded times instead."""

import time
from datetime import UTC, datetime


class SystemClock:
    """The time of this machine."""

    def now(self) -> str:
        """The time of day in RFC 3339, UTC, to the millisecond: ``2026-12-01T16:28:20.123Z``."""
        return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def seconds(self) -> float:
        """Monotonic seconds since an arbitrary start."""
        return time.monotonic()
