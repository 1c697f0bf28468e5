"""Paths that were meant, as the probes' answers show them."""

import pytest

from agent.causes.seen import model_below, near_path
from probes.launches.arrival import Arrival
from probes.probe import Situation
from transcripts.records import Launch


def _situation(**data: object) -> Situation:
    return Situation(launch=Launch(argv=("vllm",)), arrival=Arrival(), data={name.replace("_", "-"): value for name, value in data.items()})


@pytest.mark.parametrize(
    ("path", "beside", "near"),
    [
        ("/models/lama", ["llama", "qwen"], "/models/llama"),
        ("/models/Llama-3-8b", ["Llama-3-8B"], "/models/Llama-3-8B"),
        ("/models/Llama-3-8B", ["Llama-3-70B"], ""),
        ("/models/Qwen2-7B", ["Qwen3-7B"], ""),
        ("/models/llama", ["qwen", "mistral"], ""),
        ("/models/llama", [], ""),
    ],
)
def test_a_folder_of_nearly_the_name_is_what_was_meant_unless_a_number_differs(path: str, beside: list[str], near: str) -> None:
    """Letters may differ a little; another number is another model, and is never proposed."""
    assert near_path(_situation(model_folder={"path": path, "nearest": "/models", "near": beside}), path) == near


def test_neighbours_of_another_folder_are_none() -> None:
    """Where the folder itself is missing, what lies in the nearest one above is not beside the path."""
    found = near_path(_situation(model_folder={"path": "/models/x/lama", "nearest": "/models", "near": ["llama"]}), "/models/x/lama")
    assert found == ""


def test_the_one_model_below_a_folder_is_found() -> None:
    """One model below the folder is what was meant; with two nobody can say."""
    assert model_below(_situation(model_folder={"below": ["llama"]}), "/models/") == "/models/llama"
    assert model_below(_situation(model_folder={"below": ["llama", "qwen"]}), "/models") == ""
