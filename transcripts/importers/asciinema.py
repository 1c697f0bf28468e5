"""asciinema's recordings, asciicast v2 and v3: a JSON header, then one event a line: ``[time, code, data]``.

In v2 a time is that since the recording began, in v3 that since the event before. Output (``o``) is what the terminal showed; lines that begin with
``#`` are comments. What was typed is in the output as the shell echoed it, so the prompts of the shell tell the commands.
"""

import json
from collections.abc import Iterator

from msgspec import structs

from transcripts.errors import UsageError
from transcripts.importers.session import Session, Step, instant, mapping
from transcripts.importers.shell_log import placed, statuses
from transcripts.importers.terminal import shown


def read(data: bytes) -> Session:
    """The steps of a recording.

    Raises:
        UsageError: it is no recording of version 2 or 3, or no prompt is recognised in it.
    """
    first, _, rest = data.decode("utf-8", "replace").partition("\n")
    try:
        header = mapping(json.loads(first))
    except ValueError:
        header = {}
    version = header.get("version")
    if version not in (2, 3):
        raise UsageError("this is no recording of asciinema: its first line is no header of version 2 or 3")
    skipped: list[int] = []
    lines = shown(_outputs(rest, version == 3, skipped))
    steps = tuple(statuses([_at(step, seconds, header.get("timestamp")) for step, seconds in placed(lines)]))
    if not steps:
        raise UsageError("no prompt is recognised in this recording: commands are told from output by the shell's prompt")
    return Session(format="asciinema", steps=steps, skipped=len(skipped))


def _outputs(text: str, relative: bool, skipped: list[int]) -> Iterator[tuple[float, str]]:
    now = 0.0
    for number, line in enumerate(text.split("\n"), 2):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            event = json.loads(line)
        except ValueError:
            skipped.append(number)
            continue
        if not isinstance(event, list) or len(event) != 3 or not isinstance(event[0], int | float) or not isinstance(event[2], str):
            skipped.append(number)
            continue
        now = now + event[0] if relative else float(event[0])
        if event[1] == "o":
            yield now, event[2]


def _at(step: Step, seconds: float, began: object) -> Step:
    start = began if isinstance(began, int | float) and not isinstance(began, bool) else 0
    return structs.replace(step, at=instant(start + seconds) if start else "")
