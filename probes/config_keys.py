"""What the argument parser will say of the keys in a configuration file (vLLM, SGLang): they become options before anything is parsed. Pure.

The parsed file comes from `probes.config_file`; the options are walked as the parser would (`probes.atlas.walk`). A log cannot tell such a fault from
one on the command line; here it is known to stand in the file, so its signs bear the file's path and no place in the argv.
"""

import json
from typing import Any

from msgspec import structs

from probes.atlas.table import FlagTable
from probes.atlas.traps import dropped_keys
from probes.atlas.walk import walk
from probes.probe import Situation
from transcripts.records import Fault, Sign


def config_faults(situation: Situation) -> tuple[Fault, ...]:
    """The faults that the keys and values of the launch's configuration file hold; nothing where file, release or flags are not known."""
    found = situation.data.get("config-file")
    framework, table = situation.framework, situation.table
    if framework is None or framework.rules.kind != "argparse" or table is None or not isinstance(found, dict):
        return ()
    if not isinstance(found.get("config"), dict):
        return ()
    path = str(found.get("path", ""))
    walked = [fault for fault in walk(as_options(found["config"], table), table, framework) if fault.signs[0].value != "required-missing"]
    return (*(_in_file(fault, path) for fault in walked), *dropped_keys(found["config"], table, framework, path))


def as_options(config: dict[str, Any], table: FlagTable) -> tuple[str, ...]:
    """The options that come of a parsed file: nested keys as JSON, true as a switch, false as its inverse where the release has one."""
    words: list[str] = []
    for key, value in config.items():
        flag = f"--{key}"
        if isinstance(value, bool):
            inverse = f"--no-{key}"
            words += [flag] if value else [inverse] * (table.find(inverse.replace("_", "-")) is not None)
        elif isinstance(value, list):
            words += [flag, *map(str, value)] if value else []
        else:
            words += [flag, json.dumps(value) if isinstance(value, dict) else str(value)]
    return tuple(words)


def _in_file(fault: Fault, path: str) -> Fault:
    signs = tuple(_placed(sign, path) for sign in fault.signs)
    return structs.replace(fault, signs=signs, text=f"In {path}: {fault.text}")


def _placed(sign: Sign, path: str) -> Sign:
    kept = {name: value for name, value in sign.parameters.items() if name not in ("index", "length")}
    return structs.replace(sign, parameters={**kept, "path": path})
