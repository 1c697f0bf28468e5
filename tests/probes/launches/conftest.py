"""A stand-in for a framework's recognition of its serving command."""

import pytest

from probes.launches.understand import FindEntry


def _find_entry(argv: tuple[str, ...]) -> tuple[int, int] | None:
    for index, word in enumerate(argv):
        if word.rpartition("/")[2] == "vllm" and argv[index + 1 : index + 2] == ("serve",):
            return index, index + 2
        if word == "-m" and index and argv[index + 1 : index + 2] == ("vllm.entrypoints.openai.api_server",):
            return index - 1, index + 2
    return None


@pytest.fixture
def find_entry() -> FindEntry:
    """Recognises ``vllm serve`` and its module."""
    return _find_entry
