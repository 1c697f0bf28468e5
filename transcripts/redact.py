"""Secrets become ``$NAME`` before anything is thought about or written down.

A `Vault` learns secrets from names (an environment variable or an option whose name says so) and from forms (Hugging Face tokens,
``sk-…`` keys, ``Bearer …``, passwords in URLs). `hide` replaces them in any text; `reveal` puts the values back, only for the target.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

_STRONG = (
    r"secret(?:[_\-]?access)?(?:[_\-]?key)?|passw(?:or)?d|passphrase|pwd|api[_\-]?key|access[_\-]?key|private[_\-]?key|master[_\-]?key"
    r"|salt[_\-]?key|encryption[_\-]?key|signing[_\-]?key|auth(?:orization)?|credentials?"
)
_STRONG_NAME = re.compile(rf"(?i)(?:(?:^|[_\-.])(?:{_STRONG})|.passw(?:or)?d)s?$")
_WEAK_NAME = re.compile(r"(?i)(?:^|[_\-.])(?:token|key|pat)s?$")
# Names that end like a secret's and hold a number, a word of the vocabulary, or a field's name.
_NO_SECRET = re.compile(
    r"(?i)(?:^|[_\-.])(?:num|max|min|batched|total|per|special|speculative|draft|prompt|completion|output|input|new|stop|eos|bos|pad|image|kv|n)"
    r"(?:[_\-].*)?[_\-]?tokens?$|(?:sort|primary|foreign|cache|log|partial|partition|public|routing|hash|group|dict)[_\-]?keys?$"
)
# A shell keeps where it is, and where it was, in these: hidden, every path of a log below them would be, too.
_FOLDERS = frozenset({"PWD", "OLDPWD"})
_TOKEN = r"(?:auth|access|hf|refresh|id|session|bot|login|github|gitlab|wandb|ngc|hub|service)[_\-]?token"  # noqa: S105 - a pattern
_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("HF_TOKEN", re.compile(r"\bhf_[A-Za-z0-9]{16,}\b")),
    ("API_KEY", re.compile(r"\bsk-[A-Za-z0-9_\-]{8,}")),
    ("GITHUB_TOKEN", re.compile(r"\bgh[pousr]_[A-Za-z0-9]{20,}\b|\bgithub_pat_[A-Za-z0-9_]{20,}\b")),
    ("GITLAB_TOKEN", re.compile(r"\bglpat-[A-Za-z0-9_\-]{16,}")),
    ("AWS_ACCESS_KEY_ID", re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b")),
    ("GOOGLE_API_KEY", re.compile(r"\bAIza[A-Za-z0-9_\-]{30,}")),
    ("SLACK_TOKEN", re.compile(r"\bxox[abprs]-[A-Za-z0-9\-]{10,}")),
    ("JWT", re.compile(r"\beyJ[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]*")),
    ("NGC_API_KEY", re.compile(r"\bnvapi-[A-Za-z0-9_\-]{16,}")),
    ("PRIVATE_KEY", re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]+?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)")),
    ("AUTHORIZATION", re.compile(r"(?i)\b(?:bearer|basic)\s+([A-Za-z0-9._~+/=\-]{8,})")),
    ("AUTHORIZATION", re.compile(r"(?i)\bauthorization[\"']?\s*[:=]\s*[\"']?(?!(?:bearer|basic)\b)(?:token\s+)?([^\s\0\"',;]{8,})")),
    ("URL_PASSWORD", re.compile(r"\b[a-zA-Z][a-zA-Z0-9+.\-]*://[^\s\0/:@'\"]*:([^\s\0/'\"]+)@")),
    (
        "URL_SECRET",
        re.compile(r"(?i)[?&](?:[a-z0-9\-]+_)?(?:token|key|api[_\-]?key|sig|signature|x-amz-signature|password|secret)=([^&\s\0\"'#]{6,})"),
    ),
    ("SECRET", re.compile(rf"(?i)[\"']?\b(?:[a-z0-9]+[_\-])*(?:{_STRONG}|{_TOKEN})[\"']?\s*[:=]\s*\\?[\"']?([^\s\0\"',;}}\])$\\]{{6,}})")),
    ("SECRET", re.compile(r"\b[A-Z][A-Z0-9_]*_(?:TOKEN|KEY|PAT)=\\?[\"']?([^\s\0\"',;$\\]{6,})")),
)
_PLAIN_WORDS = frozenset(
    {"none", "null", "true", "false", "environ", "os.environ", "empty", "default", "unset", "string", "optional", "unknown", "enabled", "disabled"}
    | {"required", "missing", "invalid", "expected", "incorrect", "wrong", "cannot", "failed", "denied", "refused", "rejected", "expired"}
    | {"provided", "please", "should", "changed"}
)
_MARKERS = re.compile(
    r"(?i)hf_|sk-|gh[pousr]_|github_pat|glpat|AKIA|ASIA|AIza|xox|eyJ|nvapi|PRIVATE|bearer|basic|://|key|secret|passw|pwd|token|auth|credential|_PAT=|sig"
)
# The same for one line of a log, lower case: a plain search for each is far faster than the pattern.
_LITERALS = (
    *("hf_", "sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat", "glpat", "akia", "asia", "aiza", "xox", "eyj", "nvapi", "private"),
    *("bearer", "basic", "://", "key", "secret", "passw", "pwd", "token", "auth", "credential", "_pat=", "sig"),
)
_OPTION = re.compile(r"(?<!\S)(--?[A-Za-z][\w.\-]*|[A-Za-z_]\w*(?==))(?:=|\s+)(?:\"([^\"]*)\"|'([^']*)'|(\S+))")
_SHORT = 8


def names_secret(name: str) -> bool:
    """Whether a variable or option of this name holds a secret (``HF_TOKEN``, ``--api-key``), by its name alone."""
    bare = name.lstrip("-")
    if bare in _FOLDERS:
        return False
    return bool(_STRONG_NAME.search(bare) or (_WEAK_NAME.search(bare) and not _NO_SECRET.search(bare)))


class Vault:
    """The secrets of one run: name → value, in this process's memory only."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._reserved: set[str] = set()
        self._hiders: list[tuple[str, re.Pattern[str] | None, str]] = []

    @property
    def names(self) -> tuple[str, ...]:
        """The names in use, in the order in which they were learnt."""
        return tuple(self._names.values())

    def reserve(self, text: str) -> None:
        """Never give a secret a name that `text` uses as a variable of its own (``$NAME``, ``${NAME}``): the two must stay apart."""
        self._reserved.update(re.findall(r"\$\{?([A-Za-z_]\w*)", text))

    def learn(self, name: str, value: str) -> str:
        """Remember `value` as a secret called `name` (made unique); returns the ``$NAME`` that stands for it."""
        if value in self._names:
            return "$" + self._names[value]
        unique = base = re.sub(r"\W+", "_", name.lstrip("-")).upper() or "SECRET"
        count = 1
        while unique in self._reserved or unique in self._names.values():
            count += 1
            unique = f"{base}_{count}"
        self._names[value] = unique
        # A short value is hidden only where it stands alone: "1234" must not tear a path or a number apart.
        alone = re.compile(rf"(?<![\w/.\-]){re.escape(value)}(?![\w/.\-])") if len(value) < _SHORT else None
        self._hiders.append((value, alone, "$" + unique))
        self._hiders.sort(key=lambda hider: -len(hider[0]))
        return "$" + unique

    def learn_environment(self, environment: Mapping[str, str]) -> None:
        """Learn every variable whose name says that it holds a secret."""
        for name, value in environment.items():
            if names_secret(name) and len(value) >= 4 and value.lower() not in _PLAIN_WORDS:
                self.learn(name, value)

    def learn_argv(self, argv: Iterable[str]) -> None:
        """Learn the values of options whose name says so, as ``--api-key X`` and ``--api-key=X``; in a word that is a command line, too."""
        option = ""
        for word in argv:
            head, separator, value = word.partition("=")
            if head.startswith("-") and separator and names_secret(head):
                self._learn_typed(head, value)
            elif option and names_secret(option) and not word.startswith("-"):
                self._learn_typed(option, word)
            elif any(c.isspace() for c in word):
                self.learn_line(word)
            elif separator and names_secret(head):
                self._learn_typed(head, value)
            option = word if word.startswith("-") and not separator else ""

    def learn_line(self, line: str) -> None:
        """Learn from a command line as typed: options and assignments whose name says that a secret follows."""
        for match in _OPTION.finditer(line):
            if names_secret(match[1]):
                self._learn_typed(match[1], next(text for text in (match[2], match[3], match[4], "") if text is not None))

    def _learn_typed(self, name: str, value: str) -> None:
        if len(value) >= 3 and not value.startswith("$") and value.lower() not in _PLAIN_WORDS:
            self.learn(name, value)

    def hide(self, text: str) -> str:
        """`text` with every secret replaced by its ``$NAME``; secrets of a known form are learnt on the way."""
        text = self._hide_known(text)
        if _MARKERS.search(text):
            for name, form in _FORMS:
                text = form.sub(partial(self._replaced, name), text)
        return text

    def hide_log(self, text: str) -> str:
        """`hide` for whole lines of a log, as many as come: only a line that holds a marker of some form, and the line after it, are searched."""
        if "PRIVATE KEY-----" in text:
            return self.hide(text)
        return "".join(self.hide(lines) if marked else self._hide_known(lines) for marked, lines in _runs(text))

    def _hide_known(self, text: str) -> str:
        for value, alone, name in self._hiders:
            if value in text:
                text = text.replace(value, name) if alone is None else alone.sub(name, text)
        return text

    def _replaced(self, name: str, match: re.Match[str]) -> str:
        group = 1 if match.re.groups else 0
        value = match.group(group)
        # "--api-key: expected one argument" is a message about an option, not a value.
        message = match.string.endswith("--", 0, match.start()) and ":" in match.group(0)[: match.start(group) - match.start()]
        if message or _is_folder(match.group(0)[: match.start(group) - match.start()], value):
            return match.group(0)
        if value.startswith(("$", "*", "os.environ", "<", "[", "{", "(")) or value.lower() in _PLAIN_WORDS:
            return match.group(0)
        start, end = match.span(group)
        offset = match.start()
        whole = match.group(0)
        return whole[: start - offset] + self.learn(name, value) + whole[end - offset :]

    def hide_all(self, value: Any) -> Any:
        """`hide` for every text inside plain values; an environment's value is hidden by its variable's name as well."""
        if isinstance(value, str):
            return self.hide(value)
        if isinstance(value, dict):
            return {key: self._hide_item(key, item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.hide_all(item) for item in value]
        return value

    def _hide_item(self, key: str, item: Any) -> Any:
        if isinstance(item, str) and isinstance(key, str) and key.isupper() and names_secret(key):
            self._learn_typed(key, item)
        return self.hide_all(item)

    def reveal(self, text: str) -> str:
        """`text` with every ``$NAME`` of this vault replaced by its value. For the target alone, never for a record."""
        if "$" not in text or not self._names:
            return text
        values = {name: value for value, name in self._names.items()}
        names = "|".join(re.escape(name) for name in sorted(values, key=len, reverse=True))
        return re.sub(rf"\$({names})", lambda match: values[match[1]], text)


def _is_folder(before: str, value: str) -> bool:
    return value.startswith("/") and before.strip("\"' =:") in _FOLDERS


def _runs(text: str) -> Iterator[tuple[bool, str]]:
    """The lines of `text` in runs of those that are worth searching and those that are not."""
    run: list[str] = []
    searched = after = False
    for line in text.splitlines(keepends=True):
        lowered = line.lower()
        marked = any(literal in lowered for literal in _LITERALS)
        if (marked or after) != searched:
            yield searched, "".join(run)
            run, searched = [], marked or after
        run.append(line)
        after = marked
    yield searched, "".join(run)
