"""Worlds on disk: one JSON file a world, one answer a line, long texts shared among all worlds by their digest, and the truths in one file apart.

::

    worlds/SLUG.json         the world, as a strategy may see it
    worlds/truths.jsonl      one `Truth` a line, by slug
    worlds/blobs/DIGEST.z    a text of more than a few kB, deflated
"""

import zlib
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from evals.world import Truth, World
from transcripts.codec import condense, expand
from transcripts.errors import UsageError

FOLDER = Path(__file__).parent / "worlds"
"""The worlds that come with nostart."""
_TRUTHS = "truths.jsonl"


def slugs(folder: Path = FOLDER) -> tuple[str, ...]:
    """The slugs of all worlds in `folder`, in order."""
    return tuple(sorted(path.stem for path in folder.glob("*.json")))


def load_world(slug: str, folder: Path = FOLDER) -> World:
    """One world.

    Raises:
        UsageError: there is none of that slug, or its file is damaged.
    """
    path = folder / f"{slug}.json"
    try:
        plain = msgspec.json.decode(path.read_bytes())
        return msgspec.convert(expand(plain, _blobs(folder)), World)
    except (OSError, msgspec.MsgspecError, zlib.error) as error:
        raise UsageError(f"cannot read the world {path}: {error}") from error


def load_truths(folder: Path = FOLDER) -> dict[str, Truth]:
    """What is wrong in each world, by slug (empty where there is no such file).

    Raises:
        UsageError: the file is damaged.
    """
    path = folder / _TRUTHS
    if not path.exists():
        return {}
    try:
        found = (msgspec.json.decode(line, type=Truth) for line in path.read_bytes().splitlines() if line.strip())
        return {truth.slug: truth for truth in found}
    except (OSError, msgspec.MsgspecError) as error:
        raise UsageError(f"cannot read {path}: {error}") from error


def load_all(folder: Path = FOLDER) -> Iterator[tuple[World, Truth]]:
    """Every world with its truth, by slug; a world whose truth is not known is left out."""
    truths = load_truths(folder)
    for slug in slugs(folder):
        if slug in truths:
            yield load_world(slug, folder), truths[slug]


def save(world: World, truth: Truth, folder: Path = FOLDER) -> None:
    """Write a world and its truth; what was there under the same slug is replaced."""
    (folder / "blobs").mkdir(parents=True, exist_ok=True)
    plain: dict[str, Any] = condense(msgspec.to_builtins(world), _keeper(folder))
    answers, launches = plain.pop("answers", []), plain.pop("launches")
    head = msgspec.json.encode(plain)[:-1].decode()
    text = f'{head},\n"launches":[\n{_lines(launches)}],\n"answers":[\n{_lines(answers)}]}}\n'
    (folder / f"{world.slug}.json").write_text(text, encoding="utf-8")
    truths = {**load_truths(folder), truth.slug: truth}
    lines = [msgspec.json.encode(truths[slug]).decode() + "\n" for slug in sorted(truths)]
    (folder / _TRUTHS).write_text("".join(lines), encoding="utf-8")


def _lines(items: list[Any]) -> str:
    return ",\n".join(msgspec.json.encode(item).decode() for item in items) + "\n"


def _keeper(folder: Path) -> Callable[[str, bytes], None]:
    def keep(name: str, data: bytes) -> None:
        path = folder / "blobs" / f"{name}.z"
        if not path.exists():
            path.write_bytes(zlib.compress(data, 9))

    return keep


@lru_cache(maxsize=4)
def _blobs(folder: Path) -> Callable[[str], bytes]:
    @lru_cache(maxsize=512)
    def load(name: str) -> bytes:
        return zlib.decompress((folder / "blobs" / f"{name}.z").read_bytes())

    return load
