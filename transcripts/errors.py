"""Every exception that nostart raises on purpose.

::

    NostartError                     a message for a person: what was tried, where, and what to do
    ├── UsageError (ValueError)      the command line or an input file is at fault          exit 2
    ├── TargetUnreachable (OSError)  the target cannot be asked at all                      exit 3
    └── TranscriptError (OSError)    the record cannot be written or read                   exit 4
        └── ReplayDiverged           a strict replay differs from its transcript            exit 4

A look that failed is a value (`transcripts.records.Outcome`), never one of these. A bug is none of these either: it is not caught.
"""


class NostartError(Exception):
    """The root: its text is shown to the person as it stands, without a traceback."""

    exit_status = 2


class UsageError(NostartError, ValueError):
    """The command line, or a file it names, cannot be used as given."""


class TargetUnreachable(NostartError, OSError):
    """The target cannot be asked at all, after the retries of its transport."""

    exit_status = 3


class TranscriptError(NostartError, OSError):
    """The transcript cannot be written, or what should be one cannot be read."""

    exit_status = 4


class ReplayDiverged(TranscriptError):
    """A strict replay reached another event than the recorded one; the text shows both."""
