"""``vllm serve``: parses, forks an engine in a session of its own, and answers."""

import json
import os
import signal
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from vllm.entrypoints.openai.cli_args import make_arg_parser
from vllm.utils.argparse_utils import FlexibleArgumentParser


def _log(text):
    print(f"(APIServer pid={os.getpid()}) INFO 12-01 12:00:00 [serve.py:1] {text}", flush=True)


def _engine():
    child = os.fork()
    if child:
        return child
    os.setsid()
    while True:
        time.sleep(30)


def main():
    """Run the command line."""
    parser = FlexibleArgumentParser(prog="vllm serve", usage="vllm serve [model_tag] [options]")
    if sys.argv[1:2] != ["serve"]:
        FlexibleArgumentParser(prog="vllm").error(f"argument subparser: invalid choice: {sys.argv[1:2]} (choose from serve, bench)")
    options = make_arg_parser(parser).parse_args(sys.argv[2:])
    model = options.model_tag or options.model
    _log(f"non-default args: {{'model_tag': '{model}', 'port': {options.port}}}")
    for name, value in os.environ.items():
        if name == "VLLM_PORT" and not value.isdigit():
            raise ValueError(f"VLLM_PORT '{value}' appears to be a URI. This may be caused by a Kubernetes service discovery issue")
    if model.startswith("/") and not Path(model).is_dir():
        raise OSError(f"Repo id must be in the form 'repo_name' or 'namespace/repo_name': '{model}'. Use `repo_type` argument if needed.")
    name = options.served_model_name or model

    class Handler(BaseHTTPRequestHandler):
        def _send(self, body):
            data = json.dumps(body).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def do_GET(self):
            self._send({"object": "list", "data": [{"id": name, "object": "model"}]})

        def do_POST(self):
            self.rfile.read(int(self.headers.get("content-length", 0)))
            self._send({"id": "c", "object": "text_completion", "choices": [{"index": 0, "text": "!", "finish_reason": "length"}]})

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer((options.host or "127.0.0.1", options.port), Handler)
    engine = _engine()
    _log(f"Starting vLLM API server 0 on http://127.0.0.1:{options.port}")
    print(f"(APIServer pid={os.getpid()}) INFO:     Application startup complete.", flush=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        server.serve_forever()
    finally:
        os.kill(engine, signal.SIGKILL)
