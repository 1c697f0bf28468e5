"""What really arrives: compose, Kubernetes manifests and units given to the programs that execute them, against what is read from their text."""

import ast
import os
import pwd
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.cli.manifest import launch_from
from probes.launches.manifests import systemd
from tests.containers import podman

pytestmark = [pytest.mark.live]

IMAGE = "localhost/nostart-base:1"
ECHO = "import sys\nprint('received', sys.argv[1:])\n"
"""For a Python with hardly a module beside it."""
RUNTIME = """#!/usr/bin/env python3
import sys
if "create" in sys.argv and "network" not in sys.argv:
    open(__file__ + ".argv", "w").write(repr(sys.argv))
print("podman version 4.3.1")
"""
COMPOSE = {
    "text": """--model m --json {"method":"ngram","n":2} 'a b' "c d" $$HOME""",
    "folded": '>\n      --model m\n      --json {"a":1}\n      --last',
    "list": """["--model", "m", "--dtype auto", "$$HOME", "{\\"a\\": 1}", ""]""",
    "filled": """["--model", "${NOSTART_MODEL:-fallback}", "$NOSTART_NOBODY_SETS_THIS"]""",
}
POD = {
    "list": """["--model", "m", "--dtype auto", "$A", "{\\"a\\": 1}"]""",
    "block": "\n    - --model\n    - >\n      folded\n      text\n    - |\n      kept\n      lines\n    - 'it''s'",
}
UNITS = {
    "json": """/bin/echo serve {"method":"ngram"} '{"a": 1}' "c\\"d" 100%% x""",
    "continued": "/bin/echo serve \\\n  # a comment\n  --x 1 \\\n; another\n  --y 'a\\x20b'",
    "quotes": """/bin/echo --a='b c' "d"e f\\ g ''""",
}


@pytest.fixture
def image(tmp_path: Path) -> Iterator[None]:
    """An image with a Python, made once by debootstrap; without it the test is skipped."""
    with podman(tmp_path):
        if subprocess.run(["podman", "image", "exists", IMAGE]).returncode:
            _made(tmp_path)
        yield


def _made(folder: Path) -> None:
    if shutil.which("debootstrap") is None:
        pytest.skip(f"there is no image {IMAGE}, and no debootstrap to make it")
    root = folder / "root"
    subprocess.run(["debootstrap", "--variant=minbase", "--include=python3-minimal", "bookworm", str(root)], check=True, capture_output=True)
    with subprocess.Popen(["tar", "-C", str(root), "-c", "."], stdout=subprocess.PIPE) as tar:
        subprocess.run(["podman", "import", "-", IMAGE], stdin=tar.stdout, check=True, capture_output=True)


def _expected(path: Path, part: str) -> list[str]:
    words = launch_from(f"{path}#{part}", "local").argv
    return list(words[words.index("/echo.py") + 1 :])


def _printed(text: str) -> list[str]:
    line = next(line for line in text.splitlines() if "received [" in line)
    words: list[str] = ast.literal_eval(line.partition("received ")[2].strip())
    return words


@pytest.mark.parametrize("name", sorted(COMPOSE))
def test_compose_delivers_what_is_read(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """podman-compose hands the runtime the words that are read from the file (a stand-in for the runtime notes its argv)."""
    if shutil.which("podman-compose") is None:
        pytest.skip("podman-compose is not installed")
    monkeypatch.setenv("NOSTART_MODEL", "Qwen/Qwen3 8B")
    runtime = tmp_path / "podman"
    runtime.write_text(RUNTIME)
    runtime.chmod(0o755)
    path = tmp_path / "compose.yaml"
    path.write_text(f"services:\n  llm:\n    image: {IMAGE}\n    entrypoint: [/usr/bin/python3, /echo.py]\n    command: {COMPOSE[name]}\n")
    expected = _expected(path, "llm")
    subprocess.run(["podman-compose", "--podman-path", runtime, "-f", path, "up"], cwd=tmp_path, capture_output=True, timeout=120)
    received: list[str] = ast.literal_eval((tmp_path / "podman.argv").read_text())
    assert expected == received[received.index(IMAGE) + 1 :]


@pytest.mark.parametrize("name", sorted(POD))
def test_a_pod_receives_what_is_read(tmp_path: Path, image: None, name: str) -> None:
    """podman kube play hands a container the words that are read from the manifest (it fills in no $(NAME), as the kubelet does)."""
    (tmp_path / "echo.py").write_text(ECHO)
    path, pod = tmp_path / "pod.yaml", f"nostart-{name}-{os.getpid()}"
    path.write_text(
        f"apiVersion: v1\nkind: Pod\nmetadata: {{name: {pod}}}\nspec:\n  hostNetwork: true\n  restartPolicy: Never\n  containers:\n  - name: llm\n"
        f"    image: {IMAGE}\n    env: [{{name: A, value: b c}}]\n    command: [/usr/bin/python3, /echo.py]\n    args: {POD[name]}\n"
        f"    volumeMounts: [{{name: e, mountPath: /echo.py}}]\n  volumes: [{{name: e, hostPath: {{path: {tmp_path}/echo.py, type: File}}}}]\n"
    )
    played = subprocess.run(["podman", "kube", "play", str(path)], capture_output=True, text=True, timeout=120)
    subprocess.run(["podman", "wait", f"{pod}-llm"], capture_output=True, timeout=60)
    logs = subprocess.run(["podman", "logs", f"{pod}-llm"], capture_output=True, text=True, timeout=60)
    subprocess.run(["podman", "kube", "down", str(path)], capture_output=True, timeout=60)
    assert 0 == played.returncode, played.stderr
    assert _expected(path, "llm") == _printed(logs.stdout)


@pytest.mark.parametrize("name", sorted(UNITS))
def test_systemd_splits_what_is_read(tmp_path: Path, name: str) -> None:
    """systemd's own reading of ExecStart (systemd --test prints it) has the same words."""
    program = Path("/lib/systemd/systemd")
    if not program.exists() or os.geteuid() != 0:
        pytest.skip("systemd is not installed, or this is not root, who can become a user without a session")
    text = f"[Service]\nExecStart={UNITS[name]}\n"
    for file, content in {"x.service": text, "basic.target": "[Unit]\n", "shutdown.target": "[Unit]\n"}.items():
        (tmp_path / file).write_text(content)
    home, nobody = tmp_path / "home", pwd.getpwnam("nobody")
    home.mkdir()
    os.chown(home, nobody.pw_uid, nobody.pw_gid)
    for folder in (tmp_path, *list(tmp_path.parents)[:-2]):
        folder.chmod(0o755)
    env = {
        "HOME": str(home),
        "XDG_RUNTIME_DIR": str(home),
        "XDG_CONFIG_HOME": str(home),
        "SYSTEMD_UNIT_PATH": str(tmp_path),
        "PATH": os.environ["PATH"],
    }
    done = subprocess.run(
        [program, "--test", "--user", "--unit=x.service"],
        user="nobody",
        group=nobody.pw_gid,
        extra_groups=[],
        env=env,
        capture_output=True,
        text=True,
    )
    line = next(line for line in done.stdout.splitlines() if "Command Line:" in line)
    [setting] = systemd.settings(text)
    assert shlex.split(line.partition("Command Line:")[2]) == [piece.text.replace("%%", "%") for piece in systemd.split_line(setting.value) or ()]


@pytest.mark.parametrize(("line", "fault"), [("/bin/echo 'a b", "unbalanced"), ("venv/bin/x serve", "not-absolute"), ("/bin/echo 'a b'", "")])
def test_systemd_refuses_what_is_called_a_fault(tmp_path: Path, line: str, fault: str) -> None:
    """systemd-analyze verify refuses a unit just where a fault of its form is read."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    path = tmp_path / "x.service"
    path.write_text(f"[Service]\nExecStart={line}\n")
    done = subprocess.run(["systemd-analyze", "verify", str(path)], capture_output=True, text=True)
    refused = "fatal error" in done.stderr
    origin = launch_from(str(path), "local").origin
    assert origin is not None
    assert (bool(fault), [fault] if fault else []) == (refused, [sign.value for one in systemd.read(origin).faults for sign in one.signs])
