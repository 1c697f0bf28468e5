"""Kinds of programs, told by their names."""

import re

from probes.launches.words import words

SHELLS = frozenset({"bash", "sh", "dash", "zsh", "ash", "ksh", "busybox"})
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*$")
_SCRIPT = re.compile(r"\.(?:sh|bash|zsh|ksh|command|py)$")
# Never the launch itself, whatever comes after them.
_ASIDE = words(
    "echo printf cat tee sleep mkdir rm cp mv ln ls touch chmod chown grep sed awk curl wget tail head kill pkill killall pip pip3 apt "
    "apt-get date nvidia-smi free df ps test [ [[ which type git id whoami hostname nproc lsof ss netstat find sort uniq wc seq tr cut "
    "xargs ray export return break continue logger notify-send fuser jq dirname basename realpath readlink pwd true false wait hf "
    "huggingface-cli module conda mamba deactivate"
)


def base_name(word: str) -> str:
    """The name of a program without its folder."""
    return word.rpartition("/")[2]


def is_python(name: str) -> bool:
    """Whether a name is that of a Python interpreter."""
    return _PYTHON.match(name) is not None


def is_script(path: str) -> bool:
    """Whether a path ends like a script's."""
    return _SCRIPT.search(path) is not None


def is_aside(name: str) -> bool:
    """Whether a program is a helper, or no program at all (an option whose command was cut off)."""
    return name in _ASIDE or not name or name.startswith(("-", "–", "—"))
