"""Secrets become ``$NAME`` before anything is thought about or written down.

A `Vault` learns secrets from names (an environment variable or an option whose name says so) and from forms (Hugging Face tokens,
``sk-…`` keys, ``Bearer …``, passwords in URLs). `hide` replaces them in any text; `reveal` puts the values back, only for the target.
"""

import re
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

SECRET_NAME = re.compile(
    r"(?i)(?:^|[_\-.])(?:token|secret|passw(?:or)?d|passphrase|api[_\-]?key|apikey|access[_\-]?key|private[_\-]?key|master[_\-]?key|salt[_\-]?key|auth(?:orization)?|credentials?|key)s?$"
)
# Options that end like a secret's name and hold none.
_NOT_SECRET = re.compile(
    r"(?i)(?:tokenizer|num[_\-].*tokens?|max[_\-].*tokens?|batched[_\-]tokens?|ssl[_\-]?keyfile|total[_\-]tokens?|tokens?[_\-]per|partial|special[_\-]tokens?|speculative[_\-]tokens?|log|sort|primary|cache)[_\-]?"
)
_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("HF_TOKEN", re.compile(r"\bhf_[A-Za-z0-9]{16,}\b")),
    ("API_KEY", re.compile(r"\bsk-[A-Za-z0-9_\-]{8,}")),
    ("GITHUB_TOKEN", re.compile(r"\bgh[pousr]_[A-Za-z0-9]{20,}\b|\bgithub_pat_[A-Za-z0-9_]{20,}\b")),
    ("AWS_ACCESS_KEY_ID", re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b")),
    ("GOOGLE_API_KEY", re.compile(r"\bAIza[A-Za-z0-9_\-]{30,}")),
    ("SLACK_TOKEN", re.compile(r"\bxox[abprs]-[A-Za-z0-9\-]{10,}")),
    ("JWT", re.compile(r"\beyJ[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]*")),
    ("NGC_API_KEY", re.compile(r"\bnvapi-[A-Za-z0-9_\-]{16,}")),
    ("PRIVATE_KEY", re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]+?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)")),
    ("AUTHORIZATION", re.compile(r"(?i)\b(?:bearer|basic)\s+([A-Za-z0-9._~+/=\-]{8,})")),
    ("URL_PASSWORD", re.compile(r"\b[a-zA-Z][a-zA-Z0-9+.\-]*://[^\s/:@'\"]*:([^\s/@'\"]+)@")),
    (
        "SECRET",
        re.compile(
            r"(?i)[\"']?\b(?:[a-z0-9]+[_\-])*(?:api[_\-]?key|master[_\-]?key|secret(?:[_\-]?key)?|password|passwd|auth[_\-]?token|access[_\-]?token|hf[_\-]?token|salt[_\-]?key)[\"']?\s*[:=]\s*[\"']?([^\s\"',;}\])$]{6,})"
        ),
    ),
)
_PLAIN_WORDS = frozenset({"none", "null", "true", "false", "required", "missing", "environ", "os.environ"})
_MARKERS = re.compile(r"(?i)hf_|sk-|gh[pousr]_|github_pat|AKIA|ASIA|AIza|xox|eyJ|nvapi|PRIVATE|bearer|basic|://|key|secret|passw|token")


def names_secret(name: str) -> bool:
    """Whether a variable or option of this name holds a secret (``HF_TOKEN``, ``--api-key``), by its name alone."""
    bare = name.lstrip("-")
    return bool(SECRET_NAME.search(bare)) and not _NOT_SECRET.search(bare)


class Vault:
    """The secrets of one run: name → value, in this process's memory only."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The names in use, in the order in which they were learnt."""
        return tuple(self._names.values())

    def learn(self, name: str, value: str) -> str:
        """Remember `value` as a secret called `name` (made unique); returns the ``$NAME`` that stands for it."""
        if value in self._names:
            return "$" + self._names[value]
        unique = base = re.sub(r"\W+", "_", name.lstrip("-")).upper() or "SECRET"
        count = 1
        while unique in self._names.values():
            count += 1
            unique = f"{base}_{count}"
        self._names[value] = unique
        return "$" + unique

    def learn_environment(self, environment: Mapping[str, str]) -> None:
        """Learn every variable whose name says that it holds a secret."""
        for name, value in environment.items():
            if names_secret(name) and len(value) >= 4:
                self.learn(name, value)

    def learn_argv(self, argv: Iterable[str]) -> None:
        """Learn the values of options whose name says so, as ``--api-key X`` and ``--api-key=X``."""
        option = ""
        for word in argv:
            head, separator, value = word.partition("=")
            if head.startswith("--") and separator and names_secret(head) and len(value) >= 3 and not value.startswith("$"):
                self.learn(head, value)
            elif option and names_secret(option) and not word.startswith(("-", "$")) and len(word) >= 3:
                self.learn(option, word)
            option = word if word.startswith("--") and not separator else ""

    def hide(self, text: str) -> str:
        """`text` with every secret replaced by its ``$NAME``; secrets of a known form are learnt on the way."""
        for value, name in self._names.items():
            if value in text:
                text = text.replace(value, "$" + name)
        if _MARKERS.search(text):
            for name, form in _FORMS:
                text = form.sub(partial(self._replaced, name), text)
        return text

    def _replaced(self, name: str, match: re.Match[str]) -> str:
        group = 1 if match.re.groups else 0
        value = match.group(group)
        if value.startswith("$") or value.lower() in _PLAIN_WORDS or value.startswith(("os.environ", "*")):
            return match.group(0)
        start, end = match.span(group)
        offset = match.start()
        whole = match.group(0)
        return whole[: start - offset] + self.learn(name, value) + whole[end - offset :]

    def hide_all(self, value: Any) -> Any:
        """`hide` for every text inside plain values."""
        if isinstance(value, str):
            return self.hide(value)
        if isinstance(value, dict):
            return {key: self.hide_all(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.hide_all(item) for item in value]
        return value

    def reveal(self, text: str) -> str:
        """`text` with every ``$NAME`` of this vault replaced by its value. For the target alone, never for a record."""
        for value, name in sorted(self._names.items(), key=lambda item: -len(item[1])):
            text = text.replace("$" + name, value)
        return text
