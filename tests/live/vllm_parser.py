"""Runs in vLLM's own Python: builds its real parser once and says how it ends for every list of options in a JSON list on standard input."""

import contextlib
import io
import json
import sys


def main() -> None:
    """Print a JSON list: for every command line the message after ``error: ``, an exception's name, or null where it is accepted."""
    sys.argv = ["vllm", "serve"]
    from vllm.entrypoints.cli.serve import ServeSubcommand  # noqa: PLC0415
    from vllm.utils.argparse_utils import FlexibleArgumentParser  # noqa: PLC0415

    parser = FlexibleArgumentParser()
    ServeSubcommand().subparser_init(parser.add_subparsers(required=False, dest="subparser"))
    results: list[str | None] = []
    for options in json.load(sys.stdin):
        said = io.StringIO()
        try:
            with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
                parser.parse_args(["serve", *options])
            results.append(None)
        except SystemExit:
            results.append(said.getvalue().partition("error: ")[2].strip() or None)
        except Exception as error:  # noqa: BLE001
            results.append(f"{type(error).__name__}: {error}")
    print("\n" + json.dumps(results))


main()
