"""Mutators of the family ``model``: the folder of the model is not there, not whole, or not what the server can load."""

from collections.abc import Iterator

from msgspec import structs

from evals.mutate.scene import Edit, Model, Mutated, Mutator, Scene, direct, replaced

_OTHER = {
    "architectures": ["AuroraForCausalLM"],
    "model_type": "aurora",
}
_REMOTE = {"auto_map": {"AutoConfig": "configuration_tiny.TinyConfig", "AutoModelForCausalLM": "modeling_tiny.TinyModel"}, "model_type": "tinymodel"}


def _made(scene: Scene, cause: str, kind: str, variant: str, summary: str, *also: str) -> Mutated:
    return Mutated(scene=scene, faults=((cause, *also),), kind=kind, variant=variant, summary=summary, difficulty="medium")


def _edited(scene: Scene, *edits: Edit, source: str = "") -> Scene:
    model = scene.models[0]
    return structs.replace(scene, models=(structs.replace(model, edits=edits, source=source or model.source),))


def harm_files(scene: Scene) -> Iterator[Mutated]:
    """Files of the model removed, cut short or replaced."""
    if not scene.models or "--speculative-config" in scene.argv:
        return
    yield _made(
        _edited(scene, Edit(kind="cut", file="model.safetensors", size=200_000)),
        "model/corrupt",
        "truncate",
        "weights",
        "weights cut",
        "model/incomplete",
    )
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4f1c\nsize 6298792\n"
    yield _made(
        _edited(scene, Edit(kind="write", file="model.safetensors", text=pointer)),
        "model/incomplete",
        "corrupt",
        "pointer",
        "an LFS pointer",
        "model/corrupt",
    )
    yield _made(_edited(scene, Edit(kind="remove", file="model.safetensors")), "model/incomplete", "remove-file", "weights", "no weights")
    index = '{"metadata": {"total_size": 6291456}, "weight_map": {"model.embed_tokens.weight": "model-00001-of-00002.safetensors"}}'
    yield _made(
        _edited(
            scene,
            Edit(kind="write", file="model.safetensors.index.json", text=index),
            Edit(kind="rename", file="model.safetensors", text="model-00002-of-00002.safetensors"),
        ),
        *("model/incomplete", "remove-file", "shard", "a shard that the index names is not there"),
    )
    both = (Edit(kind="remove", file="tokenizer.json"), Edit(kind="remove", file="tokenizer_config.json"))
    yield _made(_edited(scene, *both), "model/tokenizer", "remove-file", "tokenizer", "no tokenizer", "model/incomplete")
    yield _made(
        _edited(scene, Edit(kind="cut", file="config.json", size=300)),
        "model/corrupt",
        "truncate",
        "config",
        "config.json cut",
        "config/file-malformed",
    )
    yield _made(
        _edited(scene, Edit(kind="remove", file="config.json")), "model/incomplete", "remove-file", "config", "no config.json", "model/not-found"
    )


def strange(scene: Scene) -> Iterator[Mutated]:
    """A model that the server does not know, or whose own code it may not run; one that dies on its first request."""
    if not scene.models or "--speculative-config" in scene.argv:
        return
    other = Edit(kind="values", file="config.json", values=dict(_OTHER))
    yield _made(
        _edited(scene, other),
        *("model/architecture", "architecture", "unknown", "nobody knows it", "version/framework-too-old", "version/dependency"),
    )
    remote = Edit(kind="values", file="config.json", values=dict(_REMOTE))
    code = Edit(kind="write", file="configuration_tiny.py", text="from transformers import LlamaConfig\n\nclass TinyConfig(LlamaConfig):\n    pass\n")
    yield _made(_edited(scene, remote, code), "model/remote-code", "remote-code", "own", "the model brings its own code", "flag/missing")
    if scene.framework == "vllm":
        yield _made(_edited(scene, source="llama-16-heads"), "model/unservable", "unservable", "narrow", "head size 16: dies on the first request")
        shape = Edit(kind="values", file="config.json", values={"intermediate_size": 640})
        yield _made(
            _edited(scene, shape),
            *("model/corrupt", "corrupt", "shape", "the weights do not fit config.json", "config/file-malformed", "model/incomplete"),
        )


def move(scene: Scene) -> Iterator[Mutated]:
    """The model lies elsewhere, or is a name on a hub that cannot be reached."""
    if not scene.models:
        return
    path = scene.models[0].path
    if "--speculative-config" not in scene.argv:
        yield _made(direct(scene, replaced(scene.argv, path, path + "-v2")), "model/not-found", "wrong-path", "suffix", "there is no such folder")
        yield _made(
            direct(scene, replaced(scene.argv, path, "/srv/model/tiny")), "model/not-found", "wrong-path", "folder", "there is no such folder"
        )
        offline = structs.replace(scene, environment={**scene.environment, "HF_HUB_OFFLINE": "1"})
        yield _made(
            direct(offline, replaced(scene.argv, path, "openlm-research/open_llama_3b")), "model/offline", "offline", "hub", "the hub is switched off"
        )


def plain(path: str) -> Model:
    """The model as it is, at another path."""
    return Model(path=path)


MUTATORS: tuple[Mutator, ...] = (harm_files, strange, move)
