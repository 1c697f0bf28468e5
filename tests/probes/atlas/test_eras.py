"""The extractor on the ways in which releases have declared their options, from plain calls to records: small trees of each era."""

import textwrap
from pathlib import Path

import pytest

from probes.atlas.source import TreeError, read_tree
from probes.atlas.table import Flag, FlagTable

ENGINE = """
    import argparse
    from dataclasses import dataclass

    @dataclass
    class EngineArgs:
        model: str
        swap_space: int = 4
        seen_only_in_code: int = 0

        @staticmethod
        def add_cli_args(parser: argparse.ArgumentParser):
            parser.add_argument('--model', type=str, default='opt')
            parser.add_argument('--tensor-parallel-size', '-tp', type=int, default=EngineArgs.swap_space)
            parser.add_argument('--dtype', choices=['auto', 'half'], default='auto')
            parser.add_argument('--swap-space', type=int, default=EngineArgs.swap_space)
            return parser

    @dataclass
    class AsyncEngineArgs(EngineArgs):
        @staticmethod
        def add_cli_args(parser):
            parser = EngineArgs.add_cli_args(parser)
            parser.add_argument('--engine-use-ray', action='store_true')
            return parser
"""
SERVER = """
    import argparse
    import uvicorn
    from vllm.engine.arg_utils import AsyncEngineArgs

    @app.get("/health")
    async def health():
        yield 1

    if __name__ == "__main__":
        parser = argparse.ArgumentParser(description="server")
        parser.add_argument("--port", type=int, default=8000)
        parser = AsyncEngineArgs.add_cli_args(parser)
        args = parser.parse_args()
        uvicorn.run(app, port=args.port)
"""
SCRIPTS = """
    from vllm.entrypoints.openai.api_server import make_parser

    def main():
        env_setup()
        parser = FlexibleArgumentParser(description="CLI")
        subparsers = parser.add_subparsers(required=True)
        serve = subparsers.add_parser("serve", usage="vllm serve")
        serve.add_argument("model_tag", type=str)
        make_parser(serve)
        subparsers.add_parser("chat")
        args = parser.parse_args()
        args.dispatch(args)

    class FlexibleArgumentParser(argparse.ArgumentParser):
        pass

    import argparse
"""
RECORDS = """
    import msgspec
    from sglang.srt.fields import A, Arg, Model, collect

    class ServerArgs:
        '''Assembled below.'''

        @staticmethod
        def add_cli_args(parser):
            for field in msgspec.structs.fields(ServerArgs):
                inner, arg = field.type.__args__ if False else parts(field.type)
                names = ["--" + field.name.replace("_", "-")] + (arg.aliases or [])
                if arg.no_cli:
                    continue
                if arg.action is not None:
                    parser.add_argument(*names, action=arg.action, help=arg.help, **(arg.more or {}))
                elif inner is bool:
                    parser.add_argument(*names, action="store_true")
                else:
                    parser.add_argument(*names, type=inner, required=field.default is msgspec.NODEFAULT, choices=arg.choices)

    from typing import get_args
    from sglang.srt.environ import envs

    def parts(kind):
        return get_args(kind)

    _annotations, _defaults = collect([Model])
    ServerArgs.__annotations__ = {**_annotations, **ServerArgs.__annotations__}
    ServerArgs = msgspec.defstruct(
        "ServerArgs",
        [(name, kind, _defaults[name]) if name in _defaults else (name, kind) for name, kind in ServerArgs.__annotations__.items()],
        namespace={key: value for key, value in vars(ServerArgs).items() if key not in ("__dict__", "__annotations__")},
        dict=True,
    )
"""
FIELDS = """
    from __future__ import annotations
    import argparse
    from typing import Annotated, Any, get_type_hints
    import msgspec

    A = Annotated

    class Arg(msgspec.Struct, frozen=True):
        help: str = ""
        aliases: list[str] | None = None
        choices: list | None = None
        action: Any | None = None
        more: dict | None = None
        no_cli: bool = False

    class Renamed(argparse.Action):
        def __init__(self, option_strings, dest, new_flag, nargs=0, **kwargs):
            self.new_flag = new_flag
            super(Renamed, self).__init__(option_strings, dest, nargs=nargs, **kwargs)

    LOADS = ["auto"]

    class Model(msgspec.Struct):
        PATH = "model"
        model_path: A[str, Arg(help="The weights.", aliases=["--model"])]
        load_format: A[str, Arg(choices=LOADS)] = "auto"
        trust: A[bool, Arg()] = False
        old: A[bool, Arg(action=Renamed, more={"new_flag": "--new"})] = False
        hidden: A[int, Arg(no_cli=True)] = 0

    LOADS.append("dummy")

    def collect(sources):
        kinds, defaults = {}, {}
        for source in sources:
            hints = get_type_hints(source, include_extras=True)
            for field in msgspec.structs.fields(source):
                kinds[field.name] = hints[field.name]
                if field.default is not msgspec.NODEFAULT:
                    defaults[field.name] = field.default
        return kinds, defaults
"""
ENVIRON = """
    class EnvBool:
        def __init__(self, default):
            self.default = default

    class Envs:
        SGLANG_FAST = EnvBool(False)
        SGLANG_SLOW = EnvBool(True)

    envs = Envs()
"""


def _write(root: Path, package: str, **sources: str) -> Path:
    for name, text in sources.items():
        path = root / package / (name.replace("__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        for folder in [path.parent, *path.parent.parents]:
            if folder == root:
                break
            (folder / "__init__.py").touch()
    return root


def _flag(table: FlagTable, name: str) -> Flag:
    flag = table.find(name)
    assert flag is not None
    return flag


def test_a_server_run_as_a_module_declares_its_options_as_it_starts(tmp_path: Path) -> None:
    """Before there was ``vllm serve``: the options stand under ``if __name__ == "__main__"``, and reading ends where parsing would begin."""
    table = read_tree(_write(tmp_path, "vllm", engine__arg_utils=ENGINE, entrypoints__openai__api_server=SERVER), "vllm")
    assert "python -m vllm.entrypoints.openai.api_server" == table.command
    assert {"-h", "--port", "--model", "-tp", "--dtype", "--swap-space", "--engine-use-ray"} <= {name for flag in table.flags for name in flag.names}
    assert (4, "int") == (_flag(table, "-tp").default, _flag(table, "-tp").type)
    assert ("seen_only_in_code",) == table.api_only


def test_an_older_entry_point_is_read_by_its_command(tmp_path: Path) -> None:
    """Another server module of the same release has options of its own."""
    root = _write(
        tmp_path,
        "vllm",
        engine__arg_utils=ENGINE,
        entrypoints__openai__api_server=SERVER,
        entrypoints__api_server=SERVER.replace('"--port"', '"--old"'),
    )
    table = read_tree(root, "vllm", "python -m vllm.entrypoints.api_server")
    assert ("python -m vllm.entrypoints.api_server", None) == (table.command, table.find("--port"))
    assert "int" == _flag(table, "--old").type
    with pytest.raises(TreeError):
        read_tree(root, "vllm", "python -m vllm.entrypoints.gone")


def test_the_first_command_line_program_is_run_up_to_its_parser(tmp_path: Path) -> None:
    """``vllm serve`` of a script with subcommands: the options are those of its parser, the commands those of the script."""
    server = SERVER.partition("    if __name__")[0] + "    def make_parser(parser):\n        return AsyncEngineArgs.add_cli_args(parser)\n"
    table = read_tree(_write(tmp_path, "vllm", engine__arg_utils=ENGINE, entrypoints__openai__api_server=server, scripts=SCRIPTS), "vllm")
    assert ("vllm serve", ("serve", "chat")) == (table.command, table.subcommands)
    assert ("model_tag", True) == (table.flags[1].dest, table.flags[1].required)
    assert "int" == _flag(table, "--swap-space").type


def test_flags_of_records_are_read(tmp_path: Path) -> None:
    """Options made from annotated records that are put together at import: names, choices, defaults, own actions, and what has no flag."""
    table = read_tree(_write(tmp_path, "sglang", srt__server_args=RECORDS, srt__fields=FIELDS, srt__environ=ENVIRON), "sglang")
    assert ("--model-path", "--model") == _flag(table, "--model").names
    assert _flag(table, "--model-path").required
    assert ("auto", "dummy") == _flag(table, "--load-format").choices
    assert (False, "use --new") == (_flag(table, "--old").takes_value, _flag(table, "--old").deprecated)
    assert ("hidden",) == table.api_only
    assert ("SGLANG_FAST", "SGLANG_SLOW") == table.environment


def test_a_choice_among_literals_that_a_set_decides_is_uncertain(tmp_path: Path) -> None:
    """Of two literal types in one union, the release's own search finds either, from run to run: its choices are not known."""
    text = """
        from typing import Literal, Union, get_args, get_origin

        Backend = Union[Literal["a", "b"], Literal["a", "c"]]

        class AsyncEngineArgs:
            @staticmethod
            def add_cli_args(parser):
                hint = next(one for one in set(get_args(Backend)) if get_origin(one) is Literal)
                parser.add_argument("--backend", type=str, choices=sorted(get_args(hint)))
                parser.add_argument("--single", choices=get_args(Literal["x"]))
                return parser
    """
    table = read_tree(_write(tmp_path, "vllm", engine__arg_utils=text, entrypoints__openai__api_server=SERVER), "vllm")
    assert (True, None) == (_flag(table, "--backend").uncertain, _flag(table, "--backend").choices)
    assert (False, ("x",)) == (_flag(table, "--single").uncertain, _flag(table, "--single").choices)


def test_choices_that_other_modules_register_are_found(tmp_path: Path) -> None:
    """A registry that is filled by decorators in the modules imported beside it is filled before it is read."""
    holder = """
        class ParserManager:
            parsers: dict = {}

            @classmethod
            def register_module(cls, name):
                def keep(kind):
                    cls.parsers[name] = kind
                    return kind
                return keep
    """
    one = "from vllm.reasoning.base import ParserManager\n\n\n@ParserManager.register_module('deepseek')\nclass DeepSeek:\n    pass\n"
    text = ENGINE.replace(
        "parser.add_argument('--dtype', choices=['auto', 'half']", "parser.add_argument('--dtype', choices=list(ParserManager.parsers)"
    )
    root = _write(
        tmp_path,
        "vllm",
        engine__arg_utils=text.replace("import argparse\n", "import argparse\n    from vllm.reasoning import ParserManager\n", 1),
        entrypoints__openai__api_server=SERVER,
        reasoning__base=holder,
        reasoning__one=one,
    )
    (root / "vllm" / "reasoning" / "__init__.py").write_text("from .base import ParserManager\nfrom .one import DeepSeek\n")
    assert ("deepseek",) == _flag(read_tree(root, "vllm"), "--dtype").choices


def test_an_action_that_adds_names_is_followed(tmp_path: Path) -> None:
    """The parser takes the names that the release's own action has when it is added, hidden from help or not."""
    text = """
        import argparse

        class Pair(argparse.BooleanOptionalAction):
            def __init__(self, option_strings, dest, *args, **kwargs):
                super().__init__(option_strings, dest, *args, **kwargs)
                self.option_strings = [*self.option_strings, *[name.replace("enable", "disable") for name in option_strings]]

        class AsyncEngineArgs:
            @staticmethod
            def add_cli_args(parser):
                parser.register("action", argparse.BooleanOptionalAction, Pair)
                action = parser.add_argument("--enable-log", action=argparse.BooleanOptionalAction)
                action.option_strings = ["--enable-log"]
                return parser
    """
    table = read_tree(_write(tmp_path, "vllm", engine__arg_utils=text, entrypoints__openai__api_server=SERVER), "vllm")
    assert ("--enable-log", "--no-enable-log", "--disable-log") == _flag(table, "--disable-log").names
    assert not _flag(table, "--enable-log").takes_value


def test_a_value_of_a_flag_of_click_makes_it_a_switch(tmp_path: Path) -> None:
    """click makes a switch of an option with a flag value, and of a pair of names."""
    text = (
        "import click\n\n@click.command()\n@click.option('--health', flag_value=True)\n@click.option('--a/--no-a')\n"
        "@click.option('--old', help='[DEPRECATED] Use --new.')\ndef run_server(**_kwargs):\n    pass\n"
    )
    table = read_tree(_write(tmp_path, "litellm", proxy__proxy_cli=text), "litellm")
    assert [False, False, True] == [_flag(table, name).takes_value for name in ("--health", "--no-a", "--old")]
    assert ("litellm", "[DEPRECATED] Use --new.") == (table.command, _flag(table, "--old").deprecated)


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("PKG-INFO", "Metadata-Version: 2.1\nName: vllm\nVersion: 0.3.1\n"),
        ("vllm/_version.py", "__version__ = version = '0.3.1'\n"),
        ("vllm/version.py", '__version__ = "0.3.1"\n'),
        ("vllm/__init__.py", '__version__ = "0.3.1"\n'),
    ],
)
def test_the_release_is_told_by_what_lies_there(tmp_path: Path, place: str, text: str) -> None:
    """An sdist's metadata, or the version that the package states, names the release."""
    _write(tmp_path, "vllm", engine__arg_utils=ENGINE, entrypoints__openai__api_server=SERVER)
    (tmp_path / place).write_text(text)
    assert "0.3.1" == read_tree(tmp_path, "vllm").release


@pytest.mark.parametrize(
    ("decorator", "open_"),
    [
        ("@dataclass(config=ConfigDict(extra='forbid'))", False),
        ("@dataclass", True),
        ("@stdlib", True),
    ],
)
def test_configurations_that_ignore_unknown_keys_are_told(tmp_path: Path, decorator: str, open_: bool) -> None:
    """What pydantic validates takes keys that it does not know, unless the class forbids them."""
    text = f"""
        import argparse
        from dataclasses import dataclass as stdlib
        from pydantic import ConfigDict, TypeAdapter
        from pydantic.dataclasses import dataclass

        {decorator}
        class TransferConfig:
            connector: str = ""

        class AsyncEngineArgs:
            @staticmethod
            def add_cli_args(parser):
                def parse_dataclass(val, cls=TransferConfig):
                    return TypeAdapter(cls).validate_json(val)
                parser.add_argument("--transfer", type=parse_dataclass)
                return parser
    """
    table = read_tree(_write(tmp_path, "vllm", engine__arg_utils=text, entrypoints__openai__api_server=SERVER), "vllm")
    assert ("json", "TransferConfig") == (_flag(table, "--transfer").type, _flag(table, "--transfer").json_config)
    assert ({"TransferConfig": {"connector": None}}, open_) == (table.config_keys, "TransferConfig" in table.open_configs)


def test_a_tree_without_the_package_or_its_options_is_an_error(tmp_path: Path) -> None:
    """Nothing there, and code that ends before it declares an option, are told apart from an empty table."""
    with pytest.raises(FileNotFoundError):
        read_tree(tmp_path, "vllm")
    with pytest.raises(TreeError):
        read_tree(_write(tmp_path, "vllm", entrypoints__openai__api_server="def main(:\n"), "vllm")
