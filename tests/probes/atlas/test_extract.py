"""The extractor on small source trees: what it reads, what it refuses to guess, and that it runs nothing."""

import ast
import json
import subprocess
import sys
import textwrap
from collections import Counter
from pathlib import Path

import pytest

from probes.atlas.extract import extract
from probes.atlas.source import PARTS, program, read_flags, table_of
from probes.atlas.table import Flag, FlagTable

ARGPARSE_UTILS = """
    import sys
    from argparse import ArgumentParser, _ArgumentGroup

    class FlexibleArgumentParser(ArgumentParser):
        _deprecated = set()
        def add_argument(self, *args, **kwargs):
            deprecated = kwargs.pop("deprecated", False)
            return super().add_argument(*args, **kwargs)
"""

SERVE = """
    from vllm.engine.arg_utils import AsyncEngineArgs

    class ServeSubcommand:
        name = "serve"
        def subparser_init(self, subparsers):
            parser = subparsers.add_parser(self.name, help="x")
            parser.add_argument("model_tag", type=str, nargs="?")
            return AsyncEngineArgs.add_cli_args(parser)
"""

CONFIG = """
    import os
    from typing import Any, Literal
    import torch
    from pydantic import Field
    from pydantic.dataclasses import dataclass

    DType = Literal["auto", "half"]
    os.system("touch SHOULD-NOT-EXIST")

    @dataclass
    class ModelConfig:
        model: str = "m"
        dtype: DType = "auto"
        \"\"\"The type.\"\"\"
        eager: bool = False
        max_len: int | None = None
        ratio: float = Field(default=0.9, gt=0)
        names: list[str] | None = None
        extra: dict[str, Any] | None = None
        device: str | torch.device = "cpu"

    @dataclass
    class SpeculativeConfig:
        method: Literal["ngram", "mtp"] | None = None
        tokens: int = 1
"""

ARG_UTILS = """
    import argparse, dataclasses, json
    from dataclasses import dataclass, fields, is_dataclass
    from types import UnionType
    from typing import Annotated, Any, Literal, Union, get_args, get_origin
    from vllm.config import ModelConfig
    from vllm.platforms import current_platform

    def optional_type(kind):
        def _optional_type(val):
            return None if val in ("", "None") else kind(val)
        return _optional_type

    def get_kwargs(cls):
        kwargs = {}
        for field in fields(cls):
            hints = set(get_args(field.type)) if get_origin(field.type) in {Union, UnionType} else {field.type}
            kinds = {get_origin(hint) or hint for hint in hints}
            kwargs[field.name] = {"default": field.default}
            if bool in kinds:
                kwargs[field.name]["action"] = argparse.BooleanOptionalAction
            elif Literal in kinds:
                options = get_args(next(hint for hint in hints if get_origin(hint) is Literal))
                kwargs[field.name].update({"type": str, "choices": sorted(options)})
            elif list in kinds:
                kwargs[field.name].update({"type": str, "nargs": "+"})
            elif dict in kinds:
                kwargs[field.name]["type"] = json.loads
            elif int in kinds:
                kwargs[field.name]["type"] = int
            elif float in kinds:
                kwargs[field.name]["type"] = float
            else:
                kwargs[field.name]["type"] = str
            if type(None) in kinds and bool not in kinds:
                kwargs[field.name]["type"] = optional_type(kwargs[field.name]["type"])
        return kwargs

    @dataclass
    class EngineArgs:
        model: str = ModelConfig.model
        dtype: str = ModelConfig.dtype
        hidden: int = 3

        @staticmethod
        def add_cli_args(parser):
            kwargs = get_kwargs(ModelConfig)
            group = parser.add_argument_group(title="Model")
            for name in kwargs:
                group.add_argument(f"--{name.replace('_', '-')}", **kwargs[name])
            group.add_argument("--number", "-n", type=int, default=1)
            if current_platform.is_odd():
                group.add_argument("--odd", type=int)
            group.add_argument("--place", type=str, choices=current_platform.places())
            return parser

    @dataclass
    class AsyncEngineArgs(EngineArgs):
        @staticmethod
        def add_cli_args(parser):
            parser = EngineArgs.add_cli_args(parser)
            parser.add_argument("--old", action="store_true", deprecated=True)
            return parser
"""


def _tree(root: Path, **changed: str) -> Path:
    sources = {
        "__init__": "",
        "utils/__init__": "",
        "utils/argparse_utils": ARGPARSE_UTILS,
        "engine/__init__": "",
        "engine/arg_utils": ARG_UTILS,
        "entrypoints/__init__": "",
        "entrypoints/cli/__init__": "",
        "entrypoints/cli/serve": SERVE,
        "config/__init__": CONFIG,
        "platforms/__init__": "current_platform = print",
        **{name.replace("__", "/"): text for name, text in changed.items()},
    }
    for name, text in sources.items():
        path = root / "vllm" / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
    return root


def _flag(table: FlagTable, name: str) -> Flag:
    flag = table.find(name)
    assert flag is not None
    return flag


def test_flags_come_from_the_classes_that_declare_them(tmp_path: Path) -> None:
    """Names, aliases, types, choices, arity and defaults are those that the release's own code gives its parser."""
    table = table_of(extract(str(_tree(tmp_path)), "vllm", "serve"))
    assert ("auto", "half") == _flag(table, "--dtype").choices
    assert ("--eager", "--no-eager") == _flag(table, "--eager").names
    assert not _flag(table, "--eager").takes_value
    assert ("int", True) == (_flag(table, "--max-len").type, _flag(table, "--max-len").nullable)
    assert ("float", 1) == (_flag(table, "--ratio").type, _flag(table, "--number").default)
    assert ("str", "+") == (_flag(table, "--names").type, _flag(table, "--names").nargs)
    assert ("json", "dict") == (_flag(table, "--extra").type, _flag(table, "--extra").json_config)
    assert ("--number", "-n") == _flag(table, "-n").names
    assert "str" == _flag(table, "--device").type


def test_what_the_machine_decides_is_uncertain(tmp_path: Path) -> None:
    """An option in a branch on the platform, and choices that the platform gives, are marked and not guessed."""
    table = table_of(extract(str(_tree(tmp_path)), "vllm", "serve"))
    assert {"--odd", "--place"} == {flag.names[0] for flag in table.flags if flag.uncertain}


def test_choices_of_a_set_are_the_same_in_every_reading(tmp_path: Path) -> None:
    """A set has another order in every process; what is read from the source has not."""
    text = ARG_UTILS.replace("choices=current_platform.places()", 'choices={"torch", "flash", "xpu", "ascend"}')
    table = table_of(extract(str(_tree(tmp_path, engine__arg_utils=text)), "vllm", "serve"))
    assert ("ascend", "flash", "torch", "xpu") == _flag(table, "--place").choices


def test_fields_without_a_flag_are_told(tmp_path: Path) -> None:
    """A field of the Python API that no option sets is listed as such."""
    assert ("hidden",) == table_of(extract(str(_tree(tmp_path)), "vllm", "serve")).api_only


def test_keys_of_json_configurations_are_told(tmp_path: Path) -> None:
    """A configuration class gives its keys, with the values a key allows where they are all known."""
    keys = table_of(extract(str(_tree(tmp_path)), "vllm", "serve")).config_keys
    assert {"SpeculativeConfig": {"method": ("ngram", "mtp"), "tokens": None}} == keys


def test_nothing_of_the_package_acts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code of the package that would act on the machine when imported does nothing when it is read."""
    monkeypatch.chdir(tmp_path)
    table_of(extract(str(_tree(tmp_path)), "vllm", "serve"))
    assert ["vllm"] == sorted(path.name for path in tmp_path.iterdir())


@pytest.mark.parametrize(
    "escape",
    [
        "__import__('os').system('touch SHOULD-NOT-EXIST')",
        "open('SHOULD-NOT-EXIST', 'w')",
        "().__class__.__base__.__subclasses__()[0].__init__.__globals__['os'].system('touch SHOULD-NOT-EXIST')",
        "eval(\"open('SHOULD-NOT-EXIST', 'w')\")",
        "(lambda: 0).__globals__['__builtins__']['open']('SHOULD-NOT-EXIST', 'w')",
        "type('X', (), {}).mro()[-1].__subclasses__()",
        "(x for x in ()).gi_frame.f_builtins['open']('SHOULD-NOT-EXIST', 'w')",
        "'{0.__class__}'.format(print).system('touch SHOULD-NOT-EXIST')",
    ],
)
def test_source_cannot_reach_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, escape: str) -> None:
    """Source that tries to get hold of the machine gets nothing; the flags are still read, or the reading is said to have failed."""
    monkeypatch.chdir(tmp_path)
    text = ARG_UTILS.replace('group.add_argument("--number"', f'held = {escape}\n            group.add_argument("--number"')
    document = extract(str(_tree(tmp_path, engine__arg_utils=text)), "vllm", "serve")
    assert ["vllm"] == sorted(path.name for path in tmp_path.iterdir())
    assert document["failed"] or any("-n" in option["names"] for option in document["options"])


def test_a_tree_that_does_not_parse_is_a_failure_not_an_empty_table(tmp_path: Path) -> None:
    """A syntax error in the code that builds the parser is told."""
    document = extract(str(_tree(tmp_path, entrypoints__cli__serve="class ServeSubcommand(:\n    pass\n")), "vllm", "serve")
    assert document["notes"]
    assert None is table_of(document).find("--number")


def test_an_endless_loop_ends(tmp_path: Path) -> None:
    """Code that never ends is given up, and said to be."""
    text = SERVE.replace("parser.add_argument(", "while True: pass\n            parser.add_argument(")
    assert "serve: too long" in extract(str(_tree(tmp_path, entrypoints__cli__serve=text)), "vllm", "serve")["failed"]


def test_the_program_is_complete_by_itself(tmp_path: Path) -> None:
    """Sent on standard input to a bare Python, the extractor prints the same document."""
    root = str(_tree(tmp_path))
    done = subprocess.run([sys.executable, "-I", "-S", "-", root, "vllm", "serve"], input=program(), capture_output=True, text=True, check=True)
    assert extract(root, "vllm", "serve")["options"] == json.loads(done.stdout)["options"]


def test_no_name_stands_in_two_parts_of_the_program() -> None:
    """The parts are joined into one file, where a second definition of a name would hide the first."""
    names = [name for part in PARTS for node in ast.parse(Path(str(part.__file__)).read_text()).body for name in _defined(node)]
    assert [] == [name for name, count in Counter(names).items() if count > 1]


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    return [target.id for target in node.targets if isinstance(target, ast.Name)] if isinstance(node, ast.Assign) else []


def test_an_absent_package_is_said_to_be_absent(tmp_path: Path) -> None:
    """The program ends with status 3 and a sentence where the package is not there."""
    done = subprocess.run([sys.executable, "-I", "-S", "-", str(tmp_path), "vllm", "serve"], input=program(), capture_output=True, text=True)
    assert (3, f"no package vllm in {tmp_path}\n") == (done.returncode, done.stderr)
    with pytest.raises(FileNotFoundError):
        read_flags(tmp_path, "vllm", folder=tmp_path / "cache")


def test_the_cache_follows_the_files(tmp_path: Path) -> None:
    """A second reading comes from the cache; a changed file, a damaged and a deleted cache are noticed."""
    root, cache = _tree(tmp_path / "tree"), tmp_path / "cache"
    first = read_flags(root, "vllm", folder=cache)
    assert first == read_flags(root, "vllm", folder=cache)
    source = root / "vllm" / "engine" / "arg_utils.py"
    source.write_text(source.read_text().replace("--number", "--numeral"))
    assert None is not read_flags(root, "vllm", folder=cache).find("--numeral")
    for path in cache.iterdir():
        path.write_text("{")
    assert None is not read_flags(root, "vllm", folder=cache).find("--numeral")


def test_click_options_are_read(tmp_path: Path) -> None:
    """The options of a click command come with their types, choices and variables."""
    package = tmp_path / "litellm" / "proxy"
    package.mkdir(parents=True)
    for folder in (tmp_path / "litellm", package):
        (folder / "__init__.py").write_text("")
    (package / "proxy_cli.py").write_text(
        "import click\n\n@click.command()\n@click.option('--port', default=4000, envvar='PORT')\n@click.option('--model', '-m', default=None)\n"
        "@click.option('--level', type=click.Choice(['a', 'b']))\n@click.option('--debug', is_flag=True)\n@click.argument('rest', nargs=-1)\n"
        "def run_server(port, model, level, debug, rest):\n    pass\n"
    )
    table = table_of(extract(str(tmp_path), "litellm", ""))
    assert ("integer", "PORT") == (_flag(table, "--port").type, _flag(table, "--port").environment)
    assert ("--model", "-m") == _flag(table, "-m").names
    assert ("a", "b") == _flag(table, "--level").choices
    assert not _flag(table, "--debug").takes_value


def test_a_wrapped_converter_is_seen_through(tmp_path: Path) -> None:
    """A converter made by another function is known by what it finally calls, wherever that is defined."""
    text = ARG_UTILS.replace(
        "    def optional_type(kind):",
        "    def human_readable_int(val):\n        return int(val)\n\n"
        "    def parse_type(kind):\n        def _parse_type(val):\n            return kind(val)\n"
        "        return _parse_type\n\n    def optional_type(kind):",
    ).replace("else kind(val)", "else parse_type(kind)(val)")
    text = text.replace("type=int, default=1", "type=optional_type(human_readable_int), default=1")
    table = table_of(extract(str(_tree(tmp_path, engine__arg_utils=text)), "vllm", "serve"))
    assert ("human_readable_int", True) == (_flag(table, "--number").type, _flag(table, "--number").nullable)
    assert ("json", "dict") == (_flag(table, "--extra").type, _flag(table, "--extra").json_config)
