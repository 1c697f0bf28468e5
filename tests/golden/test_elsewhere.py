"""A launch that goes on to another machine or into a container is judged by what is known of that place, not by what lies here."""

from pathlib import Path

import pytest

from tests.running import nostart

SPLIT = """vllm serve Qwen/Qwen3-8B --speculative-config {"method": "ngram", "num_speculative_tokens": 3}"""


@pytest.mark.parametrize(
    "line",
    [
        f"ssh gpu1 '{SPLIT}'",
        f"ssh -p 2222 root@gpu1 '{SPLIT}'",
        f"docker exec -i web bash -c '{SPLIT}'",
        f"kubectl exec -i web -c server -- sh -c '{SPLIT}'",
    ],
)
def test_split_json_is_known_without_asking_there(tmp_path: Path, line: str) -> None:
    """What the layers do to the words is known here; that this machine has no vllm says nothing of the other one."""
    run = nostart(tmp_path, "check", "--shell", line)

    assert ("quoting/json-split", 10) == (run.cause, run.status)
    assert {} == {cause: p for cause, p in run.probabilities.items() if cause.startswith(("process/", "model/")) and p > 0.01}
    assert ["--speculative-config.method", "ngram", "--speculative-config.num_speculative_tokens", "3"] == run.argv[-4:]
    assert run.document["fix"]["shell"].startswith(line.split("vllm")[0].split(" '")[0].split(" bash")[0].split(" sh")[0])


def test_the_image_tells_the_release(tmp_path: Path) -> None:
    """The tag of the framework's own image says whose options hold."""
    run = nostart(tmp_path, "check", "--shell", "docker run --gpus all --entrypoint vllm vllm/vllm-openai:v0.8.5 serve Qwen/Qwen3-8B --taks embed")

    assert "flag/misspelt" == run.cause
    assert ["vllm", "serve", "Qwen/Qwen3-8B", "--task", "embed"] == run.argv
    assert run.document["fix"]["shell"].endswith("--entrypoint vllm vllm/vllm-openai:v0.8.5 serve Qwen/Qwen3-8B --task embed")


def test_nothing_here_is_taken_for_what_is_there(tmp_path: Path) -> None:
    """A command without a fault has none because this machine lacks its program, its model or its files."""
    run = nostart(tmp_path, "check", "--shell", "ssh gpu1 '/opt/venv/bin/vllm serve /models/llama --chat-template /srv/chat.jinja'")

    assert ("", 0) == (run.cause, run.status)
