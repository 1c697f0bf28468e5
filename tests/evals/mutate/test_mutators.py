"""What the mutators make: failing launches of every family, each really different from the launch that works, none telling what was done."""

import json
import re
from collections import Counter

import msgspec
import pytest

from agent.causes.catalogue import CAUSES
from evals.mutate.bases import BASES
from evals.mutate.catalogue import MUTATORS, mutators_of, scenes
from evals.mutate.scene import Mutated, Scene, value_of
from probes.atlas.history import table_for
from probes.frameworks.catalogue import find_entry, recognise
from probes.launches.understand import understand

SCENES = tuple(scenes())
FAMILIES = {"quoting", "flag", "version", "config", "environment", "memory", "model", "process"}
RELEASES = {
    "vllm-0.29.0": ("vllm", "0.29.0"),
    "vllm-0.20.1": ("vllm", "0.20.1"),
    "sglang": ("sglang", "0.5.23"),
    "litellm": ("litellm", "1.108.7"),
}
TELLING = re.compile(
    r"misspel|mutat|broken|corrupt|trunc|occup|stale|fault|wrong|inject|downgrad|fake|shadow|malform|missing|nope|bad[-_./]", re.IGNORECASE
)


def arriving(scene: Scene) -> tuple[str, ...]:
    """The argv that the scene's launch delivers."""
    files: dict[str, str | None] = dict(scene.files)
    return understand(scene.launch, files=files, environment=scene.environment, find_entry=find_entry).argv


def base_of(mutated: Mutated) -> Scene:
    """The scene that works."""
    return next(base for base in BASES if base.name == mutated.scene.name)


def ids(mutated: Mutated) -> str:
    """The name of a scene in the test's report."""
    return f"{mutated.scene.name}-{mutated.kind}-{mutated.variant}"


def test_every_family_is_made() -> None:
    """There are failing scenes of all eight families of causes."""
    assert {mutated.faults[0][0].partition("/")[0] for mutated in SCENES} == FAMILIES


def test_the_causes_are_those_of_the_catalogue() -> None:
    """Every id that a mutator claims can be found."""
    known = {cause.id for cause in CAUSES}

    assert set() == {cause for mutated in SCENES for fault in mutated.faults for cause in fault} - known


def test_slugs_are_unique_and_stay() -> None:
    """A slug is a digest of the recipe alone: no two scenes share one, and making them again gives the same."""
    slugs = [mutated.slug for mutated in SCENES]

    assert [] == [slug for slug, count in Counter(slugs).items() if count > 1]
    assert slugs == [mutated.slug for mutated in scenes()]


def test_two_faults_at_once_are_many() -> None:
    """At least twelve scenes hold two faults, of different families or kinds."""
    pairs = [mutated for mutated in SCENES if len(mutated.faults) > 1]

    assert 12 <= len(pairs)
    assert all(set(first).isdisjoint(second) for first, second in (mutated.faults for mutated in pairs))


@pytest.mark.parametrize("mutated", SCENES, ids=ids)
def test_a_mutated_scene_is_another_one(mutated: Mutated) -> None:
    """Its launch, or the state of its target, differs from the base's."""
    base = base_of(mutated)

    assert (base.launch, base.state, base.log) != (mutated.scene.launch, mutated.scene.state, mutated.scene.log)


@pytest.mark.parametrize("mutated", SCENES, ids=ids)
def test_nothing_tells_what_was_done(mutated: Mutated) -> None:
    """The words of the launch, the paths and the environment name neither the cause nor the mutation."""
    scene = mutated.scene
    told = msgspec.json.encode(
        [scene.launch, sorted(scene.files), [m.path for m in scene.models], [o.path for o in scene.overlays], scene.environment]
    )

    assert None is TELLING.search(told.decode())


@pytest.mark.parametrize("mutated", [m for m in SCENES if m.kind in ("strip-quotes", "brace-expansion", "word-splitting", "join-arguments")], ids=ids)
def test_a_quoting_scene_delivers_another_argv(mutated: Mutated) -> None:
    """What arrives, by the same reading of shells that the triage uses, is not what was meant."""
    assert arriving(mutated.scene) != mutated.scene.argv


@pytest.mark.parametrize("mutated", [m for m in SCENES if m.kind in ("take-older-flag", "take-later-flag", "rename", "take-foreign-flag")], ids=ids)
def test_a_flag_of_elsewhere_is_not_in_this_release(mutated: Mutated) -> None:
    """The atlas of the release does not know the flag that was added."""
    table = table_for(*RELEASES[mutated.scene.install])
    assert table is not None
    assert None is table.find(mutated.variant)


@pytest.mark.parametrize("mutated", [m for m in SCENES if m.kind == "break-json"], ids=ids)
def test_broken_json_is_none(mutated: Mutated) -> None:
    """The value that arrives is whole, and no JSON."""
    flag = "--speculative-config"
    value = arriving(mutated.scene)[arriving(mutated.scene).index(flag) + 1]

    with pytest.raises(ValueError, match=r"."):
        json.loads(value)


@pytest.mark.parametrize("base", BASES, ids=lambda base: base.name)
def test_a_base_is_a_launch_of_its_framework(base: Scene) -> None:
    """What works is recognised as a serving command, delivers itself, and has a port of its own."""
    found = recognise(base.argv)

    assert found is not None and found[0].name == base.framework
    assert base.argv == arriving(base)
    assert value_of(base, "--port").isdigit()


def test_every_mutator_makes_something() -> None:
    """A mutator from which no base gets a failing scene is dead code."""
    assert [] == [place for place, mutator in enumerate(MUTATORS) if not any(list(mutator(base)) for base in BASES if mutator in mutators_of(base))]
