"""What a recording sets up: a launch, the files and folders it finds, who holds a port. Pure values; `evals.staging` makes them real.

All paths are neutral: ``/opt/NAME`` are installs, ``/srv`` is the folder of the scene.
"""

import hashlib
import json
import shlex
from collections.abc import Callable, Iterable, Iterator
from typing import Literal

import msgspec
from msgspec import field, structs

from evals.world import Difficulty
from transcripts.records import Launch, Record


class Edit(Record, frozen=True, kw_only=True):
    """A change to one file of a model's folder: removed, cut after `size` bytes, written anew with `text`, or JSON keys replaced by `values`."""

    kind: Literal["remove", "cut", "write", "values", "rename"]
    file: str
    size: int = 0
    text: str = ""
    values: dict[str, object] = field(default_factory=dict)


class Model(Record, frozen=True, kw_only=True):
    """A model's folder at `path`: a copy of the model `source` (``llama-4-heads``, ``llama-16-heads``) with edits."""

    path: str
    source: str = "llama-4-heads"
    edits: tuple[Edit, ...] = ()


class Overlay(Record, frozen=True, kw_only=True):
    """An environment at `path` that sees all of `install`, with the distributions `packages` (``name==release``) and `modules` laid over it.

    `modules` are files below its site-packages; `programs` the console scripts that it gets.
    """

    path: str
    install: str
    packages: tuple[str, ...] = ()
    modules: dict[str, str] = field(default_factory=dict)
    programs: tuple[str, ...] = ()


class Scene(Record, frozen=True, kw_only=True):
    """A launch and where it happens. `argv` is the launch of the server program as meant; `launch` what is executed.

    `install` is the folder below ``/opt``; `holds` are the ports that another process listens on; `environment` that of the target, before
    the launch's own changes. `log` is given instead of the launch's own, where it is not empty: (the launch it is really of).
    """

    name: str
    framework: str
    install: str
    argv: tuple[str, ...]
    launch: Launch
    environment: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    models: tuple[Model, ...] = ()
    overlays: tuple[Overlay, ...] = ()
    holds: tuple[int, ...] = ()
    log: Launch | None = None

    @property
    def state(self) -> str:
        """The name of everything but the launch: two scenes of the same state answer the same command in the same way."""
        rest = [self.install, sorted(self.environment.items()), sorted(self.files.items()), self.models, self.overlays, self.holds]
        return hashlib.sha256(msgspec.json.encode(rest)).hexdigest()[:12]


class Mutated(Record, frozen=True, kw_only=True):
    """A failing scene and what is wrong in it (see `evals.world.Truth`); `variant` tells apart those of one mutator from one base."""

    scene: Scene
    faults: tuple[tuple[str, ...], ...]
    kind: str
    variant: str
    summary: str
    difficulty: Difficulty = "medium"

    @property
    def recipe(self) -> dict[str, str]:
        """What makes it again."""
        return {"base": self.scene.name, "kind": self.kind, "variant": self.variant}

    @property
    def slug(self) -> str:
        """The world's name: a digest of the recipe."""
        return hashlib.sha256(json.dumps(self.recipe, sort_keys=True).encode()).hexdigest()[:12]


Mutator = Callable[[Scene], Iterator[Mutated]]
"""From a scene that works, every failing one of a kind (none where the kind does not apply)."""


def direct(scene: Scene, argv: Iterable[str], **changes: object) -> Scene:
    """The scene with `argv` executed as a list, no shell between."""
    return structs.replace(scene, launch=Launch(argv=tuple(argv)), **changes)


def typed(scene: Scene, line: str, **changes: object) -> Scene:
    """The scene with `line` typed at a shell."""
    return structs.replace(scene, launch=Launch(argv=("bash", "-c", line), shell=line), **changes)


def quoted(words: Iterable[str]) -> str:
    """The words as one line of shell that delivers them unharmed."""
    return shlex.join(words)


def with_words(scene: Scene, *words: str) -> tuple[str, ...]:
    """The scene's argv with more words at its end."""
    return (*scene.argv, *words)


def without(scene: Scene, flag: str) -> tuple[str, ...]:
    """The scene's argv without `flag` and its value."""
    place = scene.argv.index(flag)
    return (*scene.argv[:place], *scene.argv[place + 2 :])


def value_of(scene: Scene, flag: str) -> str:
    """The value that the scene's argv gives to `flag` (empty: none)."""
    return scene.argv[scene.argv.index(flag) + 1] if flag in scene.argv else ""


def replaced(argv: Iterable[str], old: str, *new: str) -> tuple[str, ...]:
    """The argv with the word `old` replaced by the words `new`."""
    return tuple(word for each in argv for word in (new if each == old else (each,)))
