"""Serving commands in an argv: recognised in every form in which they are typed, and nothing else is taken for one."""

import pytest

from probes.frameworks.catalogue import FRAMEWORKS, by_name, find_entry, recognise

SERVES = [
    ("vllm serve m --port 80", "vllm", "vllm serve", 0, 2),
    ("/opt/vllm/bin/vllm serve m", "vllm", "vllm serve", 0, 2),
    ("vllm --port 80 serve m", "vllm", "vllm serve", 0, 4),
    ("vllm servee m", "vllm", "vllm serve", 0, 2),
    ("vllm run m --port 80", "vllm", "vllm serve", 0, 2),
    ("vllm --model m", "vllm", "vllm serve", 0, 1),
    ("vllm", "vllm", "vllm serve", 0, 1),
    ("python -m vllm.entrypoints.openai.api_server --model m", "vllm", "python -m vllm.entrypoints.openai.api_server", 0, 3),
    ("python3.12 -u -m vllm.entrypoints.api_server --model m", "vllm", "python -m vllm.entrypoints.api_server", 0, 4),
    ("/opt/v/bin/python3 -W ignore -m vllm.entrypoints.cli.main serve m", "vllm", "vllm serve", 0, 6),
    ("python /opt/v/bin/vllm serve m", "vllm", "vllm serve", 0, 3),
    ("env VLLM_USE_V1=1 vllm serve m", "vllm", "vllm serve", 2, 4),
    ("nohup numactl -N 0 vllm serve m", "vllm", "vllm serve", 4, 6),
    ("uv run --with vllm vllm serve m", "vllm", "vllm serve", 4, 6),
    ("litellm --config c.yaml", "litellm", "litellm", 0, 1),
    ("/app/.venv/bin/litellm", "litellm", "litellm", 0, 1),
    ("python -m litellm --port 4000", "litellm", "python -m litellm", 0, 3),
    ("python -m litellm.proxy.proxy_cli", "litellm", "python -m litellm.proxy.proxy_cli", 0, 3),
    ("sglang serve --model-path m", "sglang", "sglang serve", 0, 2),
    ("python -m sglang.launch_server --model-path m", "sglang", "python -m sglang.launch_server", 0, 3),
]
OTHERS = [
    "",
    "echo vllm serve m",
    "vllm bench serve --model m",
    "vllm collect-env",
    "vllm chat",
    "vllm --help",
    "vllm --version",
    "litellm-proxy models list",
    "lite keys",
    "python -c 'import vllm'",
    "python -m pip install vllm",
    "python",
    "python train.py --config c.yaml",
    "sglang version",
    "grep -r vllm serve",
]


@pytest.mark.parametrize(("line", "framework", "command", "start", "options"), SERVES)
def test_a_serving_command_is_found(line: str, framework: str, command: str, start: int, options: int) -> None:
    """The framework, its canonical command, the program word and the first option are found."""
    found = recognise(tuple(line.split()))

    assert found is not None
    assert (framework, framework, command, start, options) == (found[0].name, found[1].framework, found[1].command, found[1].start, found[1].options)
    assert (start, options) == find_entry(tuple(line.split()))


@pytest.mark.parametrize("line", OTHERS)
def test_another_command_is_none(line: str) -> None:
    """A command that serves nothing is recognised as none."""
    assert recognise(tuple(line.split())) is None
    assert find_entry(tuple(line.split())) is None


def test_names_lead_to_frameworks() -> None:
    """Every framework is found by its name in any letter case, and another name finds none."""
    assert FRAMEWORKS == tuple(by_name(framework.name.upper()) for framework in FRAMEWORKS)
    assert by_name("tgi") is None


@pytest.mark.parametrize("framework", FRAMEWORKS, ids=lambda framework: framework.name)
def test_a_framework_is_complete(framework: object) -> None:
    """Its parser script compiles, its phases are distinct and end in up."""
    found = by_name(getattr(framework, "name", ""))
    assert found is not None
    compile(found.parser_script, "parser", "exec")
    names = [name for name, _ in found.phases]
    assert "up" == names[-1]
    assert len(set(names)) == len(names)
    assert found.ready
