"""The options of the engine."""

import argparse
import json


def optional_type(convert):
    """A converter that says which value it could not convert."""

    def _convert(value):
        try:
            return convert(value)
        except ValueError as error:
            raise argparse.ArgumentTypeError(f"Value {value} cannot be converted to {convert}.") from error

    return _convert


class EngineArgs:
    """What the engine is given."""

    model: str = "small"
    dtype: str = "auto"


class AsyncEngineArgs(EngineArgs):
    """The same, for the server."""

    @staticmethod
    def add_cli_args(parser):
        """Add every option of the engine."""
        parser.add_argument("--model", type=str, default="small")
        parser.add_argument("--dtype", choices=["auto", "bfloat16", "float16", "float32", "half"], default="auto")
        parser.add_argument("--max-model-len", type=int, default=None)
        parser.add_argument("--tensor-parallel-size", "-tp", type=int, default=1)
        parser.add_argument("--gpu-memory-utilization", type=float, default=0.9)
        parser.add_argument("--enforce-eager", action="store_true")
        parser.add_argument("--speculative-config", "-sc", type=optional_type(json.loads), default=None)
        return parser
