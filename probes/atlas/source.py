"""The flags of an installed framework, read from its source: in process with a cache, or as a program for the target's own Python."""

import ast
import gc
import hashlib
import json
import os
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from probes.atlas import beside, evaluator, expressions, extract, guards, inside, interpreter, modules, natives, recording, scopes, shaping, values
from probes.atlas.table import Flag, FlagTable

PARTS = (values, scopes, expressions, evaluator, modules, inside, guards, interpreter, recording, natives, shaping, beside, extract)
"""The parts of the reader, in the order in which they stand in `program`."""
_DEPTH = 20_000
_TYPING = """
class Hint:
    def __getitem__(self, _item):
        return self
Any = Callable = Iterable = Iterator = Hint()
def cast(_kind, value):
    return value
"""
"""What the parts take from `typing`, whose import would cost a tenth of the time."""


class TreeError(Exception):
    """The code of a source tree that declares the flags could not be followed to its end."""


@cache
def program() -> str:
    """The extractor as one stand-alone program for ``PYTHON -I -S - ROOT PACKAGE COMMAND``: it prints one JSON document, and writes nothing."""
    parts = ["from __future__ import annotations\n", _TYPING, *(_own_code(Path(str(part.__file__)).read_text(encoding="utf-8")) for part in PARTS)]
    return "".join([*parts, "import gc\ngc.disable()\nsys.exit(main(sys.argv[1:]))\n"])


def _own_code(text: str) -> str:
    """A part without what it takes from the others (and from the future and `typing`)."""
    lines = text.splitlines(keepends=True)
    for node in ast.parse(text).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in ("probes", "__future__", "typing"):
            lines[node.lineno - 1 : node.end_lineno] = [""] * ((node.end_lineno or node.lineno) - node.lineno + 1)
    return "".join(lines)


def table_of(document: Mapping[str, Any]) -> FlagTable:
    """The table in an extractor's document; ValueError (or KeyError, TypeError) for a document of another form."""
    framework, release = str(document["framework"]), str(document["release"])
    return FlagTable(
        framework=framework,
        release=release.partition("+")[0],
        command=str(document.get("command", "")),
        flags=tuple(_flag(option) for option in document["options"]),
        api_only=tuple(document.get("api_only", ())),
        subcommands=tuple(document.get("subcommands", ())),
        environment=tuple(document.get("environment", ())),
        config_keys={
            name: {key: None if values is None else tuple(values) for key, values in keys.items()}
            for name, keys in document.get("config_keys", {}).items()
        },
        open_configs=tuple(document.get("open_configs", ())),
        source=f"source of {framework} {release}",
    )


def _flag(option: Mapping[str, Any]) -> Flag:
    choices = option.get("choices")
    return Flag(
        names=tuple(option["names"]),
        dest=option["dest"],
        type=option.get("type") or "",
        choices=None if choices is None else tuple(str(choice) for choice in choices),
        nargs=option.get("nargs"),
        default=option.get("default"),
        takes_value=option.get("takes_value", True),
        json_config=option.get("json_config") or "",
        required=option.get("required", False),
        deprecated=option.get("deprecated") or "",
        group=option.get("group") or "",
        nullable=option.get("nullable", False),
        environment=option.get("environment") or "",
        pairs=option.get("pairs", False),
        known=tuple(option.get("known") or ()),
        uncertain=option.get("uncertain", False),
    )


def read_flags(root: Path, package: str, command: str = "serve", *, folder: Path | None = None) -> FlagTable:
    """The flags of `package` in the folder `root` (a ``site-packages`` or a source tree), from the cache where its files are unchanged.

    `folder` is the cache's (by default ``nostart`` in the user's cache folder); it may be deleted at any time, and a cache that cannot be read
    or written is done without. FileNotFoundError when there is no such package.
    """
    place = folder if folder is not None else cache_folder()
    name = hashlib.sha256("\0".join((_version(), str(root.resolve()), package, command)).encode()).hexdigest()[:32]
    document = _cached(place / f"flags-{name}.json")
    if document is None:
        if not (root / package).is_dir():
            raise FileNotFoundError(str(root / package))
        document = _extracted(root, package, command)
        _keep(place, f"flags-{name}.json", document)
    return table_of(document)


def read_tree(root: Path, framework: str, command: str = "") -> FlagTable:
    """The flags of a release's source tree that is not installed (an unpacked sdist or wheel), in process and without a cache.

    `root` holds the package folder, itself or in its ``python`` or ``src``; `command` is the serving command (empty: the framework's own; else as an
    `Entry` names it: ``python -m vllm.entrypoints.api_server``). FileNotFoundError where there is no such package; `TreeError` where its code could
    not be followed to the end.
    """
    place = next((root / part for part in ("", "python", "src") if (root / part / framework).is_dir()), None)
    if place is None:
        raise FileNotFoundError(str(root / framework))
    document = _extracted(place, framework, command)
    if document["failed"] or not document["options"]:
        raise TreeError("; ".join(document["failed"]) or f"no options found in {place / framework}")
    return table_of(document)


def cache_folder() -> Path:
    """The folder of what can be made again: ``$XDG_CACHE_HOME/nostart``."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "nostart"


def _extracted(root: Path, package: str, command: str) -> dict[str, Any]:
    before, collecting = sys.getrecursionlimit(), gc.isenabled()
    sys.setrecursionlimit(max(before, _DEPTH))
    gc.disable()  # a hundred thousand small objects that all stay until the end: looking for garbage among them costs a fifth of the time
    try:
        document = extract.extract(str(root), package, command)
    finally:
        sys.setrecursionlimit(before)
        if collecting:
            gc.enable()
    document["files"] = [[path, *_stamp(path)] for path in document["files"]]
    return document


@cache
def _version() -> str:
    """Of the reader itself: what an older one read is read again."""
    return hashlib.sha256(b"\0".join(Path(str(part.__file__)).read_bytes() for part in PARTS)).hexdigest()


def _stamp(path: str) -> tuple[int, int]:
    status = Path(path).stat()
    return status.st_size, status.st_mtime_ns


def _cached(path: Path) -> dict[str, Any] | None:
    """A cached document whose files all have the size and time they had; None for anything else."""
    try:
        document = json.loads(path.read_bytes())
        fresh = all(_stamp(name) == (size, time) for name, size, time in document["files"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return document if fresh else None


def _keep(folder: Path, name: str, document: Mapping[str, Any]) -> None:
    """Write through a file of its own and a rename, so that a reader never sees half of it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / f"{name}.{os.getpid()}"
        part.write_text(json.dumps(document), encoding="utf-8")
        part.replace(folder / name)
    except OSError:
        return
