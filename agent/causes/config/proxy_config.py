"""What the LiteLLM proxy asks of its configuration file, and edits of the lines that do not have it. Pure functions.

Learnt from the proxy itself: it refuses an entry of `model_list` without `model_name`, `litellm_params` or its `model`, a `model_list` or a
section of another kind, and a routing strategy that it does not know; a section whose name is misspelt it ignores in silence, and then serves
no model at all.
"""

Lines = tuple[str, ...]


def complaints(text: str) -> int:
    """How many things the proxy would refuse."""
    return 0


def mended(lines: Lines) -> tuple[Lines, tuple[str, ...]]:
    """The lines after every edit that is beyond doubt, and each in words."""
    return lines, ()
