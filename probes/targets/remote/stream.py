"""The byte stream to a far side, as a kind of target provides it (an ssh session, an exec into a container)."""

from typing import Protocol


class Lost(Exception):
    """A fault of the transport that may pass: refused, reset, timed out. Worth another try."""


class Stream(Protocol):
    """The stdin and stdout of the helper that was started on the far side."""

    async def read(self) -> bytes:
        """What has come, at least one byte of it; nothing at its end.

        Raises:
            Lost: the connection broke.
        """
        ...

    def write(self, data: bytes) -> None:
        """Send; what cannot be sent any more is dropped, and `read` tells."""
        ...

    async def why(self) -> str:
        """After its end: what the far side said about it on stderr (empty: nothing, the connection just ended)."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


class Transport(Protocol):
    """How streams to one far side are made."""

    @property
    def name(self) -> str:
        """The target as the command line names it."""
        ...

    async def open(self, command: str) -> Stream:
        """A stream to `command`, run by the far side's login shell.

        Raises:
            Lost: not now.
            TargetUnreachable: it will not work at the next try either; its text says what to do.
        """
        ...

    async def close(self) -> None:
        """Close the connection."""
        ...
