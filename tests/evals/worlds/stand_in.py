"""A stand-in for the LiteLLM proxy: refuses an option it does not know as click does, else answers ``/v1/models``. Run as a program."""

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

KNOWN = ("--config", "--host", "--port")


class Handler(BaseHTTPRequestHandler):
    """Answers every GET with the model list."""

    def do_GET(self) -> None:
        """Send the models."""
        body = json.dumps({"data": [{"id": "small"}, {"id": "large"}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def main(words: list[str]) -> int:
    """Parse the options, serve."""
    options = dict(zip(words[::2], words[1::2], strict=False))
    for name in options:
        if name not in KNOWN:
            sys.stderr.write(f"Usage: litellm [OPTIONS]\nTry 'litellm --help' for help.\n\nError: No such option '{name}'. Did you mean '--port'?\n")
            return 2
    server = HTTPServer((options["--host"], int(options["--port"])), Handler)
    sys.stderr.write(f"INFO:     Uvicorn running on http://{options['--host']}:{options['--port']} (Press CTRL+C to quit)\n")
    sys.stderr.flush()
    server.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
