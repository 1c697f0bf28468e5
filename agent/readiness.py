"""Up means it answers: a launch is up when the most real request that costs nobody money gets a real answer, asked on the target.

A port that is open, ``/health`` saying 200 and an older server on the same port prove nothing.
"""

import json
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
import yaml

from agent.ready_script import READY_SCRIPT
from probes.frameworks.framework import Framework, Ready
from probes.targets.target import Target
from transcripts.records import Command, Record

ASK_SECONDS = 120.0
"""The first completion on a machine without an accelerator can take a minute."""

_EVERY = frozenset({"0.0.0.0", "::", "*", ""})  # noqa: S104 - recognised, never bound


class Step(Record, frozen=True, kw_only=True):
    """One request; `type` is the body's media type, ``{model}`` in the body becomes the first model served."""

    method: str
    path: str
    type: str = "application/json"
    body: str = ""


# What a server is asked instead when it says that its model makes no completions.
_INSTEAD = {
    "/v1/completions": (
        Step(method="POST", path="/v1/embeddings", body='{"model": "{model}", "input": "Hi"}'),
        Step(method="POST", path="/pooling", body='{"model": "{model}", "input": "Hi"}'),
        Step(method="POST", path="/classify", body='{"model": "{model}", "input": "Hi"}'),
    )
}


class Endpoint(Record, frozen=True, kw_only=True):
    """Where a launch answers, with the key it wants. `key` is a real secret: this value is never recorded.

    `models` are the names that its answer must hold; `configured` is True where a file lists them (it may list none).
    """

    scheme: str = "http"
    host: str = "127.0.0.1"
    port: int = 0
    socket: str = ""
    key: str = ""
    key_names: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    configured: bool = False

    def serving_at(self, said: tuple[str, str, int]) -> "Endpoint":
        """This endpoint at the place that the server's own log names."""
        scheme, host, port = said
        return msgspec.structs.replace(self, scheme=scheme, host=_reachable(host), port=port)


class Answer(Record, frozen=True, kw_only=True):
    """What the server said: `up`, and the short text of the answer or of why it is none."""

    up: bool
    text: str


async def find_endpoint(target: Target, framework: Framework, options: tuple[str, ...], env: dict[str, str], cwd: str | None) -> Endpoint:
    """Where a launch with these options and environment will answer; a configuration file it names is read on the target."""
    config: dict[str, Any] = {}
    path = option(framework, options, framework.config_flag, *(("-c",) if framework.rules.kind == "click" else ()))
    if path:
        config = await _config(target, str(Path(cwd or "", path)))
    port = option(framework, options, *framework.port_flags)
    key = option(framework, options, *framework.key_flags) or next((env[name] for name in framework.key_variables if env.get(name)), "")
    names = framework.key_variables
    general = config.get("general_settings")
    master = general.get("master_key") if isinstance(general, dict) else None
    if isinstance(master, str) and master.startswith("os.environ/"):
        name = master.removeprefix("os.environ/")
        key, names = env.get(name, ""), (name, *names)
    elif isinstance(master, str) and master:
        key = master
    listed = config.get("model_list")
    models = [entry.get("model_name") for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    secure = any(option(framework, options, flag) for flag in ("--ssl-certfile", "--ssl-keyfile", "--ssl_certfile_path"))
    return Endpoint(
        scheme="https" if secure else "http",
        host=_reachable(option(framework, options, *framework.host_flags)),
        port=int(port) if port.isdecimal() else framework.default_port,
        socket=option(framework, options, "--uds"),
        key=key,
        key_names=names,
        models=tuple(dict.fromkeys(name for name in models if isinstance(name, str) and "*" not in name)),
        configured=bool(path),
    )


def option(framework: Framework, options: tuple[str, ...], *flags: str) -> str:
    """The last value that `options` give to one of `flags` (``--x V``, ``--x=V``; underscores as the parser takes them), or empty."""
    value = ""
    for index, word in enumerate(options):
        head, separator, tail = word.partition("=")
        name = head.replace("_", "-") if framework.rules.underscores and head.startswith("--") else head
        if name in flags and (separator or index + 1 < len(options)):
            value = tail if separator else options[index + 1]
    return value


async def ask(target: Target, endpoint: Endpoint, ready: tuple[Ready, ...], pids: tuple[int, ...], python: tuple[str, ...] = ()) -> Answer:
    """Ask the server once, by a small program on the target (the first of `python` that is there)."""
    steps = [[msgspec.structs.asdict(step) for step in (Step(method=r.method, path=r.path, body=r.body), *_INSTEAD.get(r.path, ()))] for r in ready]
    place = {"scheme": endpoint.scheme, "host": endpoint.host, "port": endpoint.port, "socket": endpoint.socket}
    asked = {**place, "key": endpoint.key, "key_names": endpoint.key_names, "steps": steps, "pids": pids, "timeout": ASK_SECONDS}
    here = (sys.executable,) if target.name == "local" else ()
    for interpreter in (*python, "python3", "python", *here):
        argv = (interpreter, "-I", "-S", "-c", READY_SCRIPT)
        output = await target.run(Command(argv=argv, stdin=msgspec.json.encode(asked).decode(), timeout=ASK_SECONDS + 10, limit=8_000_000))
        if output.failure not in ("no-tool", "denied"):
            break
    if output.failure:
        return Answer(up=False, text=f"could not ask: {output.failure}")
    if output.status != 0:
        return Answer(up=False, text=f"could not ask: {argv[0]} says {output.stderr.strip()[-200:] or f'exit status {output.status}'}")
    return judge(ready, endpoint, output.stdout)


async def ask_url(target: Target, url: str, python: tuple[str, ...] = ()) -> Answer:
    """Ask the URL that a person named; any 2xx is up."""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    endpoint = Endpoint(scheme=parts.scheme, host=parts.hostname or "127.0.0.1", port=port)
    return await ask(target, endpoint, (Ready(method="GET", path=path),), (), python)


def judge(ready: tuple[Ready, ...], endpoint: Endpoint, printed: str) -> Answer:
    """What the asking program's answer says: every request must have had a 2xx with what was asked for in it. Pure."""
    try:
        result = json.loads(printed)
    except ValueError:
        return Answer(up=False, text=f"could not ask: {printed[:200]}")
    if result["owner"] == "other":
        return Answer(up=False, text=f"port {endpoint.port} is answered by another process, not by this launch")
    answers = result["answers"]
    text = "nothing was asked"
    for wanted, answer in zip(ready, answers, strict=False):
        name = f"{answer['method']} {answer['path']}"
        if "status" not in answer:
            return Answer(up=False, text=f"{name}: {answer['error']}")
        if not 200 <= answer["status"] < 300:
            return Answer(up=False, text=f"{name}: {answer['status']} {' '.join(answer['body'].split())[:300]}")
        said = _said(wanted, endpoint, answer["body"])
        if not said.up:
            return Answer(up=False, text=f"{name}: {said.text}")
        text = f"{name}: {said.text}"
    return Answer(up=len(answers) == len(ready) > 0, text=text)


def _said(wanted: Ready, endpoint: Endpoint, body: str) -> Answer:
    if not wanted.names_model and not wanted.body:
        return Answer(up=True, text=" ".join(body.split())[:80] or "2xx")
    try:
        value = json.loads(body)
    except ValueError:
        return Answer(up=False, text=f"no JSON: {body[:80]}")
    if wanted.names_model:
        return _names(endpoint, value)
    content = next((value[name] for name in ("choices", "data", "results") if isinstance(value, dict) and value.get(name)), None)
    if not content:
        return Answer(up=False, text=f"no answer in it: {body[:80]}")
    first = content[0] if isinstance(content, list) else content
    words = first.get("text") if isinstance(first, dict) else None
    return Answer(up=True, text=json.dumps(words, ensure_ascii=False) if isinstance(words, str) else "answered")


def _names(endpoint: Endpoint, value: Any) -> Answer:
    data = value.get("data") if isinstance(value, dict) else None
    if not isinstance(data, list):
        return Answer(up=False, text="names no models")
    served = [str(entry.get("id", "")) for entry in data if isinstance(entry, dict)]
    missing = [name for name in endpoint.models if name not in served]
    if missing:
        return Answer(up=False, text=f"does not name the configured {', '.join(missing)}")
    if not served and not endpoint.configured:
        return Answer(up=False, text="names no models")
    return Answer(up=True, text=f"names {', '.join(served)[:200] or 'no models, as configured'}")


async def _config(target: Target, path: str) -> dict[str, Any]:
    look = await target.read(path)
    try:
        value = yaml.safe_load(look.data)
    except yaml.YAMLError:
        return {}
    return value if isinstance(value, dict) else {}


def _reachable(host: str) -> str:
    return "127.0.0.1" if host in _EVERY else host
