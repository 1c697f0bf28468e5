"""A verdict brought to where somebody looks: a file (Kubernetes' termination message), and what a URL names (chat, mail, a webhook)."""

from pathlib import Path

from agent.report import verdict
from transcripts.errors import UsageError
from transcripts.records import Diagnosis

LONGEST = 4096
"""Bytes of a termination message that Kubernetes keeps."""


def text_of(diagnosis: Diagnosis, folder: str) -> str:
    """The verdict as plain text, its log lines made harmless, as long as a termination message may be."""
    text = "\n".join(line.text for line in verdict(diagnosis, folder)) + "\n"
    return text.encode()[:LONGEST].decode(errors="ignore")


def to_file(text: str, path: Path) -> str:
    """Write the verdict into a file, which may be a mounted one; returns what went wrong (empty: nothing)."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        return f"the verdict cannot be written to {path}: {error.strerror or error}"
    return ""


def to_urls(text: str, title: str, urls: tuple[str, ...]) -> str:
    """Send the verdict to each URL (https://github.com/caronc/apprise names the kinds); returns what went wrong.

    Raises:
        UsageError: the library that sends is not installed.
    """
    if not urls:
        return ""
    try:
        import apprise  # noqa: PLC0415 - an extra, and slow to import
    except ImportError as error:
        raise UsageError("--notify needs the extra notify: pip install 'nostart[notify]'") from error
    sender = apprise.Apprise()
    refused = [number for number, url in enumerate(urls, 1) if not sender.add(url)]
    if refused:
        return f"--notify: URL number {refused[0]} is none that can be sent to"
    return (
        "" if sender.notify(body=text, title=title, body_format=apprise.NotifyFormat.TEXT) else "the verdict was not accepted by every --notify URL"
    )
