"""Two faults at once: the first hides the second, which shows when the first is mended."""

from collections.abc import Iterator

from msgspec import structs

from evals.mutate.scene import Edit, Mutated, Mutator, Scene, direct, replaced, typed, value_of
from transcripts.records import Launch


def _made(scene: Scene, variant: str, first: tuple[str, ...], second: tuple[str, ...], summary: str) -> Mutated:
    return Mutated(scene=scene, faults=(first, second), kind="two-faults", variant=variant, summary=summary, difficulty="hard")


def _later(scene: Scene) -> Iterator[tuple[str, Scene, tuple[str, ...]]]:
    """Faults that show after the arguments: each leaves the argv as it is."""
    port = int(value_of(scene, "--port"))
    yield "port", structs.replace(scene, holds=(port,)), ("process/port-in-use",)
    if scene.framework == "litellm":
        gone = {name: value for name, value in scene.environment.items() if name != "LITELLM_MASTER_KEY"}
        yield "key", structs.replace(scene, environment=gone), ("config/credentials",)
        text = scene.files["/srv/config.yaml"].replace("    litellm_params:", "\tlitellm_params:", 1)
        yield "file", structs.replace(scene, files={"/srv/config.yaml": text}), ("config/file-malformed",)
        text = scene.files["/srv/config.yaml"].replace("litellm_params:", "litellm_param:", 1)
        made = structs.replace(scene, files={"/srv/config.yaml": text})
        yield "entry", made, ("config/unknown-key", "config/invalid-value", "config/file-malformed")
    if scene.framework == "vllm":
        model = structs.replace(scene.models[0], edits=(Edit(kind="remove", file="model.safetensors"),))
        yield "weights", structs.replace(scene, models=(model,)), ("model/incomplete",)
        taken = {**scene.environment, "VLLM_PORT": "tcp://10.0.0.7:8000"}
        yield "variable", structs.replace(scene, environment=taken), ("environment/variable-collision",)
        long = replaced(scene.argv, value_of(scene, "--max-model-len"), "4096")
        yield "context", structs.replace(scene, argv=long, launch=Launch(argv=long)), ("config/context-too-long",)


def _earlier(scene: Scene) -> Iterator[tuple[str, Scene, tuple[str, ...]]]:
    """Faults of the arguments, each made in the argv as it is."""
    argv = scene.argv
    if scene.framework == "litellm":
        yield "misspelt", direct(scene, replaced(argv, "--port", "--prot")), ("flag/misspelt",)
        yield "boolean", direct(scene, (*argv, "--debug", "true")), ("quoting/boolean-value",)
        yield "variable", direct(scene, replaced(argv, value_of(scene, "--port"), "$PORT")), ("quoting/unexpanded-variable",)
        return
    yield "misspelt", direct(scene, (*argv, "--max-num-sequences", "4")), ("flag/misspelt",)
    yield "removed", direct(scene, (*argv, "--swap-space", "4")), ("flag/removed", "flag/renamed")
    if "--speculative-config" in argv:
        yield "json", typed(scene, " ".join(argv)), ("quoting/json-split",)


def two_faults(scene: Scene) -> Iterator[Mutated]:
    """Every fault of the arguments before every later one."""
    if scene.framework == "sglang" or scene.install == "vllm-0.20.1":
        return
    for later, broken, second in _later(scene):
        for earlier, made, first in _earlier(broken):
            yield _made(made, f"{earlier}-{later}", first, second, f"{earlier}, then {later}")


MUTATORS: tuple[Mutator, ...] = (two_faults,)
