"""Shells: ``bash -c text``, ``bash -s``, and scripts."""

import re
import shlex
from collections.abc import Sequence

from probes.launches.layers.found import Found, Peel
from probes.launches.layers.programs import is_python, is_script
from probes.launches.layers.python import peel_python_text
from transcripts.records import Layer

_INTERPRETER = re.compile(r"\b(bash|dash|zsh|ksh|ash|sh)\b")


def peel_shell(peel: Peel, found: Found, name: str, stdin: str | None) -> Found | None:
    """A shell's command line."""
    argv, at = found.argv, 1
    if name == "busybox" and len(argv) > 1:
        name, at = argv[1], 2
    at, texts = _options(argv, at)
    if texts:
        while at < len(argv) and argv[at].startswith("-") and len(argv[at]) > 1:
            at += 1
        return _command_text(peel, found, name, at)
    if "-s" in argv[1:at] or at >= len(argv) or argv[at] == "-":
        if stdin is None:
            return found
        scope = found.scope.child(name, positional=argv[at:], origin=found.source)
        return peel.text(stdin, scope, Layer(kind="shell", words=argv[:at], text=stdin, shell=name), found.layers)
    return peel_script(peel, found, at, named=name)


def _options(argv: Sequence[str], at: int) -> tuple[int, bool]:
    """The index behind a shell's options (behind the first cluster with a ``c``), and whether there is such a cluster."""
    while at < len(argv) and argv[at][:1] in ("-", "+") and len(argv[at]) > 1:
        word = argv[at]
        if word == "--":
            return at + 1, False
        short = not word.startswith("--")
        if short and word[0] == "-" and "c" in word:
            return at + 1, True
        at += 2 if word in ("--rcfile", "--init-file") or (short and word.endswith(("o", "O")) and "c" not in word) else 1
    return at, False


def _command_text(peel: Peel, found: Found, name: str, at: int) -> Found | None:
    argv = found.argv
    if at >= len(argv):
        found.scope.problem(f"{' '.join(argv)}: -c is given no command", found.source)
        return found
    token, ignored = found.tokens[at], argv[at + 1 :]
    scope = found.scope.child(name, positional=argv[at + 2 :], zero=ignored[0] if ignored else name, origin=token.source)
    layer = Layer(kind="shell", words=argv[:at], text=argv[at], shell=name, source=token.source)
    made = peel.text(argv[at], scope, layer, found.layers)
    if made is None:
        return None
    made.carry([token])
    if ignored and not re.search(r"\$[\d@*{]", argv[at]):
        found.scope.problem(f"{name} -c takes one word as its command: {shlex.join(ignored)[:200]} is not part of it", token.source)
    return made


def peel_script(peel: Peel, found: Found, at: int, named: str = "") -> Found | None:
    """A script, the word `at`: its shebang (or the shell that was `named`) decides how it is read; what is no script is the program itself."""
    path, arguments, words = found.argv[at], found.argv[at + 1 :], found.argv[: at + 1]
    scope = found.scope
    text = _text_of(found, path, named)
    if text is None:
        return found
    first = text.partition("\n")[0] if text.startswith("#!") else ""
    if not named and _is_python(first, path):
        return peel_python_text(peel, found, text, scope.path(path), arguments, words)
    interpreter = _INTERPRETER.search(first.rpartition("/")[2])
    if not named and not (interpreter if first else is_script(path)):
        return found
    name = named or (interpreter[1] if interpreter else "bash")
    if first.endswith("\r"):
        scope.problem(f"the first line of {path} ends with a carriage return: the interpreter it names does not exist", f"{path}:1")
    child = scope.child(name, file=scope.path(path), positional=arguments, zero=path)
    layer = Layer(kind="script", words=words, text=text, shell=name, source=scope.path(path))
    return peel.text(text, child, layer, found.layers) or found


def _text_of(found: Found, path: str, named: str) -> str | None:
    """The text of what may be a script; None where it is none, or could not be read."""
    scope, surely = found.scope, bool(named) or is_script(path)
    if scope.remote and not surely:
        return None
    text = scope.read(path, program=not surely and "/bin/" in path)
    if text is None and surely and scope.path(path) in scope.files:
        scope.doubt(f"{path} could not be read", found.source)
    return None if text is None or "\0" in text[:4000] else text


def _is_python(first: str, path: str) -> bool:
    """Whether a shebang, or without one the path, says Python."""
    return is_python(first.rstrip("\r").rpartition("/")[2].split(" ")[-1]) if first else path.endswith(".py")
