"""Mutators of the family ``flag``: a flag that this program does not take."""

from collections.abc import Iterator

from evals.mutate.scene import Mutated, Mutator, Scene, direct, quoted, replaced, typed, with_words
from evals.world import Difficulty

_MISSPELT: dict[str, tuple[tuple[str, str], ...]] = {
    "litellm": (("--port", "--prot"), ("--config", "--confg"), ("--host", "--hostt"), ("--config", "--Config"), ("--port", "-port")),
    "vllm": (
        ("--max-model-len", "--max-model-lenght"),
        ("--enforce-eager", "--enforce-eagr"),
        ("--dtype", "--dtpye"),
        ("--port", "---port"),
        ("--speculative-config", "--speculative-confg"),
    ),
    "sglang": (("--model-path", "--model_path"), ("--device", "--devcie"), ("--max-total-tokens", "--max-total-tokns"), ("--port", "--prot")),
}
_FOREIGN: dict[str, tuple[tuple[str, ...], ...]] = {
    "litellm": (("--workers", "2"), ("--log-level", "debug"), ("--max-model-len", "128"), ("--tensor-parallel-size", "2"), ("--reload-dir", "/srv")),
    "vllm": (("--mem-fraction-static", "0.8"), ("--n-gpu-layers", "20"), ("--tp-size", "2"), ("--detailed_debug",)),
    "sglang": (("--max-model-len", "128"), ("--gpu-memory-utilization", "0.5"), ("--enforce-eager",), ("--drop_params",)),
}
_ELSEWHEN: dict[str, tuple[tuple[str, str, tuple[str, ...]], ...]] = {
    "vllm-0.29.0": (
        ("take-older-flag", "flag/removed", ("--swap-space", "4")),
        ("take-older-flag", "flag/removed", ("--num-scheduler-steps", "8")),
        ("take-older-flag", "flag/removed", ("--use-v2-block-manager",)),
        ("take-older-flag", "flag/removed", ("--disable-log-requests",)),
        ("rename", "flag/renamed", ("--guided-decoding-backend", "xgrammar")),
        ("rename", "flag/renamed", ("--task", "generate")),
        ("rename", "flag/renamed", ("--speculative-model", "[ngram]", "--num-speculative-tokens", "2")),
        ("take-later-flag", "flag/not-yet", ("--log-level", "info")),
        ("take-later-flag", "flag/not-yet", ("--monokernel",)),
        ("take-later-flag", "flag/not-yet", ("--max-num-active-seqs", "8")),
        ("take-api-parameter", "flag/api-only", ("--enable-mm-processor-stats",)),
    ),
    "vllm-0.20.1": (
        ("take-older-flag", "flag/removed", ("--enable-reasoning",)),
        ("take-older-flag", "flag/removed", ("--preemption-mode", "swap")),
        ("rename", "flag/renamed", ("--rope-scaling", '{"rope_type": "linear", "factor": 2.0}')),
        ("take-later-flag", "flag/not-yet", ("--spec-method", "ngram")),
        ("take-later-flag", "flag/not-yet", ("--max-num-queued-reqs", "10")),
        ("take-later-flag", "flag/not-yet", ("--linear-backend", "auto")),
        ("take-api-parameter", "flag/api-only", ("--quantization-config", "{}")),
    ),
}
_EQUAL = {"flag/renamed": ("flag/removed",), "flag/removed": ("flag/renamed",)}
"""What the parsers cannot tell apart, and the catalogue calls both defensible."""


def _made(scene: Scene, cause: str, kind: str, variant: str, summary: str, also: tuple[str, ...] = (), difficulty: Difficulty = "medium") -> Mutated:
    return Mutated(scene=scene, faults=((cause, *also),), kind=kind, variant=variant, summary=summary, difficulty=difficulty)


def misspell(scene: Scene) -> Iterator[Mutated]:
    """A near miss of a flag's name."""
    for right, wrong in _MISSPELT[scene.framework]:
        if right in scene.argv:
            yield _made(
                direct(scene, replaced(scene.argv, right, wrong)), "flag/misspelt", "misspell", wrong, f"{wrong} for {right}", difficulty="easy"
            )


def take_foreign(scene: Scene) -> Iterator[Mutated]:
    """A flag of another server."""
    for words in _FOREIGN[scene.framework]:
        yield _made(direct(scene, with_words(scene, *words)), "flag/foreign", "take-foreign-flag", words[0], f"{words[0]} is another program's")


def take_elsewhen(scene: Scene) -> Iterator[Mutated]:
    """A flag of an earlier or later release, or of the Python API."""
    for kind, cause, words in _ELSEWHEN.get(scene.install, ()):
        yield _made(direct(scene, with_words(scene, *words)), cause, kind, words[0], f"{words[0]} in {scene.install}", _EQUAL.get(cause, ()))


def misplace(scene: Scene) -> Iterator[Mutated]:
    """A subcommand that is none, an option before it, an option of another command."""
    program = scene.argv[0]
    if scene.framework == "litellm":
        yield _made(direct(scene, (program, "serve", *scene.argv[1:])), "flag/wrong-command", "wrong-command", "serve", "litellm has no subcommand")
        yield _made(direct(scene, (program, "proxy", *scene.argv[1:])), "flag/wrong-command", "wrong-command", "proxy", "litellm has no subcommand")
        return
    wrong = {"vllm": "server", "sglang": "launch"}[scene.framework]
    yield _made(direct(scene, (program, wrong, *scene.argv[2:])), "flag/wrong-command", "wrong-command", wrong, f"{wrong} is no subcommand")
    port = scene.argv.index("--port")
    moved = (program, *scene.argv[port : port + 2], "serve", *(word for n, word in enumerate(scene.argv) if n > 1 and n not in (port, port + 1)))
    yield _made(direct(scene, moved), "flag/wrong-command", "wrong-command", "before", "an option before the subcommand")
    if scene.framework == "vllm":
        yield _made(
            direct(scene, with_words(scene, "--num-prompts", "10")), "flag/wrong-command", "wrong-command", "bench", "an option of vllm bench"
        )


def older_format(scene: Scene) -> Iterator[Mutated]:
    """A value in the syntax of an earlier release."""
    if scene.framework == "vllm":
        words = ("--limit-mm-per-prompt", "image=4")
        yield _made(direct(scene, with_words(scene, *words)), "flag/value-format", "older-format", "image", "key=value where JSON is wanted")
        words = ("--limit-mm-per-prompt", "image=2,video=1")
        yield _made(direct(scene, with_words(scene, *words)), "flag/value-format", "older-format", "two", "key=value where JSON is wanted")


def leave_out(scene: Scene) -> Iterator[Mutated]:
    """A flag that another one needs, or the model itself, is not given."""
    if scene.framework == "vllm":
        argv = with_words(scene, "--enable-auto-tool-choice")
        yield _made(direct(scene, argv), "flag/missing", "leave-out", "parser", "no parser to go with automatic tool choice")
    if scene.framework == "sglang":
        argv = tuple(word for n, word in enumerate(scene.argv) if n not in (2, 3))
        yield _made(direct(scene, argv), "flag/missing", "leave-out", "model", "no model")
        yield _made(typed(scene, quoted(argv)), "flag/missing", "leave-out", "model-typed", "no model", difficulty="easy")


MUTATORS: tuple[Mutator, ...] = (misspell, take_foreign, take_elsewhen, misplace, older_format, leave_out)
