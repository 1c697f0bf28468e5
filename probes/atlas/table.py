"""The flags that one command of one release takes, as data."""

from functools import cached_property
from typing import Any

from msgspec import field

from transcripts.records import Record


class Flag(Record, frozen=True, kw_only=True):
    """One option. `type` is the converter's name (``int``, ``str``, ``float``, ``json``, ``human_readable_int``, ``""`` for a switch).

    `takes_value` is False for switches; `json_config` names the config class of a JSON value (empty for none, ``dict`` for a plain one).
    `nullable` options take ``None`` (and the empty string) as no value; `environment` names the variable that an option can also be set by.
    `pairs` options take ``KEY=NUMBER,…`` for their JSON as well (vLLM, before it took JSON alone).
    `known` are the values that the usage names where the parser takes any other text as well.
    What could not be read statically is `uncertain` and must not be used against a launch.
    """

    names: tuple[str, ...]
    dest: str
    type: str = ""
    choices: tuple[str, ...] | None = None
    nargs: str | int | None = None
    default: Any = None
    takes_value: bool = True
    json_config: str = ""
    required: bool = False
    deprecated: str = ""
    group: str = ""
    nullable: bool = False
    environment: str = ""
    pairs: bool = False
    known: tuple[str, ...] = ()
    uncertain: bool = False


class FlagTable(Record, frozen=True, kw_only=True, dict=True):
    """Everything known of one command's parser in one release.

    `api_only` are fields of the Python API that have no flag; `config_keys` maps a config class to its keys (key → allowed literals or null);
    `environment` the variables that the framework reads; `subcommands` those of the top program; `open_configs` the config classes that ignore
    keys they do not have.
    """

    framework: str
    release: str
    command: str = ""
    flags: tuple[Flag, ...] = ()
    api_only: tuple[str, ...] = ()
    subcommands: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    config_keys: dict[str, dict[str, tuple[str, ...] | None]] = field(default_factory=dict)
    open_configs: tuple[str, ...] = ()
    source: str = ""

    def find(self, name: str) -> Flag | None:
        """The option that has exactly this name."""
        return self._by_name.get(name)

    @cached_property
    def _by_name(self) -> dict[str, Flag]:
        return {name: flag for flag in reversed(self.flags) for name in flag.names}

    def __hash__(self) -> int:
        """Tables that are equal have the same."""
        return hash((self.framework, self.release, self.command, self.source, len(self.flags)))
