"""SGLang: its entry points, its argparse parser, the marks in its log and what counts as up."""

from probes.frameworks.argv import program_at, starts
from probes.frameworks.framework import Entry, Framework, ParserRules, Ready

_MODULES = ("-m sglang.launch_server", "-m sglang.srt.entrypoints.http_server", "launch_server.py")
_OTHER_COMMANDS = frozenset(("generate", "version", "bench", "killall"))
_ASKS = frozenset(("-h", "--help", "--version"))


def find_entry(argv: tuple[str, ...]) -> Entry | None:
    """The serving command of SGLang in `argv`, or None; a subcommand that does not exist is still an entry."""
    for start in starts(argv):
        program = program_at(argv, start)
        if program is None:
            continue
        name, after = program
        if name in _MODULES:
            return Entry(framework="sglang", command="python -m sglang.launch_server", start=start, options=after)
        if name not in ("sglang", "-m sglang.cli.main"):
            continue
        rest = argv[after:]
        bare = next((word for word in rest if not word.startswith("-")), "")
        if bare in _OTHER_COMMANDS or (not bare and rest and all(word in _ASKS for word in rest)):
            continue
        if "serve" in rest:
            return Entry(framework="sglang", command="sglang serve", start=start, options=after + rest.index("serve") + 1)
        misspelt = bool(rest) and not rest[0].startswith("-")
        return Entry(framework="sglang", command="sglang serve", start=start, options=after + misspelt)
    return None


# Parses the options with the server's own argparse parser and checks nothing further. The last line of stdout is the answer.
PARSER_SCRIPT = """
import argparse, io, json, os, re, sys, traceback
answer = os.dup(1)
os.dup2(2, 1)
result = {"accepted": False, "built": False, "error": ""}
printed = io.StringIO()
real = sys.stderr
try:
    from sglang.srt.server_args import ServerArgs
    parser = argparse.ArgumentParser(prog="launch_server.py")
    ServerArgs.add_cli_args(parser)
    result["built"] = True
    sys.stderr = printed
    parser.parse_args(sys.argv[1:])
    result["accepted"] = True
except SystemExit as end:
    match = re.search(r"^[^\\n]*?: error: .*", printed.getvalue(), re.S | re.M)
    result["error"] = match.group(0).strip() if match else ""
    result["accepted"] = end.code in (0, None)
except BaseException as error:
    result["error"] = "".join(traceback.format_exception_only(type(error), error)).strip()
sys.stderr = real
os.write(answer, (json.dumps(result) + "\\n").encode())
os._exit(0)
"""

SGLANG = Framework(
    name="sglang",
    program="sglang",
    find_entry=find_entry,
    rules=ParserRules(kind="argparse", abbreviations=True, underscores=False, dotted_json=False, positionals=()),
    plain_help=("--help",),
    full_help=("--help",),
    control_flag="--tensor-parallel-size",
    distributions=("sglang",),
    package="sglang",
    api_class="sglang.srt.server_args:ServerArgs",
    parser_script=PARSER_SCRIPT,
    phases=(
        ("arguments", ("usage: launch_server.py", "usage: sglang")),
        ("config", ("server_args=",)),
        ("engine", ("Init parallel begin", "Init torch distributed begin", "Init torch distributed ends")),
        ("weights", ("Load weight begin", "Multi-thread loading shards", "Loading safetensors checkpoint shards")),
        ("cache", ("Load weight end", "KV Cache is allocated", "Memory pool end", "Capture cuda graph begin")),
        ("server", ("max_total_num_tokens=", "Started server process [", "Uvicorn running on ")),
        ("up", ("The server is fired up and ready to roll",)),
    ),
    ready=(
        Ready(method="GET", path="/v1/models", names_model=True),
        Ready(method="POST", path="/v1/completions", body='{"model": "{model}", "prompt": "Hi", "max_tokens": 1}'),
    ),
    default_port=30000,
    port_flags=("--port",),
    host_flags=("--host",),
    key_flags=("--api-key",),
    key_variables=("SGLANG_API_KEY",),
    environment_prefixes=("SGLANG_", "SGL_"),
    file_flags=("--config", "--chat-template", "--ssl-keyfile", "--ssl-certfile", "--ssl-ca-certs"),
    config_flag="--config",
    model_flags=("--model-path", "--model"),
    import_seconds=5.0,
)
