"""What a reader recognises in an error: the value of the variable ``error`` with its parameters."""

from msgspec import Struct, field

OTHER = "other"


class Kind(Struct, frozen=True):
    """One value of ``error``. `line` is the index, within the message, of the line that says it; `wants_json` tells how to read the value's shape.

    `parser` marks errors of the argument parser: they end the program at once and need no phase.
    """

    value: str
    parameters: dict[str, str] = field(default_factory=dict)
    line: int = 0
    parser: bool = False
    wants_json: bool = False

    @property
    def specific(self) -> bool:
        """Whether it names a kind of error at all."""
        return self.value != OTHER
