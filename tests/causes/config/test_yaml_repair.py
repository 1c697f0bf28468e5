"""Broken configuration files and what they become; each file in ``tests/causes/yaml_repair`` is one."""

import tomllib
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.causes.config.proxy_config import complaints
from agent.causes.config.yaml_repair import repair

FILES = sorted((Path(__file__).parents[1] / "yaml_repair").glob("*.toml"))
SOUND = """\
# what we serve
model_list:
  - model_name: small  # fast
    litellm_params:
      model: openai/gpt-4o-mini
      api_base: http://127.0.0.1:9/v1
      api_key: os.environ/KEY
  - model_name: large
    litellm_params:
      model: openai/gpt-4o
      tags: [a, "b c"]
general_settings:
  master_key: os.environ/LITELLM_MASTER_KEY
"""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_broken_file_becomes_what_was_meant(path: Path) -> None:
    """The lines at fault are edited, all others stay; what cannot be mended, or needs no mending, has no repair."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    mended = repair(data["broken"], "config.yaml", data["framework"])
    assert (mended.text if mended else None) == data.get("mended")
    assert list(mended.changes if mended else ()) == data.get("changes", [])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_repair_is_yaml_and_says_its_difference(path: Path) -> None:
    """Every repair can be read, is refused for fewer reasons than before, is final, and shows the difference to the original."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    mended = repair(data["broken"], "/etc/proxy/config.yaml", data["framework"])
    if mended is None:
        return
    assert mended.name == "config.yaml"
    assert isinstance(yaml.safe_load(mended.text), dict)
    assert mended.difference.startswith("--- /etc/proxy/config.yaml\n+++ config.yaml")
    assert repair(mended.text, "config.yaml", data["framework"]) is None
    if data["framework"] == "litellm":
        assert complaints(mended.text) == len(mended.remaining)


def test_a_sound_file_is_left_alone() -> None:
    """Where nothing is wrong there is nothing to mend."""
    assert complaints(SOUND) == 0
    assert repair(SOUND, "config.yaml", "litellm") is None


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.text(alphabet="ab:-#[]{}'\"\n\t &*!|>%@`,", max_size=60))
def test_no_text_breaks_the_repair(text: str) -> None:
    """Whatever the file holds, there is a repair that can be read, or none."""
    mended = repair(text, "config.yaml", "litellm")
    assert mended is None or yaml.safe_load(mended.text) is not Ellipsis


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(min_value=0, max_value=len(SOUND) - 1))
def test_a_file_that_lost_one_character_is_readable_again_or_not_touched(position: int) -> None:
    """Losing any one character of a sound file gives a file that still reads, or a repair that does, or no repair at all."""
    broken = SOUND[:position] + SOUND[position + 1 :]
    mended = repair(broken, "config.yaml", "litellm")
    if mended is not None:
        assert isinstance(yaml.safe_load(mended.text), dict)
