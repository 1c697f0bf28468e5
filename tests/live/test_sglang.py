"""Real SGLang on CPU: broken in ways of different families, told before a launch and from a failed one, and brought up until it answers."""

import json
import shutil
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from probes.atlas.source import read_flags
from tests.live.conftest import HERE
from tests.running import Run

pytestmark = pytest.mark.live

SERVING = ("--device", "cpu", "--max-total-tokens", "2048")
PATIENT = ("--hang-seconds", "1200")
"""Three processes import SGLang one after the other, silently: on a machine with other work that takes minutes, and is no hang."""
OVERRIDE = '{"rope_scaling": {"rope_type": "linear", "factor": 2.0}}'
FLAGS = [
    (("--contxt-length", "128"), "flag/misspelt", "--context-length"),
    (("--mem_fraction_static", "0.5"), "flag/misspelt", "--mem-fraction-static"),
    (("--max-model-len", "128"), "flag/foreign", "--context-length"),
    (("--attention-backend", "torch-native"), "config/invalid-choice", "torch_native"),
    (("--enable-metrics", "true"), "quoting/boolean-value", "--enable-metrics"),
    (("--dtype float32",), "quoting/joined-arguments", "--dtype"),
    (("--tp-size", "one"), "config/invalid-value", ""),
]


def _asked(sglang: Path, lines: list[list[str]] | None) -> list[Any]:
    """What the real parser says to every line; without lines its options."""
    command = [str(sglang / "bin" / "python"), str(HERE / "sglang_parser.py"), *([] if lines is not None else ["rows"])]
    done = subprocess.run(command, input=json.dumps(lines), capture_output=True, text=True, check=True)
    answers: list[Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return answers


def test_the_installed_flags_are_those_of_the_real_parser(sglang: Path, tmp_path: Path) -> None:
    """Names, destination, arity, choices and what is required of every option, read from the source, are those of the parser itself."""
    table = read_flags(next(sglang.glob("lib/python3*/site-packages")), "sglang", folder=tmp_path)
    ours = [
        [sorted(f.names), f.dest, f.nargs if f.takes_value else 0, None if f.choices is None else sorted(f.choices), f.required] for f in table.flags
    ]
    real = _asked(sglang, None)
    assert [] == [flag.names for flag in table.flags if flag.uncertain]
    assert sorted(row for row in real if row[1] not in ("help", "config")) == sorted(row for row in ours if row[1] not in ("help", "config"))


def test_what_the_parser_refuses_is_told_before_a_launch_and_from_one(nostart: Callable[..., Run], sglang: Path, sglang_model: Path) -> None:
    """Each kind of wrong option is named, without a launch and from a failed one, and the real parser takes every fix."""
    program = sglang / "bin" / "sglang"
    fixes = []
    for words, cause, mended in FLAGS:
        command = (program, "serve", "--model-path", sglang_model, *SERVING, *words)
        for options, launches in (((), 0), (("--no-check",), 1)):
            run = nostart("triage", *options, "--", *command)
            assert (cause, launches) == (run.cause, run.document["launches"]), (words, run.document["ranking"][:4])
            assert not mended or mended in run.argv, run.argv
            fixes += [run.argv[2:]] if mended else []
    assert [None] * len(fixes) == _asked(sglang, fixes)


def test_json_that_a_shell_split(nostart: Callable[..., Run], sglang: Path, sglang_model: Path) -> None:
    """The parser takes the first piece for the whole and refuses the rest: it is the quoting, and the option is named."""
    text = f"{sglang}/bin/sglang serve --model-path {sglang_model} {' '.join(SERVING)} --json-model-override-args {OVERRIDE}"
    for options in ((), ("--no-check",)):
        run = nostart("triage", *options, "--", "bash", "-c", text)
        assert ("quoting/json-split", "--json-model-override-args") == (run.cause, run.document["cause"]["parameters"]["flag"])
        assert OVERRIDE in run.argv
        assert [None] == _asked(sglang, [run.argv[2:]])


REPAIRED = [("--contxt-length 128", "flag/misspelt"), ("--max-model-len 128", "flag/foreign"), ("--dtype fp16", "config/invalid-choice")]


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize(("words", "cause"), [*REPAIRED, (f"--json-model-override-args {OVERRIDE}", "quoting/json-split")])
def test_one_launch_is_enough(nostart: Callable[..., Run], sglang: Path, sglang_model: Path, port: int, words: str, cause: str) -> None:
    """`triage --fix` brings a launch with one fault up in one launch: it answers a completion, and nothing of it is left afterwards."""
    text = f"{sglang}/bin/sglang serve --model-path {sglang_model} {' '.join(SERVING)} --port {port} {words}"
    run = nostart("triage", "--fix", *PATIENT, "--", "bash", "-c", text)
    assert ("up", 0, 1) == (run.document["outcome"], run.status, run.document["launches"]), run.stderr[-3000:]
    assert (cause, True) == (run.cause, run.document["cause"]["confirmed"])


def _copied(model: Path, folder: Path, **settings: object) -> Path:
    copy = shutil.copytree(model, folder / "model")
    config = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps({**config, **settings}))
    return copy


def _no_tokenizer(model: Path, folder: Path) -> tuple[str, ...]:
    copy = _copied(model, folder)
    for path in copy.glob("tokenizer*"):
        path.unlink()
    return "--model-path", str(copy), *SERVING


def _cut_weights(model: Path, folder: Path) -> tuple[str, ...]:
    weights = _copied(model, folder) / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:100_000])
    return "--model-path", str(weights.parent), *SERVING


def _unknown_architecture(model: Path, folder: Path) -> tuple[str, ...]:
    return "--model-path", str(_copied(model, folder, architectures=["LlamoForCausalLM"])), *SERVING


def _no_device(model: Path, folder: Path) -> tuple[str, ...]:
    return "--model-path", str(model), *SERVING[2:]


def _too_long(model: Path, folder: Path) -> tuple[str, ...]:
    return "--model-path", str(model), *SERVING, "--context-length", "4096"


def _unknown_key(model: Path, folder: Path) -> tuple[str, ...]:
    (folder / "server.yaml").write_text("contxt-length: 128\n")
    return "--model-path", str(model), *SERVING, "--config", str(folder / "server.yaml")


def _no_folder(model: Path, folder: Path) -> tuple[str, ...]:
    return "--model-path", str(folder / "none"), *SERVING


BREAKAGES = [
    (_no_device, "environment/no-device"),
    (_too_long, "config/context-too-long"),
    (_no_tokenizer, "model/tokenizer"),
    (_cut_weights, "model/corrupt"),
    (_unknown_architecture, "model/architecture"),
    (_unknown_key, "flag/misspelt"),
    (_no_folder, "model/not-found"),
]


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize(("broken", "cause"), BREAKAGES, ids=[broken.__name__.strip("_") for broken, _ in BREAKAGES])
def test_what_a_launch_dies_of_later(
    nostart: Callable[..., Run],
    sglang: Path,
    sglang_model: Path,
    tmp_path: Path,
    port: int,
    broken: Callable[[Path, Path], tuple[str, ...]],
    cause: str,
) -> None:
    """The cause is read from the launch that died of it, whatever the signal by which SGLang ended itself."""
    words = broken(sglang_model, tmp_path)
    run = nostart("triage", "--no-check", *PATIENT, "--", sglang / "bin" / "sglang", "serve", *words, "--port", str(port))
    assert (cause, 1) == (run.cause, run.document["launches"]), (run.document["ranking"][:4], run.stderr[-3000:])


@pytest.mark.usefixtures("nothing_left")
def test_a_port_in_use_is_known_though_the_process_stays(nostart: Callable[..., Run], sglang: Path, sglang_model: Path) -> None:
    """SGLang says that the address is in use and then stays, busy and silent: its log tells, and it is ended."""
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = str(held.getsockname()[1])
        command = (sglang / "bin" / "sglang", "serve", "--model-path", sglang_model, *SERVING, "--port", port)
        assert "process/port-in-use" == nostart("check", "--", *command).cause
        run = nostart("triage", "--no-check", "--", *command)
        assert "process/port-in-use" == run.cause, run.document["ranking"][:4]


@pytest.mark.usefixtures("nothing_left")
def test_a_launch_that_is_killed_while_it_loads(nostart: Callable[..., Run], sglang: Path, sglang_model: Path, port: int) -> None:
    """SIGKILL from outside leaves no line: no cause is made up of the warnings before it."""
    text = f"{sglang}/bin/sglang serve --model-path {sglang_model} {' '.join(SERVING)} --port {port} & sleep 4; kill -KILL $!; wait $!"
    run = nostart("triage", "--no-check", "--", "bash", "-c", text)
    assert run.cause in ("", "memory/host", "process/killed-by-supervisor"), run.document["ranking"][:4]
