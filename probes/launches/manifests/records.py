"""What reading a manifest gives: the words of the command as the format makes them, and where they stand in the file."""

from msgspec import Struct, field

from probes.launches.arrival import Problem
from transcripts.records import Fault, Layer


class Written(Struct, frozen=True, kw_only=True):
    """One word of the command. `raw` is its text in the file, `kept` the same with its quotes; `start` and `stop` its span there (-1: not in it).

    `wrong` says that it must be written differently even where its text stays (a number where only text is taken); `vanished` are the names of
    variables in it that nobody sets; a `gone` word was nothing but such, and does not arrive at all.
    """

    text: str
    raw: str = ""
    kept: str = ""
    line: int = 0
    start: int = -1
    stop: int = -1
    wrong: bool = False
    vanished: tuple[str, ...] = ()
    gone: bool = False


class Section(Struct, frozen=True, kw_only=True):
    """A part of the file that gives `count` words from `first` on; its value spans `start` to `stop`.

    `form`: ``block`` a YAML list, one item a line; ``flow`` a list in brackets; ``text`` one text that is split into words; ``scalar`` one text where
    only a list is taken; ``word`` one text that is one word (a shell's). `style` is the YAML quoting (``'``, ``"``, ``>``, ``|`` or empty).
    `key` is the span of the field's name, `column` its column. `repaired` is a text for the whole span that is sure to be what was meant.
    """

    form: str
    start: int
    stop: int
    first: int
    count: int
    style: str = ""
    key: tuple[int, int] = (-1, -1)
    column: int = 0
    repaired: str | None = None


class Manifest(Struct, frozen=True, kw_only=True):
    """The command of one part of a file. `entrypoint` is the number of words that come from the image and not from the file.

    `env` is what the file sets for the program, `hidden` the names among it whose values stand elsewhere (a Kubernetes Secret).
    `variables` are the spans of the values of `env` in the file. `variants` are whole texts of the file with one structural mistake undone,
    `repairs` corrections (start, stop, text) that have nothing to do with the words.
    """

    layer: Layer
    part: str = ""
    words: tuple[Written, ...] = ()
    sections: tuple[Section, ...] = ()
    entrypoint: int = 0
    image: str = ""
    env: dict[str, str] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()
    variables: dict[str, tuple[int, int]] = field(default_factory=dict)
    cwd: str | None = None
    faults: tuple[Fault, ...] = ()
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    repairs: tuple[tuple[int, int, str], ...] = ()
    certain: bool = True

    @property
    def argv(self) -> tuple[str, ...]:
        """The command as the runtime executes it, the image's own words included."""
        return tuple(word.text for word in self.words if not word.gone)
