"""Plays on disk: an index that can be merged by concatenation, and a transcript each, which every command that reads transcripts can read.

::

    DIR/plays.jsonl                               one `Played` a line
    DIR/transcripts/SLUG.STRATEGY.SEED.jsonl      the transcript (nostart report, nostart replay)
    DIR/transcripts/blobs/HASH                    its long texts, shared by all
"""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from evals.playing import Job, Play, Played
from transcripts.errors import TranscriptError, UsageError
from transcripts.journal import Transcript, load

_INDEX = "plays.jsonl"


class Results:
    """The plays in `folder`. What a run that died had finished is there; a line that it tore is dropped and its play made again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.transcripts = folder / "transcripts"

    def plays(self) -> dict[Job, Played]:
        """Every play in the index; of two of the same job, the later one.

        Raises:
            UsageError: the index cannot be read.
        """
        path = self.folder / _INDEX
        try:
            data = path.read_bytes() if path.exists() else b""
            whole = data[: data.rfind(b"\n") + 1].splitlines()
            return {played.job: played for played in (msgspec.json.decode(line, type=Played) for line in whole if line.strip())}
        except (OSError, msgspec.MsgspecError) as error:
            raise UsageError(f"cannot read the results in {path}: {error}; run again with another --output") from error

    def keep(self, plays: Iterable[Play]) -> None:
        """Write the transcripts of plays, and then their lines of the index.

        Raises:
            TranscriptError: they cannot be written.
        """
        try:
            (self.transcripts / "blobs").mkdir(parents=True, exist_ok=True)
            lines = [self._written(play) for play in plays]
            path = self.folder / _INDEX
            with path.open("ab") as file:
                # what a run that died had torn is cut away: its play is made again
                file.truncate(path.read_bytes().rfind(b"\n") + 1)
                file.write(b"".join(lines))
        except OSError as error:
            raise TranscriptError(
                f"cannot write the results in {self.folder}: {error.strerror or error}; name another folder with --output"
            ) from error

    def _written(self, play: Play) -> bytes:
        for name, data in play.blobs.items():
            path = self.transcripts / "blobs" / name
            if not path.exists():
                path.write_bytes(data)
        (self.transcripts / play.played.name).write_bytes(b"".join(play.lines))
        return msgspec.json.encode(play.played) + b"\n"

    def transcript(self, played: Played) -> Transcript:
        """The transcript of a play."""
        return load(self.transcripts / played.name)
