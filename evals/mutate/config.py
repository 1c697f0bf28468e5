"""Mutators of the family ``config``: it arrived as it was meant, and is wrong."""

import json
from collections.abc import Iterator

from evals.mutate.quoting import json_options
from evals.mutate.scene import Mutated, Mutator, Scene, direct, replaced, value_of, with_words
from evals.world import Difficulty

_CHOICES: dict[str, tuple[tuple[str, str], ...]] = {
    "vllm": (("--dtype", "float17"), ("--load-format", "safetensor"), ("--tokenizer-mode", "quick"), ("--block-size", "13")),
    "sglang": (("--dtype", "fp16"), ("--load-format", "safetensor"), ("--attention-backend", "flashinfr")),
    "litellm": (),
}
_VALUES: dict[str, tuple[tuple[str, str], ...]] = {
    "vllm": (
        ("--max-model-len", "lots"),
        ("--port", "http"),
        ("--max-num-seqs", "many"),
        ("--gpu-memory-utilization", "90%"),
        ("--max-num-seqs", "0"),
    ),
    "sglang": (("--mem-fraction-static", "80%"), ("--port", "http"), ("--max-total-tokens", "2k!"), ("--tp-size", "two")),
    "litellm": (("--port", "http"), ("--num_workers", "two"), ("--temperature", "warm"), ("--request_timeout", "5s"), ("--limit_concurrency", "0")),
}


def _made(scene: Scene, cause: str, kind: str, variant: str, summary: str, *also: str, difficulty: Difficulty = "medium") -> Mutated:
    return Mutated(scene=scene, faults=((cause, *also),), kind=kind, variant=variant, summary=summary, difficulty=difficulty)


def given(scene: Scene, flag: str, value: str) -> tuple[str, ...]:
    """The argv with `value` for `flag`, which stands there already or not."""
    return replaced(scene.argv, value_of(scene, flag), value) if flag in scene.argv else with_words(scene, flag, value)


def break_json(scene: Scene) -> Iterator[Mutated]:
    """JSON that is none, with its quoting in order."""
    for flag, value in json_options(scene):
        broken = (
            ("no-end", value[:-1], "a brace is missing"),
            ("comma", value.replace("}", ",}"), "a trailing comma"),
            ("single", value.replace('"', "'"), "single quotes for double ones"),
            ("equals", value.replace(": ", "= "), "equals signs for colons"),
            ("word", value.replace('"ngram"', "ngram"), "a value without quotes"),
        )
        for variant, text, summary in broken:
            if text != value:
                yield _made(direct(scene, replaced(scene.argv, value, text)), "config/invalid-json", "break-json", variant, f"{flag}: {summary}")


def unknown_key(scene: Scene) -> Iterator[Mutated]:
    """A key that the configuration does not have."""
    for flag, value in json_options(scene):
        if flag == "--speculative-config":
            plain = json.loads(value)
            for variant, key in (("misspelt", "num_speculative_token"), ("other", "draft_length")):
                argv = replaced(scene.argv, value, json.dumps({**plain, key: 3}))
                yield _made(direct(scene, argv), "config/unknown-key", "unknown-key", variant, f"{flag} has no key {key}")
            less = {name: item for name, item in plain.items() if name != "num_speculative_tokens"}
            argv = replaced(scene.argv, value, json.dumps(less))
            yield _made(
                direct(scene, argv), "config/speculative", "incomplete-config", "tokens", "num_speculative_tokens is missing", "config/invalid-value"
            )
    if scene.framework == "vllm" and not any(json_options(scene)):
        argv = with_words(scene, "--compilation-config", '{"levle": 0}')
        yield _made(direct(scene, argv), "config/unknown-key", "unknown-key", "compilation", "--compilation-config has no key levle")


def wrong_choice(scene: Scene) -> Iterator[Mutated]:
    """A word that is none of the choices."""
    for flag, value in _CHOICES[scene.framework]:
        argv = given(scene, flag, value)
        yield _made(direct(scene, argv), "config/invalid-choice", "wrong-choice", flag.strip("-"), f"{value} is no {flag}", "config/invalid-value")


def wrong_value(scene: Scene) -> Iterator[Mutated]:
    """A value of the wrong type, or out of range."""
    for flag, value in _VALUES[scene.framework]:
        variant = f"{flag.strip('-')}-{value}"
        yield _made(direct(scene, given(scene, flag, value)), "config/invalid-value", "wrong-value", variant, f"{value} is no {flag}")


def too_much(scene: Scene) -> Iterator[Mutated]:
    """More than the model or the machine has; options that exclude each other."""
    if scene.framework == "vllm":
        yield _made(
            direct(scene, given(scene, "--max-model-len", "4096")), "config/context-too-long", "too-long", "4096", "the model has 512 positions"
        )
        yield _made(direct(scene, with_words(scene, "--tensor-parallel-size", "3")), "config/parallelism", "parallelism", "three", "4 heads by 3")
        yield _made(
            direct(scene, with_words(scene, "--quantization", "awq")), "config/quantization", "quantization", "awq", "the model is not quantised"
        )
        yield _made(
            direct(scene, with_words(scene, "--chat-template", "/srv/template.jinja")),
            *("config/chat-template", "chat-template", "missing", "there is no such template", "config/file-missing"),
        )
        template = {**scene.files, "/srv/template.jinja": "{% for m in messages %}{{ m.content }"}
        yield _made(
            direct(scene, with_words(scene, "--max-num-batched-tokens", "64", "--no-enable-chunked-prefill"), files=template),
            *("config/incompatible", "incompatible", "batched", "fewer batched tokens than the context, and no chunked prefill"),
            difficulty="hard",
        )
    if scene.framework == "sglang":
        yield _made(direct(scene, with_words(scene, "--tp-size", "3")), "config/parallelism", "parallelism", "three", "4 heads by 3")
        yield _made(direct(scene, with_words(scene, "--context-length", "4096")), "config/context-too-long", "too-long", "4096", "512 positions")
        yield _made(
            direct(scene, with_words(scene, "--quantization", "awq")), "config/quantization", "quantization", "awq", "the model is not quantised"
        )


def config_file(scene: Scene) -> Iterator[Mutated]:
    """A configuration file that is not there, or is not what it should be."""
    if scene.framework == "litellm":
        yield from _proxy_file(scene)
        return
    missing = with_words(scene, "--config", "/srv/server.yaml")
    yield _made(direct(scene, missing), "config/file-missing", "file-missing", "config", "there is no such file")
    for variant, text, cause, also in (
        ("tab", "dtype: float32\n\tport: 1\n", "config/file-malformed", ()),
        ("quote", 'served-model-name: "tiny\n', "config/file-malformed", ()),
        ("key", "served-model-nam: tiny\nmax-model-length: 12\n", "config/unknown-key", ("flag/misspelt",)),
    ):
        files = {**scene.files, "/srv/server.yaml": text}
        kind = "unknown-key" if variant == "key" else "file-malformed"
        yield _made(direct(scene, missing, files=files), cause, kind, f"file-{variant}", f"the file: {variant}", *also)


def _proxy_file(scene: Scene) -> Iterator[Mutated]:
    text = scene.files["/srv/config.yaml"]
    malformed = (
        ("tab", text.replace("    litellm_params:", "\tlitellm_params:", 1), "a tab for spaces"),
        ("quote", text.replace("model_name: small", 'model_name: "small', 1), "a quote is not closed"),
        ("colon", text.replace("    litellm_params:\n", "    litellm_params\n", 1), "a colon is missing"),
        ("indent", text.replace("      api_base", "     api_base", 1), "a key stands one column to the left"),
        ("bracket", text.replace("api_key: none", "api_key: [none", 1), "a bracket is not closed"),
        ("at", text.replace("model_name: large", "model_name: @large", 1), "a value begins with a reserved character"),
        ("two-colons", text.replace("model: openai/small", "model: openai: small", 1), "two colons in a line"),
        ("end", text.rstrip("\n") + "\n}\n", "a stray brace at the end"),
    )
    for variant, broken, summary in malformed:
        files = {**scene.files, "/srv/config.yaml": broken}
        yield _made(direct(scene, scene.argv, files=files), "config/file-malformed", "file-malformed", variant, summary)
    unknown = (
        ("params", text.replace("litellm_params:", "litellm_param:", 1), "an entry without litellm_params"),
        ("name", text.replace("model_name: small", "modle_name: small", 1), "an entry without model_name"),
    )
    for variant, broken, summary in unknown:
        files = {**scene.files, "/srv/config.yaml": broken}
        made = direct(scene, scene.argv, files=files)
        yield _made(made, "config/unknown-key", "unknown-key", variant, summary, "config/invalid-value", "config/file-malformed")
    argv = scene.argv
    for variant, path in (("typo", "/srv/confg.yaml"), ("relative", "configs/proxy.yaml"), ("suffix", "/srv/config.yml")):
        yield _made(direct(scene, replaced(argv, "/srv/config.yaml", path)), "config/file-missing", "file-missing", variant, f"there is no {path}")
    keys = ("--ssl_keyfile_path", "/srv/tls/server.key", "--ssl_certfile_path", "/srv/tls/server.pem")
    yield _made(direct(scene, with_words(scene, *keys)), "config/file-missing", "file-missing", "tls", "there is no key file")
    yield _made(
        direct(scene, with_words(scene, "--log_config", "/srv/logging.json")),
        "config/file-missing",
        "file-missing",
        "log",
        "no logging configuration",
    )
    unset = ("env", "-u", "LITELLM_MASTER_KEY", *argv)
    yield _made(direct(scene, unset), "config/credentials", "unset-key", "env", "no master key is set")
    gone = {name: value for name, value in scene.environment.items() if name != "LITELLM_MASTER_KEY"}
    yield _made(direct(scene, argv, environment=gone), "config/credentials", "unset-key", "target", "no master key is set on the target")


MUTATORS: tuple[Mutator, ...] = (break_json, unknown_key, wrong_choice, wrong_value, too_much, config_file)
