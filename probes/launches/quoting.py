"""Writing words so that a shell reads them back unchanged."""

import shlex
from collections.abc import Iterable, Mapping


def quoted(words: Iterable[str]) -> str:
    """`words` as one line of POSIX shell (bash, dash, zsh read it alike)."""
    return " ".join(quote_word(word) for word in words)


def quote_word(word: str) -> str:
    """One word for a POSIX shell. A word with a leading ``~``, braces or ``!`` is quoted too (`shlex.quote` sees to that)."""
    return shlex.quote(word)


def quote_for(language: str, word: str) -> str:
    """One word as it is written in `language`: ``python`` a string literal, otherwise shell."""
    return repr(word) if language == "python" else quote_word(word)


def assignments(env: Mapping[str, str]) -> tuple[str, ...]:
    """``NAME=value`` with the value quoted, for the front of a shell line."""
    return tuple(f"{name}={quote_word(value)}" for name, value in env.items())
