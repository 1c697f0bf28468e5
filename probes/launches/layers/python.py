"""Python as a layer: ``python -m``, ``python -c`` and scripts that start the server."""

from collections.abc import Iterator, Sequence

from probes.launches.layers.found import MOST_RUNS, Found, Peel, best
from probes.launches.layers.programs import base_name, is_python
from probes.launches.python.records import PyRun
from probes.launches.python.script import Script
from probes.launches.shell.records import Token
from transcripts.records import Layer

_VALUED = frozenset({"-W", "-X", "--check-hash-based-pycs"})
_STARTING = ("exec", "subprocess", "system", "spawn")


def under_module(found: Found) -> Found:
    """A program whose module is named on Python's command line, with that layer noted."""
    argv = found.argv
    if len(argv) > 2 and is_python(base_name(argv[0])) and "-m" in argv[1:6]:
        found.layers = [*found.layers, Layer(kind="module", words=argv[: argv.index("-m") + 2], source=found.source)]
    return found


def peel_python(peel: Peel, found: Found, stdin: str | None) -> Found | None:
    """A Python command line."""
    argv, at = found.argv, 1
    while at < len(argv) and argv[at].startswith("-") and argv[at] not in ("-m", "-c", "-"):
        at += 2 if argv[at] in _VALUED else 1
    if at >= len(argv) or argv[at] == "-":
        return peel_python_text(peel, found, stdin, "<stdin>", argv[at + 1 :], argv[:at]) if stdin else found
    if argv[at] == "-m":
        return under_module(found)
    if argv[at] == "-c":
        text = argv[at + 1] if at + 1 < len(argv) else ""
        return peel_python_text(peel, found, text, "<string>", argv[at + 2 :], argv[: at + 1])
    path, scope = argv[at], found.scope
    read = scope.read(path)
    if read is None:
        if scope.path(path) in scope.files:
            scope.doubt(f"{path} could not be read", found.source)
        return found
    return peel_python_text(peel, found, read, scope.path(path), argv[at + 1 :], argv[: at + 1])


def peel_python_text(peel: Peel, found: Found, text: str, file: str, arguments: tuple[str, ...], words: Sequence[str]) -> Found | None:
    """The text of a Python script: the program that it starts and that is the launch; itself where it starts none."""
    scope = found.scope
    if not any(word in text for word in _STARTING):
        return found
    try:
        runs = Script(text, arguments, scope.environment(), scope.read, file).follow()
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line, column = (error.lineno or 0, error.offset or 0) if isinstance(error, SyntaxError) else (0, 0)
        scope.doubt(f"{file} does not parse as Python: line {line}, column {column}", f"{file}:{line}")
        return found
    return best(_candidates(peel, found, runs[:MOST_RUNS], Layer(kind="python", words=tuple(words), text=text, source=file))) or found


def _candidates(peel: Peel, found: Found, runs: list[PyRun], layer: Layer) -> Iterator[Found | None]:
    for run in runs:
        made = _started(peel, found, run, layer)
        if made is not None:
            made.executed, made.conditional = made.executed or run.executed, made.conditional or run.conditional
            if not run.whole:
                made.certain = False
                found.scope.problem(f"a part of the command is computed while {layer.source} runs", f"{layer.source}:{run.line}")
        yield made


def _started(peel: Peel, found: Found, run: PyRun, layer: Layer) -> Found | None:
    scope, layers = found.scope.copy(), [*found.layers, layer]
    scope.arrays, scope.functions = {}, {}
    for name in run.unset:
        scope.forget(name)
    for name, value in run.env.items():
        scope.set(name, value, export=True)
    if run.cwd:
        scope.cwd = scope.path(run.cwd)
    source = f"{layer.source}:{run.line}"
    if run.shell is not None:
        child = scope.child("sh", origin=source)
        inner = Layer(kind="shell", words=("sh", "-c"), text=run.shell, shell=child.shell, source=source)
        return peel.text(run.shell, child, inner, layers)
    at = len(found.layers)
    tokens = [Token(word.text, word.raw, f"{layer.source}:{word.line or run.line}", word.text, layer=at) for word in run.words]
    return peel.peel(Found(tokens, scope, layers), None)
