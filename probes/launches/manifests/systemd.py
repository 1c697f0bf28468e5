"""A systemd unit: the command of ExecStart as systemd executes it.

systemd splits the line itself: quotes and backslashes as in C, ``%`` specifiers, ``${NAME}`` anywhere in a word and ``$NAME`` only as a word of its
own, both from Environment= and EnvironmentFile= alone. No shell reads it, and the program is an absolute path or a plain name.
"""

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from probes.launches.arrival import Problem
from probes.launches.manifests import faults
from probes.launches.manifests.compose import shell_faults
from probes.launches.manifests.records import Manifest, Section, Written
from probes.launches.manifests.splitting import closed
from transcripts.records import Fault, Layer, Origin

READER = "systemd"
_PREFIX = re.compile(r"[-@:+!|]*")
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\", '"': '"', "'": "'", "s": " "}
_CODED = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3}))")
_BRACED = re.compile(r"\$\$|\$\{([A-Za-z_]\w*)\}")
_LONE = re.compile(r"\$([A-Za-z_]\w*)$")
_LITERAL = re.compile(r"\$([A-Za-z_]\w*)")
_SPECIFIER = re.compile(r"%(.)")


class Setting(Struct, frozen=True):
    """One setting of a unit: its section, name, value with continued lines joined, first line, and the span of the value in the text."""

    section: str
    name: str
    value: str
    line: int
    start: int
    stop: int


class Piece(Struct, frozen=True):
    """A word of a line, its raw text, and the span of that."""

    text: str
    raw: str
    start: int
    stop: int


def settings(text: str) -> Iterator[Setting]:
    """The settings of a unit file, in order (systemd.syntax(7)): a backslash at a line's end continues it, comments between are skipped."""
    section, at, number = "", 0, 0
    lines = text.splitlines(keepends=True)
    while number < len(lines):
        line, first, begin = lines[number], number, at
        stripped = line.strip()
        at += len(line)
        number += 1
        if stripped.startswith("[") and stripped.endswith("]"):
            section = stripped[1:-1]
        if not stripped or stripped[0] in "#;[" or "=" not in line:
            continue
        while lines[number - 1].rstrip("\r\n").endswith("\\") and number < len(lines):
            at += len(lines[number])
            number += 1
            while number < len(lines) and lines[number - 1].lstrip()[:1] in ("#", ";"):
                at += len(lines[number])
                number += 1
        whole = text[begin:at].rstrip("\r\n")
        name, _, value = whole.partition("=")
        start = begin + len(name) + 1 + len(value) - len(value.lstrip())
        yield Setting(section, name.strip(), joined(value.strip()), first + 1, start, start + len(value.strip()))


def joined(value: str) -> str:
    """A value with its continued lines made one of the same length: the backslash and the line end become blanks."""
    return re.sub(r"\\\r?\n(?:[ \t]*[#;][^\n]*\n)*", lambda match: " " * len(match[0]), value)


def parts(text: str) -> tuple[str, ...]:
    """A unit has one command that counts."""
    return ("ExecStart",) if any(setting.name == "ExecStart" for setting in settings(text)) else ()


def read(origin: Origin) -> Manifest:
    """The command of the unit's ExecStart (the last one: an empty one takes those before it away)."""
    service = [setting for setting in settings(origin.text) if setting.section == "Service"]
    layer = Layer(kind="manifest", words=(READER, origin.path.rpartition("/")[2]), source=origin.path)
    command: Setting | None = None
    for setting in service:
        if setting.name == "ExecStart":
            command = setting if setting.value else None
    if command is None:
        return Manifest(layer=layer, part="ExecStart", problems=(Problem(text=f"{origin.path} has no ExecStart= in [Service]"),), certain=False)
    env, places = _environment(origin, service)
    known = {**origin.environment, **env}
    last = {setting.name: setting.value for setting in service}
    value, found, repaired = command.value, list[Fault](), None
    pieces = split_line(value)
    if pieces is None:
        found.append(faults.unbalanced(origin.path, command.line, "ExecStart"))
        repaired = closed(value)
        value = repaired or ""
        pieces = split_line(value) or ()
    words = tuple(_word(piece, command, origin.text, known, number, repaired is not None) for number, piece in enumerate(pieces))
    flat = tuple(word for several in words for word in several)
    texts = tuple(word.text for word in flat)
    cwd = last.get("WorkingDirectory", "").lstrip("-") or None
    found += [*_program(texts, cwd, last.get("User", "")), *shell_faults(texts, READER)]
    section = Section(form="text", start=command.start, stop=command.stop, first=0, count=len(flat), repaired=repaired)
    return Manifest(
        layer=layer,
        part="ExecStart",
        words=flat,
        sections=(section,),
        env=env,
        variables=places,
        cwd=None if cwd == "~" else cwd,
        faults=tuple(found),
        notes=(
            "systemd splits the line itself, and no shell reads it",
            "$NAME is filled in as a word of its own, ${NAME} anywhere, %X is a specifier",
        ),
    )


def _word(piece: Piece, command: Setting, text: str, env: Mapping[str, str], number: int, wrong: bool) -> tuple[Written, ...]:
    """The words that one piece of the line becomes: its specifiers and variables filled in."""
    start, stop = (command.start + piece.start, command.start + piece.stop) if not wrong else (-1, -1)
    line = text.count("\n", 0, max(start, command.start)) + 1
    plain = _SPECIFIER.sub(lambda match: "%" if match[1] == "%" else match[0], piece.text)
    if number == 0:
        # the prefixes of the program are no part of it
        head = _PREFIX.match(plain)
        skipped = head.end() if head else 0
        return (
            Written(
                text=plain[skipped:], raw=piece.raw, kept=piece.raw, line=line, start=start + skipped if start >= 0 else -1, stop=stop, wrong=wrong
            ),
        )
    lone = _LONE.match(plain)
    if lone:
        values = env.get(lone[1], "").split()
        if values or lone[1] in env:
            return tuple(Written(text=one, raw=piece.raw, kept=piece.raw, line=line, start=start, stop=stop) for one in values)
        return (Written(text="", raw=piece.raw, kept=piece.raw, line=line, start=start, stop=stop, vanished=(lone[1],), gone=True),)
    missing = tuple(match[1] for match in _BRACED.finditer(plain) if match[1] and match[1] not in env)
    filled = _BRACED.sub(lambda match: env.get(match[1], "") if match[1] else "$", plain)
    unread = bool(_LITERAL.search(plain)) and all(match[1] in env for match in _LITERAL.finditer(plain))
    return (Written(text=filled, raw=piece.raw, kept=piece.raw, line=line, start=start, stop=stop, wrong=wrong or unread, vanished=missing),)


def split_line(line: str) -> tuple[Piece, ...] | None:
    """The words of a command line as systemd splits it; None where a quote stays open. A lone ``;`` ends the first command."""
    found: list[Piece] = []
    at = 0
    while True:
        while at < len(line) and line[at] in " \t\n\r":
            at += 1
        if at >= len(line):
            return tuple(found)
        start, word = at, ""
        quote = ""
        while at < len(line) and (quote or line[at] not in " \t\n\r"):
            character = line[at]
            coded = _CODED.match(line, at)
            if coded:
                word += chr(int(coded[1] or coded[2] or coded[3], 16)) if not coded[4] else chr(int(coded[4], 8))
                at = coded.end()
                continue
            if character == "\\" and at + 1 < len(line):
                kept = "" if line[at + 1] in _ESCAPES or line[at + 1] == ";" else "\\"
                word += kept + _ESCAPES.get(line[at + 1], line[at + 1])
                at += 2
                continue
            if quote:
                quote, word = ("", word) if character == quote else (quote, word + character)
            elif character in "'\"":
                quote = character
            else:
                word += character
            at += 1
        if quote:
            return None
        raw = line[start:at]
        if raw == ";":
            return tuple(found)
        found.append(Piece(word, raw, start, at))


def quoted(word: str) -> str:
    """`word` as systemd must read it to arrive as it is."""
    text = word.replace("%", "%%").replace("$", "$$")
    if text and not re.search(r"[\s'\"\\;]", text):
        return text
    if "'" not in text:
        return "'" + text.replace("\\", "\\\\") + "'"
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _program(words: tuple[str, ...], cwd: str | None, user: str) -> list[Fault]:
    """A program that systemd refuses: it takes an absolute path, or a plain name that it looks for in its own fixed folders."""
    program = words[0] if words else ""
    if "/" not in program or program.startswith("/"):
        return []
    text = f"ExecStart begins with {program}: systemd takes only an absolute path, or a name without a slash that lies in its own folders"
    near = ""
    if program.startswith("~/"):
        near = f"{'/root' if user in ('', 'root') else '/home/' + user}/{program[2:]}"
    elif cwd and cwd.startswith("/"):
        near = f"{cwd.rstrip('/')}/{program.removeprefix('./')}"
    return [faults.manifest("not-absolute", text, order=0, command=program, **({"near": near} if near else {}))]


def _environment(origin: Origin, service: list[Setting]) -> tuple[dict[str, str], dict[str, tuple[int, int]]]:
    """What Environment= and EnvironmentFile= set; a file's value stands above the unit's own."""
    env: dict[str, str] = {}
    places: dict[str, tuple[int, int]] = {}
    files: dict[str, str] = {}
    for setting in service:
        if setting.name == "Environment":
            if not setting.value:
                env.clear()
            for piece in split_line(setting.value) or ():
                name, equals, value = piece.text.partition("=")
                if equals:
                    env[name], places[name] = value, (setting.start + piece.start, setting.start + piece.stop)
        elif setting.name == "EnvironmentFile":
            text = origin.files.get(setting.value.lstrip("-"))
            files |= environment_file(text or "")
    return {**env, **files}, places


def environment_file(text: str) -> dict[str, str]:
    """The variables of an EnvironmentFile: quotes around a value are removed, a backslash continues a line, nothing is filled in."""
    found: dict[str, str] = {}
    for line in re.sub(r"\\\r?\n", "", text).splitlines():
        name, equals, value = line.strip().partition("=")
        if not equals or name.startswith(("#", ";")):
            continue
        pieces = split_line(value)
        found[name.strip()] = " ".join(piece.text for piece in pieces) if pieces else value.strip()
    return found
