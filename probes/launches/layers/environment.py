"""``env``, and wrappers that set variables or change the folder on their way (``sudo A=1``, ``conda run --cwd``)."""

import shlex
from dataclasses import replace

from probes.launches.layers.found import Found, Peel
from probes.launches.layers.programs import base_name
from probes.launches.shell.records import Token
from probes.launches.shell.scope import Scope
from transcripts.records import Layer


def peel_wrapper(peel: Peel, found: Found, inner: int, stdin: str | None) -> Found | None:
    """A wrapper whose command begins at the word `inner`."""
    words, scope = found.argv[:inner], found.scope.copy()
    program = base_name(words[0])
    for word in words:
        name, equals, value = word.partition("=")
        if equals and name.isidentifier() and program in ("sudo", "doas"):
            scope.set(name, value, export=True)
    for option in ("--cwd", "--directory", "-D", "--chdir"):
        if option in words[:-1] and program in ("conda", "uv", "sudo"):
            scope.cwd = scope.path(words[words.index(option) + 1])
    return peel.peel(found.under(Layer(kind="wrapper", words=words, source=found.source), inner, scope), stdin)


def peel_env(peel: Peel, found: Found, stdin: str | None) -> Found | None:
    """An ``env`` command."""
    argv, at, scope = found.argv, 1, found.scope.copy()
    while at < len(argv):
        word = argv[at]
        if word in ("-S", "--split-string") and at + 1 < len(argv):
            return _split_string(peel, found, at, scope, stdin)
        if not word.startswith("-") and "=" not in word:
            break
        at += _option(scope, word, argv[at + 1] if at + 1 < len(argv) else None)
    if at >= len(argv):
        return found
    return peel.peel(found.under(Layer(kind="env", words=argv[:at], source=found.source), at, scope), stdin)


def _option(scope: Scope, word: str, following: str | None) -> int:
    """Carry out one word of ``env``; returns how many words it takes."""
    if word in ("-i", "-", "--ignore-environment"):
        for name in list(scope.environment()):
            scope.forget(name)
        scope.known = True
    elif word in ("-u", "--unset") and following is not None:
        scope.forget(following)
        return 2
    elif word in ("-C", "--chdir") and following is not None:
        scope.cwd = scope.path(following)
        return 2
    elif word.startswith("--unset=") or (word.startswith("-u") and len(word) > 2):
        scope.forget(word.removeprefix("--unset=").removeprefix("-u"))
    elif "=" in word and not word.startswith("-"):
        name, _, value = word.partition("=")
        scope.set(name, value, export=True)
    return 1


def _split_string(peel: Peel, found: Found, at: int, scope: Scope, stdin: str | None) -> Found | None:
    """``env -S "words"``: the words take the place of the option."""
    try:
        words = shlex.split(found.argv[at + 1])
    except ValueError:
        return found
    tokens = [found.tokens[0], *[Token(word, word, found.tokens[at].source, word) for word in words], *found.tokens[at + 2 :]]
    return peel_env(peel, replace(found, tokens=tokens, scope=scope), stdin)
