"""A launch of a small real server that forks, in a nostart with a terminal of its own that gets a signal at some moment."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import psutil
from msgspec import Struct

from tests.running import PROGRAM

SERVER = """#!{python}
import os, signal, subprocess, sys, time
signal.signal(signal.SIGHUP, signal.SIG_IGN)
sleep = [sys.executable, "-c", "import time; time.sleep(600)", os.path.dirname(os.path.abspath(__file__))]
children = [subprocess.Popen(sleep) for _ in range(2)]
children.append(subprocess.Popen(sleep, start_new_session=True))
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    os.execv(sleep[0], sleep)
for step in range(600):
    print("INFO: Loading weights", step, flush=True)
    time.sleep(0.05)
"""


class Interrupted(Struct, frozen=True):
    """How it went: nostart's status, whether the terminal is as before with its cursor shown, and the processes that are left."""

    status: int
    terminal: bool
    left: tuple[str, ...]


def server(folder: Path) -> Path:
    """The program."""
    program = folder / "vllm"
    program.write_text(SERVER.replace("{python}", sys.executable))
    program.chmod(0o755)
    return program


def interrupted(folder: Path, number: signal.Signals, delay: float) -> Interrupted:
    """Triage the launch of the server on a terminal, send the signal to nostart `delay` seconds after its start, wait for its end."""
    program = server(folder)
    leader, follower = pty.openpty()
    before = termios.tcgetattr(follower)
    command = [str(PROGRAM), "triage", "--no-check", "--transcripts", str(folder / "runs"), "--", str(program), "serve", "m"]
    environment = {**os.environ, "TERM": "xterm"}
    with subprocess.Popen(command, stdin=follower, stdout=follower, stderr=follower, env=environment, start_new_session=True) as process:
        shown = _watched(leader, process, delay)
        process.send_signal(number)
        shown += _watched(leader, process, 60.0)
        status = process.wait()
    after = termios.tcgetattr(follower)
    os.close(leader)
    os.close(follower)
    cursor = re.findall(rb"\x1b\[\?25([hl])", shown)
    return Interrupted(status, before == after and (not cursor or cursor[-1] == b"h"), of_the_folder(folder))


def _watched(leader: int, process: subprocess.Popen[bytes], seconds: float) -> bytes:
    """What it shows until it ends or the time is over: a terminal that nobody reads would hold it up."""
    shown, deadline = b"", time.monotonic() + seconds
    while time.monotonic() < deadline and process.poll() is None:
        if select.select([leader], [], [], 0.01)[0]:
            shown += os.read(leader, 65536)
    while select.select([leader], [], [], 0)[0]:
        shown += os.read(leader, 65536)
    return shown


def of_the_folder(folder: Path) -> tuple[str, ...]:
    """The living processes that name the folder."""
    found = [process.info for process in psutil.process_iter(["cmdline", "status"])]
    lines = [" ".join(info["cmdline"] or []) for info in found if info["status"] != psutil.STATUS_ZOMBIE]
    return tuple(line for line in lines if str(folder) in line)
