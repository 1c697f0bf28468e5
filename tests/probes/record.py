"""Fills situation files in: runs each probe's command here and writes its output and what is read from it.

``python tests/probes/record.py [--as-nobody] [--path PATH] [--show FROM=TO]… FILE…``. A file needs ``probe``, ``seen_on``, ``[question]`` and
``[situation]``. Read the result before you keep it: it says what the probe *does*; whether that is right is for you to say. ``--show`` replaces a
folder of yours by a plainer one.
"""

import argparse
import json
import subprocess
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

from probes.catalogue import PROBES
from probes.probe import read_answer
from probes.situations import output_of, question_of, shown, situation_of
from transcripts.records import Command, Output

NOBODY = 65534


def toml(value: Any) -> str:
    """A plain value as TOML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)} = {toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml(item) for item in value) + "]"
    if isinstance(value, str) and "\n" in value[:-1] and "'''" not in value and all(c.isprintable() or c in "\n\t" for c in value):
        return f"'''\n{value}'''"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(key: str) -> str:
    return key if key.replace("-", "").replace("_", "").isalnum() and key.isascii() else json.dumps(key)


def dump(file: dict[str, Any]) -> str:
    """A situation file as TOML text."""
    lines = [f"{key} = {toml(value)}" for key, value in file.items() if not isinstance(value, dict)]
    for table, content in file.items():
        if isinstance(content, dict):
            plain = {key: value for key, value in content.items() if key not in ("signs", "layers")}
            lines += ["", f"[{table}]", *(f"{_key(key)} = {toml(value)}" for key, value in plain.items())]
            for name in ("signs", "layers"):
                for item in content.get(name, ()):
                    lines += ["", f"[[{table}.{name}]]", *(f"{_key(key)} = {toml(value)}" for key, value in item.items())]
    return "\n".join(lines) + "\n"


def run(command: Command, user: int | None, path: str) -> Output:
    """Run the command as a target does."""
    environment = {"PATH": path, "LANG": "C.UTF-8", "HOME": "/nonexistent", **command.env}
    try:
        done = subprocess.run(
            command.argv,
            input=command.stdin,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=command.timeout,
            cwd=command.cwd or "/",
            env=environment,
            user=user,
            group=user,
        )
    except FileNotFoundError:
        return Output(failure="no-tool")
    except PermissionError:
        return Output(failure="denied")
    except subprocess.TimeoutExpired:
        return Output(failure="timed-out")
    return Output(status=done.returncode, stdout=done.stdout, stderr=done.stderr)


def record(path: Path, *, user: int | None, search: str) -> dict[str, Any]:
    """The file's content with output and expectation; a recorded output is kept, what is read from it is made anew."""
    file = tomllib.loads(path.read_text())
    probe = next(probe for probe in PROBES if probe.name == file["probe"])
    question, situation = question_of(file), situation_of(file)
    command = probe.command(question, situation)
    if "output" not in file:
        output = run(command, user, search)
        said = {"status": output.status, "stdout": output.stdout, "stderr": output.stderr, "failure": output.failure}
        file["output"] = {key: value for key, value in said.items() if value not in (None, "")}
    finding = read_answer(probe, question, output_of(file))
    module = import_module("probes." + probe.name.replace("-", "_"))
    expect: dict[str, Any] = {"argv": list(shown(command.argv, vars(module))), "outcome": finding.outcome.value, "text": finding.text}
    if question in probe.questions(situation):
        expect["asked"] = True
    expect["signs"] = [{"variable": s.variable, "value": s.value, "parameters": s.parameters} for s in finding.signs]
    said = file.pop("output")
    return {**{key: value for key, value in file.items() if key != "expect"}, "expect": expect, "output": said}


def main() -> None:
    """Record every file named."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--as-nobody", action="store_true")
    parser.add_argument("--path", default="/usr/local/bin:/usr/bin:/bin")
    parser.add_argument("--show", action="append", default=[])
    parser.add_argument("files", nargs="+", type=Path)
    given = parser.parse_args()
    for path in given.files:
        text = dump(record(path, user=NOBODY if given.as_nobody else None, search=given.path))
        for pair in given.show:
            text = text.replace(*pair.split("=", 1))
        path.write_text(text)
        print(path, tomllib.loads(text)["expect"]["outcome"], tomllib.loads(text)["expect"]["text"])


if __name__ == "__main__":
    main()
