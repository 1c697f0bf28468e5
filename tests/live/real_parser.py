"""Runs in a framework's own Python: builds the real parser of the release in a folder and prints its options as a JSON list, an option a row.

A row: the names that the parser takes, the destination, ``nargs`` (0 for a switch), the converter's name, the choices, whether it is required.
"""

import argparse
import importlib
import json
import sys
from typing import Any, cast

FOLDER, FRAMEWORK = sys.argv[1:3]


def _vllm() -> list[list[Any]]:
    parser = importlib.import_module("vllm.utils.argparse_utils").FlexibleArgumentParser()
    importlib.import_module("vllm.entrypoints.cli.serve").ServeSubcommand().subparser_init(parser.add_subparsers(required=False, dest="subparser"))
    return _rows(next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction)).choices["serve"])


def _rows(parser: argparse.ArgumentParser) -> list[list[Any]]:
    names: dict[int, list[str]] = {}
    for name, action in parser._option_string_actions.items():
        names.setdefault(id(action), []).append(name)
    rows = []
    for action in parser._actions:
        choices = None if action.choices is None else [str(getattr(choice, "value", choice)) for choice in action.choices]
        kind = getattr(action.type, "__qualname__", None)
        rows.append([names.get(id(action), []), action.dest, action.nargs, kind, choices, action.required])
    return rows


def _litellm() -> list[list[Any]]:
    rows = []
    for option in importlib.import_module("litellm.proxy.proxy_cli").run_server.params:
        switch, argument = bool(getattr(option, "is_flag", False)), option.param_type_name == "argument"
        names = [] if argument else [*option.opts, *option.secondary_opts]
        choices = list(option.type.choices) if hasattr(option.type, "choices") else None
        rows.append(
            [names, option.name, option.nargs if argument else 0 if switch else None, None if switch else option.type.name, choices, option.required]
        )
    return rows


def main() -> None:
    """Print the rows on the last line of stdout."""
    sys.argv = [FRAMEWORK, "serve"]
    sys.path.insert(0, FOLDER)
    sys.modules["torchcodec"] = cast(Any, None)  # where it is there, it was built for another torch
    rows = _litellm() if FRAMEWORK == "litellm" else _vllm()
    print("\n" + json.dumps(rows))


main()
