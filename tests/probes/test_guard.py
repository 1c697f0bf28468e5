"""The guard lets reading pass, and nothing that writes, sends, signals or starts something."""

import pytest

from probes.atlas.source import program
from probes.guard import refusal, script_refusal
from transcripts.records import Command

READING = (
    ("cat", "/proc/self/environ"),
    ("python3", "-I", "-S", "-c", "import json\nprint(json.dumps(1))"),
    ("/opt/vllm/bin/python3.11", "-I", "-c", "open('/etc/hostname', 'rb').read()"),
    ("vllm", "serve", "--help=all"),
    ("/opt/litellm/bin/litellm", "--version"),
    ("python3", "-m", "sglang.launch_server", "--help"),
    ("ss", "-ltnp"),
    ("nvidia-smi", "--query-gpu=name,memory.used", "--format=csv,noheader"),
    ("bash", "-c", "A=1 python3 -I -S - nostart-control serve m --x {a,b}"),
    ("sh", "-c", "bash -c 'python3 -I -S - nostart-control serve m'"),
)

ACTING = (
    (),
    ("",),
    ("rm", "-rf", "/srv"),
    ("cat", "-"),
    ("cat", "/dev/zero"),
    ("ss", "-K", "dst", "10.0.0.1"),
    ("ss", "--kill"),
    ("nvidia-smi", "--gpu-reset"),
    ("nvidia-smi", "-pm", "1"),
    ("vllm", "serve", "m"),
    ("vllm", "serve", "/srv/m", "--help"),
    ("litellm", "--port", "4000"),
    ("python3",),
    ("python3", "start.py"),
    ("python3", "-m", "vllm.entrypoints.openai.api_server"),
    ("python3", "-m", "http.server"),
    ("python3", "-I", "-c"),
    ("bash", "start.sh"),
    ("bash", "-lc", "python3 -I -S - nostart-control serve m"),
    ("bash", "-c", "vllm serve m"),
    ("bash", "-c", "rm x; python3 -I -S - nostart-control serve m"),
    ("bash", "-c", "rm x && python3 -I -S - nostart-control serve m"),
    ("bash", "-c", "python3 -I -S - nostart-control serve m > log"),
    ("bash", "-c", "python3 -I -S - nostart-control serve $(rm x)"),
    ("bash", "-c", "python3 -I -S - nostart-control serve | tee log"),
    ("bash", "-c", "eval python3 -I -S - nostart-control serve"),
    ("bash", "-c", "sudo python3 -I -S - nostart-control serve"),
    ("bash", "-c", "bash -c 'rm x; python3 -I -S - nostart-control serve'"),
    ("bash", "-c", 'bash -c "python3 -I -S - nostart-control serve; rm x"'),
    ("kill", "1"),
    ("env", "rm", "x"),
)

SCRIPTS = (
    "import os\nos.remove('x')",
    "import os\nos.system('true')",
    "import os\nos.kill(1, 9)",
    "import os\nos.execv('/bin/sh', ['sh'])",
    "import subprocess",
    "from shutil import rmtree",
    "import urllib.request",
    "open('x', 'w')",
    "open('x', mode='ab')",
    "open('x', how)",
    "import pathlib\npathlib.Path('x').write_text('y')",
    "import socket\nsocket.socket().connect(('10.0.0.1', 1))",
    "from os import remove",
    "exec('x')",
    "eval('x')",
    "__import__('os').remove('x')",
    "match x:\n    case 1:\n        pass",
    "",
    "print(",
)


@pytest.mark.parametrize("argv", READING, ids=" ".join)
def test_reading_passes(argv: tuple[str, ...]) -> None:
    """A command that only reads may be run."""
    assert "" == refusal(Command(argv=argv))


@pytest.mark.parametrize("argv", ACTING, ids=" ".join)
def test_acting_is_refused(argv: tuple[str, ...]) -> None:
    """A command that could change something, or that nobody knows, is refused with a reason."""
    assert refusal(Command(argv=argv))


@pytest.mark.parametrize("script", SCRIPTS)
def test_scripts_that_act_are_refused(script: str) -> None:
    """A script that writes, deletes, sends, signals or starts something is refused, and so is one that Python 3.8 cannot parse."""
    assert script_refusal(script)


def test_the_extractor_alone_may_evaluate() -> None:
    """The program that reads flags from source passes as it is, and no longer once anything is added to it."""
    argv = ("python3", "-I", "-S", "-", "", "vllm", "serve")
    assert "" == refusal(Command(argv=argv, stdin=program()))
    assert refusal(Command(argv=argv, stdin=program() + "eval('1')\n"))


def test_a_script_from_stdin_is_judged_too() -> None:
    """The script that Python reads from its stdin is held to the same rules."""
    assert "" == refusal(Command(argv=("python3", "-I", "-S", "-"), stdin="print(1)"))
    assert refusal(Command(argv=("python3", "-I", "-S", "-"), stdin="import os\nos.remove('x')"))
