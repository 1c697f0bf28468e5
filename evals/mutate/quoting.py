"""Mutators of the family ``quoting``: the process does not get the argv that was meant."""

import json
import shlex
from collections.abc import Iterator

from evals.mutate.scene import Mutated, Mutator, Scene, direct, quoted, replaced, typed, value_of, with_words
from evals.world import Difficulty

JSON_FLAGS = ("--speculative-config", "--json-model-override-args")
_COMPACT = (",", ":")


def _made(scene: Scene, cause: str, kind: str, variant: str, summary: str, difficulty: Difficulty = "medium", also: tuple[str, ...] = ()) -> Mutated:
    return Mutated(scene=scene, faults=((cause, *also),), kind=kind, variant=variant, summary=summary, difficulty=difficulty)


def json_options(scene: Scene) -> Iterator[tuple[str, str]]:
    """The flags of the scene's argv whose value is JSON, with the value."""
    for flag in JSON_FLAGS:
        if flag in scene.argv:
            yield flag, value_of(scene, flag)


def _line(scene: Scene, value: str, raw: str) -> str:
    """The scene's argv as a line, with `raw` standing unquoted in the place of `value`."""
    return quoted(scene.argv).replace(shlex.quote(value), raw)


def strip_quotes(scene: Scene) -> Iterator[Mutated]:
    """The quotes around a JSON value are lost at one layer."""
    for flag, value in json_options(scene):
        plain = json.loads(value)
        spaced, tight = json.dumps(plain), json.dumps(plain, separators=_COMPACT)
        single = json.dumps(dict(list(plain.items())[:1]), separators=_COMPACT)
        yield _made(typed(scene, _line(scene, value, spaced)), "quoting/json-split", "strip-quotes", "spaces", f"{flag}: no quotes, spaces")
        inner = "bash -c " + shlex.quote(_line(scene, value, spaced))
        yield _made(typed(scene, inner), "quoting/json-split", "strip-quotes", "two-shells", f"{flag}: the quotes serve the outer shell alone")
        yield _made(
            typed(scene, _line(scene, value, tight)), "quoting/brace-expansion", "brace-expansion", "bash", f"{flag}: bash expands the braces"
        )
        posix = "sh -c " + shlex.quote(_line(scene, value, tight))
        yield _made(typed(scene, posix), "quoting/json-stripped", "strip-quotes", "sh", f"{flag}: sh removes the quotes")
        yield _made(typed(scene, _line(scene, value, single)), "quoting/json-stripped", "strip-quotes", "one-key", f"{flag}: one key, no quotes")
        kept = f"export VALUE={shlex.quote(spaced)}; " + _line(scene, value, "$VALUE")
        yield _made(typed(scene, kept), "quoting/json-split", "word-splitting", "variable", f"{flag}: an unquoted variable is split", "hard")


def harm_value(scene: Scene) -> Iterator[Mutated]:
    """A JSON value arrives as one word with something done to it."""
    for flag, value in json_options(scene):
        path = "/srv/settings.json"
        yield _made(
            direct(scene, replaced(scene.argv, value, path), files={**scene.files, path: value + "\n"}),
            "quoting/path-for-json",
            "path-for-json",
            "file",
            f"{flag}: a path where JSON is wanted",
        )
        escaped = value.replace('"', '\\"').replace("{", "\\{").replace("}", "\\}")
        yield _made(
            direct(scene, replaced(scene.argv, value, escaped)), "quoting/over-escaped", "over-escape", "all", f"{flag}: escaped once too often"
        )
        yield _made(
            direct(scene, replaced(scene.argv, value, value.replace('"', '\\"'))),
            "quoting/over-escaped",
            "over-escape",
            "quotes",
            f"{flag}: quotes escaped",
        )
        yield _made(
            direct(scene, replaced(scene.argv, value, f"'{value}'")), "quoting/literal-quotes", "literal-quotes", "single", f"{flag}: quotes as data"
        )
        doubled = value.replace("{", "{{").replace("}", "}}")
        yield _made(
            direct(scene, replaced(scene.argv, value, doubled)), "quoting/template", "template", "doubled", f"{flag}: braces doubled for a template"
        )
        curly = value.replace('"', "\u201c", 1).replace('"', "\u201d", 1)
        yield _made(
            direct(scene, replaced(scene.argv, value, curly)), "quoting/typographic", "typographic", "json", f"{flag}: curly quotes in the JSON"
        )


def join(scene: Scene) -> Iterator[Mutated]:
    """Flag and value arrive as one word."""
    for flag in ("--port", "--max-model-len", "--config", "--device"):
        if flag in scene.argv:
            value = value_of(scene, flag)
            argv = tuple(word for word in replaced(scene.argv, flag, f"{flag} {value}") if word != value)
            yield _made(direct(scene, argv), "quoting/joined-arguments", "join-arguments", flag.strip("-"), f"{flag} and its value as one word")
    port = value_of(scene, "--port")
    line = f'PORT="--port {port}"; ' + quoted(w for w in scene.argv if w not in ("--port", port)) + ' "$PORT"'
    yield _made(typed(scene, line), "quoting/joined-arguments", "join-arguments", "variable", "a quoted variable holds flag and value", "hard")
    yield _made(
        direct(scene, (quoted(scene.argv),)), "quoting/command-as-string", "command-as-string", "list", "the whole command is one word", "easy"
    )
    whole = f'C={shlex.quote(quoted(scene.argv))}; "$C"'
    yield _made(typed(scene, whole), "quoting/command-as-string", "command-as-string", "variable", "a quoted variable holds the whole command")


def leave_variables(scene: Scene) -> Iterator[Mutated]:
    """A variable arrives literally, or as nothing."""
    port = value_of(scene, "--port")
    yield _made(direct(scene, replaced(scene.argv, port, "$PORT")), "quoting/unexpanded-variable", "variable", "list", "no shell expands $PORT")
    yield _made(
        typed(scene, quoted(scene.argv).replace(port, "'${PORT:-" + port + "}'")),
        "quoting/unexpanded-variable",
        "variable",
        "single-quotes",
        "single quotes",
    )
    yield _made(
        typed(scene, quoted(scene.argv).replace(port, "$SERVER_PORT")),
        "quoting/unexpanded-variable",
        "variable",
        "unset",
        "nobody sets the variable",
        "hard",
    )
    yield _made(direct(scene, replaced(scene.argv, port, "{{ port }}")), "quoting/template", "template", "port", "a placeholder was not rendered")
    yield _made(direct(scene, replaced(scene.argv, port, "{port}")), "quoting/template", "template", "bare", "a bare placeholder was not rendered")


def break_lines(scene: Scene) -> Iterator[Mutated]:
    """A command over several lines loses its continuation."""
    words = [shlex.quote(word) for word in scene.argv]
    place = scene.argv.index("--port")
    head, tail = " ".join(words[:place]), " ".join(words[place:])
    yield _made(typed(scene, f"{head} \\ \n  {tail}"), "quoting/line-continuation", "line-continuation", "space", "a space after the backslash")
    if scene.framework == "litellm":
        return  # without its options the proxy comes up, with other settings
    program, rest = words[0], " ".join(words[1:])
    yield _made(
        typed(scene, f"{program}\n  {rest}"), "quoting/line-continuation", "line-continuation", "none-at-all", "no backslash after the program"
    )


def typeset(scene: Scene) -> Iterator[Mutated]:
    """Characters of a word processor, or of another system's line ends."""
    port = value_of(scene, "--port")
    yield _made(
        direct(scene, replaced(scene.argv, "--port", "\u2013port")), "quoting/typographic", "typographic", "en-dash", "an en dash for two dashes"
    )
    yield _made(direct(scene, replaced(scene.argv, port, port + "\r")), "quoting/typographic", "typographic", "carriage-return", "a carriage return")
    yield _made(
        direct(scene, replaced(scene.argv, port, "\u00a0" + port + "\u200b")), "quoting/typographic", "typographic", "no-break", "a no-break space"
    )
    yield _made(
        direct(scene, replaced(scene.argv, port, f'"{port}"')), "quoting/literal-quotes", "literal-quotes", "port", "quotes as data around a number"
    )


def give_values(scene: Scene) -> Iterator[Mutated]:
    """A switch gets a value, or a flag none."""
    switch = {"vllm": "--enable-prefix-caching", "sglang": "--trust-remote-code", "litellm": "--debug"}[scene.framework]
    yield _made(direct(scene, with_words(scene, switch, "true")), "quoting/boolean-value", "boolean-value", "true", f"{switch} takes no value")
    yield _made(direct(scene, with_words(scene, f"{switch}=True")), "quoting/boolean-value", "boolean-value", "equals", f"{switch} takes no value")
    if scene.framework == "vllm" and "--enforce-eager" in scene.argv:
        argv = replaced(scene.argv, "--enforce-eager", "--enforce-eager", "1")
        yield _made(direct(scene, argv), "quoting/boolean-value", "boolean-value", "one", "--enforce-eager takes no value")


def mangle_paths(scene: Scene) -> Iterator[Mutated]:
    """A layer of another system rewrites an absolute path."""
    for path in [word for word in scene.argv if word.startswith("/srv/")]:
        there = "C:/Program Files/Git" + path
        yield _made(direct(scene, replaced(scene.argv, path, there)), "quoting/path-mangled", "path-mangled", "msys", "MSYS rewrote the path")


MUTATORS: tuple[Mutator, ...] = (strip_quotes, harm_value, join, leave_variables, break_lines, typeset, give_values, mangle_paths)
