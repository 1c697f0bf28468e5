"""``make bench``: what nostart costs, as ratios taken in one run on one machine, which is named.

Real frameworks are used where their environments are built (``make live``); what needs one that is not there says so.
"""

import asyncio
import io
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import click

from agent.reading.scan import scan
from agent.reading.symptom import read_symptom
from agent.replay import replay
from evals.bench_ssh import kept_against_new
from evals.fuzz import COUNT
from evals.fuzz import run as damaged_logs
from probes.atlas.history import open_history, table_for
from probes.atlas.source import read_flags
from probes.frameworks.catalogue import by_name
from transcripts.events import AttemptEnded, Diagnosed
from transcripts.journal import Transcript, load, runs

ROOT = Path(__file__).resolve().parents[1]
CACHE = Path(os.environ.get("NOSTART_LIVE_CACHE") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "nostart" / "live")
VLLM = CACHE / "vllm-0.29.0"
NOSTART = (sys.executable, "-c", "from agent.cli.main import main; main()")
MEGABYTES = 100
STAND_IN = """#!/bin/sh
echo 'usage: vllm serve [model_tag] [options]' >&2
echo 'vllm serve: error: argument --speculative-config/-sc: Value {method: cannot be converted to <function loads at 0x7f0000000000>.' >&2
exit 2
"""
SCRIPT = """#!/bin/bash
set -a
. ./server.env
ARGS='--dtype float32 --max-model-len 128'
exec bash -c "vllm serve {model} $ARGS --port {port} --enforce-eagr --speculative-config {speculative}"
"""
SPECULATIVE = '{"method": "ngram", "num_speculative_tokens": 2, "prompt_lookup_max": 3}'


def main() -> None:
    """Print every number, each on a line of its own."""
    told("machine", machine())
    with tempfile.TemporaryDirectory(prefix="nostart-bench-") as scratch:
        folder = Path(scratch)
        told("nostart --help", f"{min(cpu_seconds([*NOSTART, '--help']) for _ in range(3)):.3f} s of CPU")
        told("nostart flags", f"{min(cpu_seconds([*NOSTART, 'flags', 'vllm', '--speculative-config']) for _ in range(3)):.3f} s of CPU")
        told("the shipped atlas", atlas_cost())
        transcript = failed_launch(folder)
        told("from failure to verdict", f"{seconds_to_verdict(transcript):.3f} s (a stand-in that prints vLLM's error)")
        told("replay", replay_cost(transcript))
        told("log reading", log_reading(folder))
        told("lines no rule knows", unknown_lines())
        told("damaged logs", damaged_logs(COUNT))
        told("a probe over SSH", kept_against_new(folder / "ssh"))
        told("flags from source", source_against_help(folder))
        told("a faulty script, mended", script_against_clean_launch(folder))


def told(what: str, result: str) -> None:
    """One line of the result."""
    click.echo(f"{what + ':':26} {result}")


def machine() -> str:
    """The processor, its cores and the Python."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())
    load_now = os.getloadavg()[0]
    return f"{model}, {os.cpu_count()} cores, load {load_now:.1f}, Python {platform.python_version()}"


def cpu_seconds(command: list[str]) -> float:
    """User and system seconds of a command and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def timed(work: Callable[[], object]) -> float:
    """Seconds of wall time that `work` takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def failed_launch(folder: Path) -> Transcript:
    """The record of a launch that fails at once, triaged."""
    program = folder / "vllm"
    program.write_text(STAND_IN, encoding="utf-8")
    program.chmod(0o755)
    line = f"bash -c '{program} serve m --speculative-config {SPECULATIVE}'"
    command = [*NOSTART, "triage", "--no-check", "--transcripts", str(folder / "runs"), "--shell", line]
    subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    return load(next(runs(folder / "runs")))


def seconds_to_verdict(transcript: Transcript) -> float:
    """From the end of the last attempt to the diagnosis, by the record's own times."""
    ended = [event.at for event in transcript.events if isinstance(event, AttemptEnded)]
    decided = [event.at for event in transcript.events if isinstance(event, Diagnosed)]
    return (moment(decided[-1]) - moment(ended[-1])).total_seconds()


def moment(at: str) -> datetime:
    """A recorded time."""
    return datetime.fromisoformat(at.replace("Z", "+00:00"))


def replay_cost(transcript: Transcript) -> str:
    """What the first replay of the recorded triage takes, and how many more are made in a second: whole ones, on one core, the record in memory."""
    return asyncio.run(_replayed(transcript))


async def _replayed(transcript: Transcript) -> str:
    began = time.process_time()
    await replay(transcript)
    first = time.process_time() - began
    count, began = 0, time.process_time()
    while time.process_time() - began < 2.0:
        await replay(transcript)
        count += 1
    return f"{count / (time.process_time() - began):.0f} a second of CPU once it is known; the first takes {first * 1000:.0f} ms"


READER = """
import resource, sys, time
from agent.reading.scan import scan
from agent.reading.symptom import read_symptom
from agent.reading.symptom import read_symptom
from probes.frameworks.catalogue import by_name
framework = by_name("vllm")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
began = time.perf_counter()
with open(sys.argv[1], "rb") as file:
    symptom = read_symptom(scan(file, framework), framework)
seconds = time.perf_counter() - began
print(seconds, before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, symptom.line_number)
"""


def log_reading(folder: Path) -> str:
    """How fast a long log is read for what it proves, and in how much memory: a process of its own reads it from a file, the failure near its end."""
    block = "".join(log_lines()).encode()
    path = folder / "long.log"
    with path.open("wb") as file:
        for _ in range(MEGABYTES * 1_000_000 // len(block)):
            file.write(block)
        file.write(FAILURE.encode())
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", READER, str(path)]
    runs = [subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True).stdout.split() for _ in range(3)]
    seconds, before, peak, line = min(runs, key=lambda run: float(run[0]))
    size = path.stat().st_size / 1e6
    memory = f"peak {int(peak) / 1024:.0f} MB of memory, {(int(peak) - int(before)) / 1024:.0f} of it for the log"
    return f"{size:.0f} MB at {size / float(seconds):.0f} MB/s, {memory}, the failure in line {line}"


def unknown_lines() -> str:
    """Five thousand error lines that no rule knows, against as many lines of plain talk."""
    errors = seconds_to_read("ERROR 12-01 16:28:20 [worker.py:{n}] request {n} of client 10.0.0.7 was not handled: its queue is {n} long\n")
    talk = seconds_to_read("INFO 12-01 16:28:20 [loggers.py:248] Engine 000: Avg prompt throughput: {n}.0 tokens/s, generation {n}.0\n")
    return f"{errors:.2f} s for 5000, {errors / talk:.1f} times the cost of as many lines of talk"


def seconds_to_read(line: str) -> float:
    """Seconds until 5000 lines of one form, each with a number of its own, are read for what they prove."""
    data = "".join(line.format(n=number) for number in range(5000)).encode()
    return min(timed(lambda: read_symptom(scan(io.BytesIO(data)), by_name("vllm"))) for _ in range(3))


def log_lines() -> Iterator[str]:
    """Lines such as a server writes, a few thousand of them."""
    for number in range(2000):
        yield f"(APIServer pid=1) INFO 12-01 16:28:{number % 60:02d} [loggers.py:248] Engine 000: Avg prompt throughput: {number}.0 tokens/s\n"
        yield f'(APIServer pid=1) INFO:     127.0.0.1:{40000 + number} - "POST /v1/completions HTTP/1.1" 200 OK\n'


FAILURE = (
    "(EngineCore_DP0 pid=9) ERROR 12-01 18:00:00 [core.py:843] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
    "(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}\n"
)


def atlas_cost() -> str:
    """Loading the shipped atlas of vLLM, and the flags of one release from it."""
    open_history.cache_clear()
    loading = timed(lambda: open_history("vllm"))
    table_for.cache_clear()
    asking = timed(lambda: table_for("vllm", "0.20.1"))
    return f"vLLM's history loads in {loading * 1000:.1f} ms, the flags of one release take {asking * 1000:.1f} ms more"


def source_against_help(folder: Path) -> str:
    """Reading the flags from the installed source against asking the program for its full help."""
    site = next(iter(sorted(VLLM.glob("lib/python3*/site-packages"))), None)
    if site is None or not VLLM.with_name(VLLM.name + ".done").exists():
        return f"skipped: {VLLM} is not built (make live)"
    place = folder / "flags"
    cold = timed(lambda: read_flags(site, "vllm", folder=place))
    cached = min(timed(lambda: read_flags(site, "vllm", folder=place)) for _ in range(3))
    asked = timed(lambda: subprocess.run([VLLM / "bin" / "vllm", "serve", "--help=all"], capture_output=True, check=False))
    took = f"{cold:.2f} s at first sight, {cached * 1000:.0f} ms cached; --help=all {asked:.1f} s"
    return f"{took}: {asked / cold:.0f} and {asked / cached:.0f} times faster"


def script_against_clean_launch(folder: Path) -> str:
    """``triage --fix`` of a script with several faults against one launch of a sound command, both until a completion is answered."""
    if not VLLM.with_name(VLLM.name + ".done").exists():
        return f"skipped: {VLLM} is not built (make live)"
    model = folder / "model"
    maker = ROOT / "tests" / "live" / "make_model.py"
    subprocess.run([VLLM / "bin" / "python", maker, model], capture_output=True, check=True)
    environment = {**os.environ, "PATH": f"{VLLM / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}", "VLLM_CPU_KVCACHE_SPACE": "1"}
    sound = ["vllm", "serve", str(model), "--dtype", "float32", "--max-model-len", "128", "--enforce-eager", "--port", "18471"]
    clean = triage_seconds(folder, environment, "--no-check", "--", *sound)
    (folder / "server.env").write_text("VLLM_PORT=tcp://10.0.0.7:8000\n", encoding="utf-8")
    script = folder / "start.sh"
    script.write_text(SCRIPT.format(model=model, port=18472, speculative=SPECULATIVE.replace('"', '\\"')), encoding="utf-8")
    script.chmod(0o755)
    mended = triage_seconds(folder, environment, "--fix", "--", "./start.sh")
    if clean is None or mended is None:
        return f"failed: the sound launch {'is' if clean else 'is not'} up, the script {'is' if mended else 'is not'}"
    return f"{mended[0]:.1f} s and {mended[1]} launches; one clean launch {clean[0]:.1f} s: {mended[0] / clean[0]:.2f} times"


def triage_seconds(folder: Path, environment: dict[str, str], *arguments: str) -> tuple[float, int] | None:
    """Seconds and launches until a triage is up, or None if it does not come up."""
    command = [*NOSTART, "triage", "--json", "--transcripts", str(folder / "script-runs"), *arguments]
    environment = {**environment, "PYTHONPATH": str(ROOT)}
    began = time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - began
    if done.returncode != 0:
        click.echo(done.stdout + done.stderr[-4000:], err=True)
        return None
    return seconds, int(json.loads(done.stdout)["launches"])


if __name__ == "__main__":
    main()
