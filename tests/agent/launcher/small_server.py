"""A small server that behaves like the real ones at their worst. Every option is a way to misbehave; it needs nothing but a Python.

It logs like a framework, forks children (by default one in a session of its own), and writes the pid of every process to ``--pids``.
"""

import argparse
import json
import os
import signal
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--api-key", default=os.environ.get("SMALL_API_KEY", ""))
    parser.add_argument("--models", default="small")
    parser.add_argument("--pids")
    parser.add_argument("--say", action="append", default=[], help="print this line first")
    parser.add_argument("--environment", action="append", default=[], help="print this variable first")
    parser.add_argument("--exit", type=int, help="end with this status instead of serving")
    parser.add_argument("--hang", action="store_true", help="fall silent before serving")
    parser.add_argument("--log-for-ever", action="store_true", help="say the same for ever before serving")
    parser.add_argument("--count-to", type=int, default=0, help="log a rising percentage before serving")
    parser.add_argument("--refuse", type=int, help="answer completions with this status")
    parser.add_argument("--die", dest="die_with", action="store_const", const=1, help="die on the first completion")
    parser.add_argument("--die-with", type=int, help="die on the first completion, with this status")
    parser.add_argument("--die-after", action="store_true", help="die after the answer to the first completion")
    parser.add_argument("--quiet-port", action="store_true", help="do not say where it serves")
    parser.add_argument("--deaf", action="store_true", help="ignore SIGTERM and SIGINT")
    parser.add_argument("--daemon", action="store_true", help="leave a double-forked daemon too")
    parser.add_argument("--long-log", type=int, default=0, help="print this many kilobytes first")
    return parser


def _note(path: str | None) -> None:
    if path:
        with open(path, "a") as file:
            file.write(f"{os.getpid()}\n")


def _fork(path: str | None, twice: bool) -> None:
    """A child in a session of its own, twice forked for a daemon, that stays until it is killed."""
    if os.fork():
        return
    os.setsid()
    if twice and os.fork():
        os._exit(0)
    _note(path)
    while True:
        time.sleep(60)


class _Server(ThreadingHTTPServer):
    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(("127.0.0.1", options.port), _Handler)
        self.options = options


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def _answer(self, status: int, value: object) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _admitted(self) -> bool:
        key = self.server.options.api_key
        if key and self.headers.get("Authorization") != f"Bearer {key}":
            self._answer(401, {"error": "unauthorized"})
            return False
        return True

    def do_GET(self) -> None:
        if self.path == "/health":
            self._answer(200, {})
        elif self.path == "/v1/models" and self._admitted():
            self._answer(200, {"data": [{"id": name} for name in self.server.options.models.split(",") if name]})
        elif self.path != "/v1/models":
            self._answer(404, {})

    def do_POST(self) -> None:
        options = self.server.options
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self._admitted():
            return
        if options.die_with is not None:
            print("ERROR EngineDeadError: the engine died", flush=True)
            os._exit(options.die_with)
        if self.path == "/v1/completions" and options.refuse:
            self._answer(options.refuse, {"error": "refused"})
        elif self.path == "/v1/completions":
            self._answer(200, {"model": asked["model"], "choices": [{"text": " there"}]})
        elif self.path == "/v1/embeddings":
            self._answer(200, {"data": [{"embedding": [0.5]}]})
        else:
            self._answer(404, {})
        if options.die_after:
            self.wfile.flush()
            os._exit(1)

    def log_message(self, format: str, *words: object) -> None:
        print("INFO " + format % words, flush=True)


def _serve(options: argparse.Namespace) -> None:
    server = _Server(options)
    if not options.quiet_port:
        print(f"INFO: Uvicorn running on http://0.0.0.0:{server.server_address[1]}", flush=True)
    server.serve_forever()


def _goodbye(*_: object) -> None:
    print("goodbye", flush=True)
    os._exit(0)


def main() -> None:
    """Misbehave as asked, then serve."""
    options = _parser().parse_args()
    if options.deaf:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    else:
        signal.signal(signal.SIGTERM, _goodbye)
    _note(options.pids)
    _talk(options)
    if options.exit is not None:
        sys.exit(options.exit)
    _fork(options.pids, False)
    if options.daemon:
        _fork(options.pids, True)
    _load(options)
    _serve(options)


def _talk(options: argparse.Namespace) -> None:
    for line in options.say:
        print(line, flush=True)
    for name in options.environment:
        print(os.environ.get(name, "unset"), flush=True)
    for _ in range(options.long_log):
        print("x" * 1023)
    print("reading its arguments", flush=True)


def _load(options: argparse.Namespace) -> None:
    print("loading weights", flush=True)
    for percent in range(options.count_to):
        print(f"Loading shards: {percent}%", flush=True)
        time.sleep(0.02)
    attempt = 0
    while options.log_for_ever or options.hang:
        time.sleep(0.01)
        if options.log_for_ever:
            attempt += 1
            print(f"cannot connect, attempt {attempt}: will retry in {attempt % 7} s", flush=True)


if __name__ == "__main__":
    main()
