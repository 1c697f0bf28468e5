"""Runs in SGLang's own Python: builds its real parser once and says how it ends for every list of options in a JSON list on standard input.

With ``rows`` as its argument it prints the options instead, one a row: names, destination, ``nargs`` (0: a switch), choices, whether required.
"""

import argparse
import contextlib
import importlib
import io
import json
import sys
from typing import Any


def _rows(parser: argparse.ArgumentParser) -> list[list[Any]]:
    names: dict[int, list[str]] = {}
    for name, action in parser._option_string_actions.items():
        names.setdefault(id(action), []).append(name)
    return [
        [sorted(names[id(action)]), action.dest, action.nargs, None if action.choices is None else sorted(map(str, action.choices)), action.required]
        for action in parser._actions
    ]


def _said(parser: argparse.ArgumentParser, options: list[str]) -> str | None:
    told = io.StringIO()
    try:
        with contextlib.redirect_stderr(told), contextlib.redirect_stdout(io.StringIO()):
            parser.parse_args(options)
    except SystemExit:
        return told.getvalue().partition("error: ")[2].strip() or None
    return None


def main() -> None:
    """Print a JSON list on the last line: for every command line the message after ``error: ``, or null where it is accepted."""
    parser = argparse.ArgumentParser(prog="sglang serve")
    importlib.import_module("sglang.srt.server_args").ServerArgs.add_cli_args(parser)
    answer = _rows(parser) if sys.argv[1:] == ["rows"] else [_said(parser, options) for options in json.load(sys.stdin)]
    print("\n" + json.dumps(answer))


main()
