"""The options of the server."""

from vllm.engine.arg_utils import AsyncEngineArgs


def make_arg_parser(parser):
    """Add every option of ``vllm serve``."""
    parser.add_argument("model_tag", type=str, nargs="?", default=None)
    parser.add_argument("--host", type=str, default=None)
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--api-key", type=str, default=None)
    parser.add_argument("--served-model-name", type=str, default=None)
    parser.add_argument("--chat-template", type=str, default=None)
    return AsyncEngineArgs.add_cli_args(parser)
