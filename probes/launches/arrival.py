"""What arrives at the server program: the values that `understand` (`probes.launches.understand`) makes of a launch."""

from msgspec import field

from transcripts.records import Layer, Record


class Word(Record, frozen=True, kw_only=True):
    """One word of the argv that arrives. `raw` is its text in the source with the quoting there, `source` is ``file:line`` (or empty).

    `meant` is what the person evidently wanted at this place where that differs (a whole JSON value, before a layer cut it); words
    that are pieces of the same meant value share `piece_of`, the index of the first of them (-1: a whole word).
    """

    text: str
    raw: str = ""
    source: str = ""
    meant: str = ""
    piece_of: int = -1


class Loss(Record, frozen=True, kw_only=True):
    """What one layer did to one value: `before` as meant, `after` the words it became, in `layer` (index into `Arrival.layers`).

    `kind`: ``split``, ``stripped``, ``expanded`` (braces), ``joined``, ``dollar`` (not expanded, or expanded to nothing), ``cut`` (the
    command ends here and the rest runs as another), ``altered``. `position` is the index of the first word in `Arrival.argv`.
    """

    kind: str
    layer: int
    before: str
    after: tuple[str, ...]
    position: int
    text: str = ""


class Problem(Record, frozen=True, kw_only=True):
    """Something that keeps a launch from being read whole: a line that does not parse, a script that cannot be read, a variable nobody sets."""

    text: str
    source: str = ""


class Arrival(Record, frozen=True, kw_only=True):
    """The launch as the server program will see it. `argv` is its predicted argv, the program word first; `meant` the argv that was
    evidently meant; `env` the assignments made on the way; `unset` the names taken away; `cwd` the folder changed to (None: unchanged).

    `trailing` are the commands that run after it in the same shell text (what a broken continuation cut off). `certain` is False when a part could
    not be predicted (a command substitution, an unknown variable); `problems` say why.
    """

    layers: tuple[Layer, ...] = ()
    words: tuple[Word, ...] = ()
    meant: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)
    unset: tuple[str, ...] = ()
    cwd: str | None = None
    losses: tuple[Loss, ...] = ()
    trailing: tuple[tuple[str, ...], ...] = ()
    problems: tuple[Problem, ...] = ()
    certain: bool = True

    @property
    def argv(self) -> tuple[str, ...]:
        """The predicted argv."""
        return tuple(word.text for word in self.words)
