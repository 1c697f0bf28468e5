"""Writing words so that a shell reads them back unchanged."""

import re
import shlex
from collections.abc import Collection, Iterable, Mapping

_SPECIAL = re.compile(r'(["\\`!])')


def quote_word(word: str, secrets: Collection[str] = ()) -> str:
    """One word for a POSIX shell. A word that names a secret (``$NAME``) stays expandable, in double quotes."""
    if any(re.search(rf"\${re.escape(name)}(?!\w)", word) for name in secrets):
        return '"' + _keep_secrets(word, secrets) + '"'
    return shlex.quote(word)


def _keep_secrets(word: str, secrets: Collection[str]) -> str:
    names = "|".join(re.escape(name) for name in sorted(secrets, key=len, reverse=True))
    parts = re.split(rf"(\$(?:{names})(?!\w))", word)
    return "".join(part if number % 2 else _SPECIAL.sub(r"\\\1", part).replace("$", r"\$") for number, part in enumerate(parts))


def quoted(words: Iterable[str], secrets: Collection[str] = ()) -> str:
    """`words` as one line of POSIX shell (bash, dash and zsh read it alike)."""
    return " ".join(quote_word(word, secrets) for word in words)


def quote_for(language: str, words: Iterable[str], secrets: Collection[str] = ()) -> str:
    """`words` as they are written in `language`: ``python`` the items of a list, anything else a shell line."""
    return ", ".join(repr(word) for word in words) if language == "python" else quoted(words, secrets)


def shell_line(words: Iterable[str], *, env: Mapping[str, str], unset: Iterable[str], cwd: str | None, secrets: Collection[str] = ()) -> str:
    """A line that changes folder and environment and runs `words`."""
    parts = [f"{name}={quote_word(value, secrets)}" for name, value in env.items()]
    away = [word for name in unset for word in ("-u", quote_word(name))]
    if away:
        parts += ["env", *away]
    line = " ".join([*parts, quoted(words, secrets)])
    return f"cd {quote_word(cwd, secrets)} && {line}" if cwd else line
