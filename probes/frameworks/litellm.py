"""The LiteLLM proxy: its entry point, its click parser, the marks in its log and what counts as up."""

from probes.frameworks.argv import program_at, starts
from probes.frameworks.framework import Entry, Framework, ParserRules, Ready

_PROGRAMS = ("litellm", "-m litellm", "-m litellm.proxy.proxy_cli", "proxy_cli.py")


def find_entry(argv: tuple[str, ...]) -> Entry | None:
    """The proxy's command in `argv`, or None. ``litellm-proxy`` and ``lite`` are clients of a running proxy and no entry."""
    for start in starts(argv):
        program = program_at(argv, start)
        if program is not None and program[0] in _PROGRAMS:
            name, after = program
            module = name.startswith("-m ")
            return Entry(framework="litellm", command=f"python {name}" if module else "litellm", start=start, options=after)
    return None


# Parses the options with the proxy's own click command and never calls it. The last line of stdout is the answer.
PARSER_SCRIPT = """
import json, os, sys, traceback
answer = os.dup(1)
os.dup2(2, 1)
result = {"accepted": False, "built": False, "error": ""}
try:
    import click
    from litellm.proxy.proxy_cli import run_server
    result["built"] = True
    try:
        context = run_server.make_context("litellm", list(sys.argv[1:]))
        left = context.params.get("cli_args") or ()
        if left:
            raise click.UsageError("Unknown command: " + " ".join(left))
        result["accepted"] = True
    except click.exceptions.Exit as end:
        result["accepted"] = end.exit_code == 0
    except click.ClickException as error:
        result["error"] = "Error: " + error.format_message()
except BaseException as error:
    result["error"] = "".join(traceback.format_exception_only(type(error), error)).strip()
os.write(answer, (json.dumps(result) + "\\n").encode())
os._exit(0)
"""

LITELLM = Framework(
    name="litellm",
    program="litellm",
    find_entry=find_entry,
    rules=ParserRules(kind="click", abbreviations=False, underscores=False, dotted_json=False, positionals=("cli_args",)),
    plain_help=("--help",),
    full_help=("--help",),
    control_flag="--config",
    distributions=("litellm",),
    package="litellm",
    api_class="",
    parser_script=PARSER_SCRIPT,
    # Uvicorn binds its port only after the application has started, so that "startup complete" alone is not up.
    phases=(
        ("arguments", ("get_model_cost_map.py:", "Usage: litellm")),
        ("config", ("Postgres connection budget", "Started server process [", "Waiting for application startup", "Started parent process [")),
        ("model", ("Thank you for using LiteLLM", "LiteLLM: Proxy initialized with Config")),
        ("server", ("Application startup complete",)),
        ("up", ("Uvicorn running on ", "Running on http")),
    ),
    ready=(Ready(method="GET", path="/v1/models", names_model=True),),
    default_port=4000,
    port_flags=("--port",),
    host_flags=("--host",),
    key_flags=(),
    key_variables=("LITELLM_MASTER_KEY",),
    environment_prefixes=("LITELLM_",),
    file_flags=("--config", "-c", "--log_config", "--ssl_keyfile_path", "--ssl_certfile_path"),
    config_flag="--config",
    model_flags=("--model", "-m"),
    import_seconds=5.0,
)
