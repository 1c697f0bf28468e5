"""What simple programs print, where it follows from their words and from files that are known."""

import posixpath
import re

from probes.launches.shell.scope import Scope


def output_of(argv: tuple[str, ...], scope: Scope, stdin: str | None = None) -> str | None:
    """The output of ``echo``, ``printf``, ``cat``, ``dirname`` and the like; None where it is not known."""
    name, arguments = argv[0].rpartition("/")[2], list(argv[1:])
    match name:
        case "echo":
            return _echo(arguments)
        case "printf":
            return _printf(arguments)
        case "cat":
            return _cat(arguments, scope, stdin)
        case "pwd":
            return (scope.cwd or scope.variables.get("PWD") or ".") + "\n"
        case "dirname" if arguments:
            return (posixpath.dirname(arguments[-1]) or ".") + "\n"
        case "basename" if arguments:
            return posixpath.basename(arguments[0]).removesuffix(arguments[1] if len(arguments) > 1 else "") + "\n"
        case "realpath" | "readlink" if arguments:
            return scope.path(arguments[-1]) + "\n"
    return None


def _echo(arguments: list[str]) -> str:
    end = "\n"
    while arguments and re.fullmatch(r"-[neE]+", arguments[0]):
        if "n" in arguments[0]:
            end = ""
        arguments = arguments[1:]
    return " ".join(arguments) + end


def _printf(arguments: list[str]) -> str | None:
    if arguments[:1] == ["--"]:
        arguments = arguments[1:]
    if not arguments or re.search(r"%(?![s%])|\\(?!n)", arguments[0]):
        return None
    form, values = arguments[0].replace("\\n", "\n"), list(arguments[1:])
    made = ""
    while True:
        before = len(values)
        made += re.sub(r"%([s%])", lambda match: "%" if match[1] == "%" else (values.pop(0) if values else ""), form)
        if not values or len(values) == before:
            return made


def _cat(arguments: list[str], scope: Scope, stdin: str | None) -> str | None:
    files = [one for one in arguments if not one.startswith("-")]
    if not files:
        return stdin
    texts = [scope.read(one) for one in files]
    return None if None in texts else "".join(text or "" for text in texts)
