"""What several causes need to read off the signs: what a message speaks of, and a parameter in one spelling. Pure."""

import re
from collections.abc import Callable, Iterable

from agent.causes.cause import Parameters
from transcripts.records import Sign

ELSEWHERE = "another matter"
"""The subject of a hypothesis that the sign at hand is not about: it disagrees with every message."""


def of(
    values: Iterable[str], pattern: str, parameters: Iterable[str] = (), topics: Iterable[str] = ()
) -> Callable[[tuple[Sign, ...]], list[Parameters]]:
    """A `suggest` for a cause whose errors of the kinds `values` speak of `pattern` (a regular expression, without case).

    Many faults end in the same kind of error; its message says which options it is about. The subject is ``message``: a message that speaks
    of something else disagrees, one that nobody captured decides nothing. Where the reader told one of `topics`, it speaks of it
    whatever its words.
    """
    kinds = frozenset(values)
    named = tuple(parameters)
    own = frozenset(topics)
    spoken = re.compile(pattern, re.IGNORECASE)

    def suggest(signs: tuple[Sign, ...]) -> list[Parameters]:
        found: list[Parameters] = []
        told = any(sign.variable == "topic" and sign.value in own for sign in signs)
        for sign in signs:
            message = sign.parameters.get("message", "")
            if sign.variable != "error" or sign.value not in kinds or not message:
                continue
            about = {name: sign.parameters[name] for name in named if name in sign.parameters}
            text = " ".join((message, sign.parameters.get("class", ""), sign.parameters.get("field", "")))
            found.append({"message": message, **about} if told or spoken.search(text) else {"message": ELSEWHERE})
        return found or [_copied(signs, named)]

    return suggest


def _copied(signs: tuple[Sign, ...], names: tuple[str, ...]) -> Parameters:
    copied: Parameters = {}
    for sign in signs:
        for name in names:
            if name in sign.parameters:
                copied.setdefault(name, sign.parameters[name])
    return copied


def signal_name(text: str) -> str:
    """A signal in one spelling: ``9``, ``-9``, ``137`` and ``SIGKILL`` are ``SIGKILL``; what is not known stays as it is."""
    names = {"9": "SIGKILL", "15": "SIGTERM", "11": "SIGSEGV", "6": "SIGABRT", "4": "SIGILL", "7": "SIGBUS", "2": "SIGINT", "1": "SIGHUP"}
    bare = text.strip().lstrip("-")
    if bare.isdigit() and int(bare) > 128:
        bare = str(int(bare) - 128)
    return names.get(bare, bare.upper())


def signalled(names: Iterable[str]) -> Callable[[tuple[Sign, ...]], list[Parameters]]:
    """A `suggest` for a cause that ends a process by one of the signals `names`; another signal is another matter."""
    own = frozenset(names)

    def suggest(signs: tuple[Sign, ...]) -> list[Parameters]:
        raw = [sign.parameters["signal"] for sign in signs if sign.parameters.get("signal")]
        return [{"signal": text if signal_name(text) in own else ELSEWHERE} for text in raw[:1]] or [{}]

    return suggest
